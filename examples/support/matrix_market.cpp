#include "support/matrix_market.hpp"

#include "support/command_line.hpp"
#include "support/progress.hpp"
#include "support/tokens.hpp"

#include <ravel/core/monoid.hpp>
#include <ravel/core/search.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ravel::examples {
namespace {

using header = matrix_market_header;

constexpr auto from_zero = [] { return index_t{0}; };

/// A file being read: executor, contents, and progress.
struct reading {
  cpu::threads const& ex;
  view<char const> text;
  std::string const& name;
  header h;
  real_type of_reals;
  strictness how;
  progress& bar;

  bool is_lenient() const { return how == strictness::lenient; }

  /// The line that begins at `begin`, without its line end.
  std::string_view line_at(index_t begin) const {
    std::string_view const rest(text.data() + begin, static_cast<std::size_t>(text.size() - begin));
    return rest.substr(0, rest.find('\n'));
  }

  [[noreturn]] void fail_on_line(index_t number, std::string const& reason) const {
    throw bad_input(fmt::format("{}:{}: {}", name, number, reason));
  }
  [[noreturn]] void fail_at(index_t begin, std::string const& reason) const {
    fail_on_line(line_number(begin), reason);
  }
  index_t line_number(index_t begin) const {
    index_t ends_before = 0;
    reduce_on(
        ex, begin, [&](index_t i) { return index_t{text[i] == '\n'}; }, plus<index_t>{}, from_zero,
        [&](index_t ends) { ends_before = ends; });
    return ends_before + 1;
  }
};

/// The beginnings of the lines with entries: a compaction of the bytes.
cpu::buffer<index_t> entry_lines(reading const& file) {
  auto const& h = file.h;
  auto const text = file.text;
  index_t const from = h.body;
  index_t const bytes = text.size() - from;
  auto const holds_entry = [&](index_t i) {
    if (i > 0 && text[from + i - 1] != '\n') return false;
    auto const* c = text.begin() + from + i;
    while (c != text.end() && is_blank(*c)) ++c;
    return c != text.end() && *c != '\n' && *c != '%';
  };
  // An entry has at least a digit and a line end.  One too many is kept, to report it.
  index_t const most = std::min(h.stored, bytes / 2 + 1);
  cpu::buffer<index_t> lines(most + 1);
  index_t found = 0;
  scan_on(
      file.ex, bytes, [&](index_t i) { return index_t{holds_entry(i)}; },
      [&](index_t i, index_t before, index_t through) {
        if (through > before && before <= most) lines[before] = from + i;
        constexpr index_t step = index_t{1} << 18;
        if (i % step == 0) file.bar.advance(step / 2);
      },
      plus<index_t>{}, from_zero, [&](index_t all) { found = all; });
  if (found < h.stored) {
    file.fail_on_line(h.size_line, fmt::format("the size line promises {} entries, and {} follow",
                                               h.stored, found));
  }
  if (found > h.stored) {
    file.fail_at(lines[h.stored],
                 fmt::format("the size line promises {} entries, and {} follow", h.stored, found));
  }
  return lines;
}

/// The row and the column of the k-th value of an array, which is stored by
/// columns; in a symmetric matrix each begins at the diagonal or just below it.
std::pair<index_t, index_t> place_in_array(header const& h, index_t k) {
  if (h.shape == header::symmetry::general) return {k % h.rows, k / h.rows};
  index_t const skipped = h.shape == header::symmetry::skew_symmetric ? 1 : 0;
  index_t const n = h.rows - skipped;  // in the first column; each next column has one less
  auto const before_column = [&](index_t j) { return j * n - j * (j - 1) / 2; };
  index_t const column =
      partition_point(1, n, [&](index_t j) { return before_column(j) <= k; }) - 1;
  return {column + skipped + k - before_column(column), column};
}

/// Whether rounding a finite x to single precision gives an infinity.
bool is_beyond_f32(double x) { return std::isfinite(x) && std::isinf(static_cast<float>(x)); }

/// Reads the next value of `line`; returns the reason if it cannot.  Where values out of range may
/// become infinite, it sets `overflows`.
template <class T>
std::string read_value(reading const& file, std::string_view& line, T& value, bool& overflows) {
  auto const read_part = [&](auto& part, char const* what) -> std::string {
    auto const word = take_word(line);
    if (word.empty()) return fmt::format("the entry has no {}", what);
    bool const may_overflow =
        file.is_lenient() && std::is_floating_point_v<std::remove_reference_t<decltype(part)>>;
    switch (read_number(word, part)) {
      case meaning::number:
        if (std::is_same_v<T, double> && file.of_reals == real_type::f32 &&
            is_beyond_f32(static_cast<double>(part))) {
          if (may_overflow) return overflows = true, "";
          return fmt::format("the {} {} is out of range for f32", what, shown(word));
        }
        return {};
      case meaning::too_large:
        if (may_overflow) return overflows = true, "";
        return fmt::format("the {} {} is too large", what, shown(word));
      default:
        return fmt::format("the {} {} is not {}", what, shown(word),
                           std::is_integral_v<std::remove_reference_t<decltype(part)>>
                               ? "an integer"
                               : "a number");
    }
  };
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    double re = 0, im = 0;
    auto reason = read_part(re, "real part");
    if (reason.empty()) reason = read_part(im, "imaginary part");
    value = {re, im};
    return reason;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    value = 1;
    return {};
  } else {
    return read_part(value, "value");
  }
}

/// Reads a row or column number of a coordinate entry; returns the reason if it is invalid.
std::string read_position(std::string_view& line, char const* what, index_t size, index_t& to) {
  auto const word = take_word(line);
  if (word.empty()) return fmt::format("the entry has no {}", what);
  index_t n = 0;
  auto const got = read_number(word, n);
  if (got == meaning::no_number)
    return fmt::format("the {} {} is not an integer", what, shown(word));
  if (got == meaning::too_large || n < 1 || n > size) {
    return fmt::format("the {} is {}, and the matrix has {}", what,
                       got == meaning::number ? std::to_string(n) : shown(word), size);
  }
  to = n - 1;
  return {};
}

/// Why the symmetry of the matrix forbids an entry; empty if it does not.
template <class T>
std::string forbidden(reading const& file, index_t row, index_t column, T const& value) {
  using enum header::symmetry;
  auto const& h = file.h;
  if (h.shape == general) return {};
  if (row < column && !file.is_lenient())
    return "an entry above the diagonal, where symmetry already gives one";
  if (h.shape == skew_symmetric) {
    if (row == column) return "an entry on the diagonal of a skew-symmetric matrix";
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (value == std::numeric_limits<T>::min()) return "the value has no negative of 64 bits";
    }
  }
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    if (h.shape == hermitian && row == column && value.imag() != 0) {
      return "a value that is not real on the diagonal of a hermitian matrix";
    }
  }
  return {};
}

/// Reads entry k from its line; returns the reason if it cannot.
template <class T>
std::string read_entry(reading const& file, std::string_view line, index_t k,
                       matrix_entries<T> const& to, bool& overflows) {
  auto const& h = file.h;
  index_t row = 0, column = 0;
  if (h.format == header::layout::array) {
    std::tie(row, column) = place_in_array(h, k);
  } else {
    if (auto reason = read_position(line, "row", h.rows, row); !reason.empty()) return reason;
    if (auto reason = read_position(line, "column", h.cols, column); !reason.empty()) return reason;
  }
  T value{};
  if (auto reason = read_value(file, line, value, overflows); !reason.empty()) return reason;
  auto const more = take_word(line);
  if (!more.empty() && !(file.is_lenient() && more[0] == '%')) {
    return fmt::format("{} is too much on the line of an entry", shown(more));
  }
  to.rows[k] = row;
  to.columns[k] = column;
  to.values[k] = value;
  return forbidden(file, row, column, value);
}

template <class T>
matrix_entries<T> room_for(index_t n) {
  return {cpu::buffer<index_t>(n), cpu::buffer<index_t>(n), cpu::buffer<T>(n)};
}

/// The value of the mirrored entry.
template <class T>
T mirrored(header const& h, T const& value) {
  if (h.shape == header::symmetry::skew_symmetric) {
    if constexpr (!std::is_unsigned_v<T>) return -value;
  }
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    if (h.shape == header::symmetry::hermitian) return std::conj(value);
  }
  return value;
}

/// Each entry, followed by its mirror image across the diagonal.
template <class T>
matrix_entries<T> with_mirrored(cpu::threads const& ex, header const& h,
                                matrix_entries<T> const& half) {
  index_t const n = half.values.size();
  auto const copies = [&](index_t k) { return index_t{half.rows[k] == half.columns[k] ? 1 : 2}; };
  index_t all = 0;
  reduce_on(ex, n, copies, plus<index_t>{}, from_zero, [&](index_t total) { all = total; });
  auto whole = room_for<T>(all);
  auto const put = [&](index_t at, index_t row, index_t column, T const& value) {
    whole.rows[at] = row;
    whole.columns[at] = column;
    whole.values[at] = value;
  };
  scan_on(
      ex, n, copies,
      [&](index_t k, index_t at, index_t next) {
        put(at, half.rows[k], half.columns[k], half.values[k]);
        if (next > at + 1) put(at + 1, half.columns[k], half.rows[k], mirrored(h, half.values[k]));
      },
      plus<index_t>{}, from_zero, [](index_t) {});
  return whole;
}

/// What became of a line.
enum class outcome : std::uint8_t { read, overflowed, wrong };

/// All entries of a body with values of type T.
template <class T>
matrix_entries<T> read_entries(reading const& file, std::string& warning) {
  auto const& h = file.h;
  auto const lines = entry_lines(file);
  auto entries = room_for<T>(h.stored);

  // Reports the first line of a kind, independently of the threads' timing.
  constexpr index_t per_step = 4096;
  index_t const bytes_per_step = (file.text.size() - h.body) / (h.stored / per_step + 1) / 2;
  cpu::buffer<outcome> outcomes(h.stored);
  for_each_index(file.ex, h.stored, [&](index_t k) {
    bool overflows = false;
    bool const wrong = !read_entry(file, file.line_at(lines[k]), k, entries, overflows).empty();
    outcomes[k] = wrong ? outcome::wrong : overflows ? outcome::overflowed : outcome::read;
    if (k % per_step == 0) file.bar.advance(bytes_per_step);
  });
  auto const first_where = [&](auto const& is_wanted) {
    index_t found = 0;
    reduce_on(
        file.ex, h.stored, [&](index_t k) { return is_wanted(k) ? k : h.stored; },
        minimum<index_t>{}, [&] { return h.stored; }, [&](index_t k) { found = k; });
    return found;
  };
  auto const first = [&](outcome wanted) {
    return first_where([&](index_t k) { return outcomes[k] == wanted; });
  };
  auto const reason_of = [&](reading const& by, index_t k) {
    bool overflows = false;
    return read_entry(by, file.line_at(lines[k]), k, entries, overflows);
  };
  if (index_t const k = first(outcome::wrong); k < h.stored) {
    file.fail_at(lines[k], reason_of(file, k));
  }
  auto strictly = file;  // refuses entries before it changes them
  strictly.how = strictness::strict;
  if (index_t const k = first(outcome::overflowed); k < h.stored) {
    warning = fmt::format("{}:{}: {}, and becomes infinite", file.name, file.line_number(lines[k]),
                          reason_of(strictly, k));
  }
  if (h.shape == header::symmetry::general) return entries;
  auto const below_diagonal = [&](index_t k) { return entries.rows[k] - entries.columns[k]; };
  index_t const above = first_where([&](index_t k) { return below_diagonal(k) < 0; });
  if (above < h.stored &&
      first_where([&](index_t k) { return below_diagonal(k) > 0; }) < h.stored) {
    file.fail_at(lines[above], reason_of(strictly, above));  // which triangle counts?
  }
  return with_mirrored(file.ex, h, entries);
}

}  // namespace

matrix_market read_matrix_market(cpu::threads const& ex, view<char const> text,
                                 std::string const& name, real_type of_reals, strictness how) {
  text = without_byte_order_mark(text);
  auto const h = read_matrix_market_header(text, name, how);
  progress bar("parsing " + name, text.size() - h.body);
  reading const file{ex, text, name, h, of_reals, how, bar};
  std::string warning;
  auto const read = [&]<class T>(std::type_identity<T>) -> matrix_market {
    auto entries = read_entries<T>(file, warning);
    return {h, std::move(entries), std::move(warning)};
  };
  using enum header::field;
  switch (h.values) {
    case integer:
      return read(std::type_identity<std::int64_t>{});
    case unsigned_integer:
      return read(std::type_identity<std::uint64_t>{});
    case complex:
      return read(std::type_identity<std::complex<double>>{});
    case pattern:
      return read(std::type_identity<std::uint8_t>{});
    default:
      return read(std::type_identity<double>{});
  }
}

}  // namespace ravel::examples
