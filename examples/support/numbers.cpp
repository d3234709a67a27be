#include "support/numbers.hpp"

#include "support/command_line.hpp"
#include "support/output.hpp"
#include "support/parallel_text.hpp"
#include "support/progress.hpp"
#include "support/tokens.hpp"

#include <ravel/core/monoid.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string_view>

namespace ravel::examples {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are");

constexpr auto from_zero = [] { return index_t{0}; };

constexpr bool is_separator(char c) { return is_blank(c) || c == '\n' || c == ','; }

/// All fields of a text, row by row.
struct all_fields {
  view<char const> text;

  /// The byte at i; after the last one a line ends.
  char at(index_t i) const { return i < text.size() ? text[i] : '\n'; }

  /// The last character before i that is not blank; a line end precedes the first byte.
  char last_before(index_t i) const {
    while (i > 0 && is_blank(text[i - 1])) --i;
    return i > 0 ? text[i - 1] : '\n';
  }

  /// Whether a field begins at i; an empty field begins at its end.
  bool begins(index_t i) const {
    char const c = at(i);
    if (c == '\n') return last_before(i) == ',';
    if (c == ',') return is_separator(last_before(i));
    return !is_separator(c) && (i == 0 || is_separator(text[i - 1]));
  }
  std::string_view field(index_t i, std::string& reason) const {
    index_t end = i;
    while (!is_separator(at(end))) ++end;
    if (end == i) reason = "a field is empty";
    return {text.data() + i, static_cast<std::size_t>(end - i)};
  }
};

/// One field of each nonempty line.
struct column_fields {
  view<char const> text;
  column_choice column;

  std::string_view line_at(index_t begin) const {
    std::string_view const rest(text.data() + begin, static_cast<std::size_t>(text.size() - begin));
    return rest.substr(0, rest.find('\n'));
  }
  bool begins(index_t i) const {
    if (i == text.size() || (i > 0 && text[i - 1] != '\n')) return false;
    while (i < text.size() && is_blank(text[i])) ++i;
    return i < text.size() && text[i] != '\n';
  }
  std::string_view field(index_t i, std::string& reason) const {
    return number_column_of(line_at(i), column, reason);
  }
};

/// The kind of a field, for errors.
template <class T>
constexpr char const* kind_of = std::is_floating_point_v<T> ? "a number"
                                : std::is_signed_v<T>       ? "an integer"
                                                            : "an unsigned integer";

/// Reads the field at i; returns the reason if it cannot.
template <class T, class Fields>
std::string read_field_at(Fields const& fields, index_t i, T& to, std::string_view advice) {
  std::string reason;
  auto const field = fields.field(i, reason);
  return reason.empty() ? read_field(field, to, advice) : reason;
}

/// Finds the fields by compaction of the bytes, and reads each.
template <class T, class Fields>
cpu::buffer<T> read_fields(cpu::threads const& ex, Fields const& fields, std::string const& name,
                           index_t first_line, std::string_view advice) {
  index_t const bytes = fields.text.size();
  auto const begins = [&](index_t i) { return index_t{fields.begins(i)}; };
  index_t count = 0;
  reduce_on(ex, bytes + 1, begins, plus<index_t>{}, from_zero, [&](index_t all) { count = all; });

  cpu::buffer<T> numbers(count);
  progress bar("parsing " + name, bytes);
  std::atomic<index_t> first_wrong = bytes + 1;
  scan_on(
      ex, bytes + 1, begins,
      [&](index_t i, index_t before, index_t through) {
        constexpr index_t step = index_t{1} << 18;
        if (i % step == 0) bar.advance(step);
        if (through == before || read_field_at(fields, i, numbers[before], advice).empty()) return;
        index_t first = first_wrong;
        while (i < first && !first_wrong.compare_exchange_weak(first, i)) {
        }
      },
      plus<index_t>{}, from_zero, [](index_t) {});

  if (index_t const at = first_wrong; at <= bytes) {
    T unread;
    throw bad_input(
        fmt::format("{}:{}: {}", name,
                    first_line + std::count(fields.text.begin(), fields.text.begin() + at, '\n'),
                    read_field_at(fields, at, unread, advice)));
  }
  return numbers;
}

}  // namespace

template <class T>
std::string read_field(std::string_view field, T& to, std::string_view advice) {
  switch (read_number(field, to)) {
    case meaning::number:
      return {};
    case meaning::too_large:
      return fmt::format("{} does not fit {} of {} bits", shown(field), kind_of<T>, 8 * sizeof(T));
    default:
      return fmt::format("{} is not {}{}", shown(field), kind_of<T>, advice);
  }
}

template <class T>
cpu::buffer<T> read_numbers(cpu::threads const& ex, view<char const> text, std::string const& name,
                            column_choice column, index_t first_line, std::string_view advice) {
  text = without_byte_order_mark(text);
  if (column.number == 0) return read_fields<T>(ex, all_fields{text}, name, first_line, advice);
  return read_fields<T>(ex, column_fields{text, column}, name, first_line, advice);
}

template <class T>
cpu::buffer<T> read_binary_numbers(view<char const> bytes, std::string const& name) {
  index_t constexpr size = sizeof(T);
  if (bytes.size() % size != 0) {
    throw bad_input(fmt::format("{}: {} bytes are not a whole number of numbers of {} bytes", name,
                                bytes.size(), size));
  }
  cpu::buffer<T> numbers(bytes.size() / size);
  if (bytes.size() > 0) {
    std::memcpy(numbers.data(), bytes.data(), static_cast<std::size_t>(bytes.size()));
  }
  return numbers;
}

template <class T>
void write_numbers(cpu::threads const& ex, view<T const> numbers, output& to) {
  progress bar("writing", numbers.size(), " numbers");
  write_texts(
      ex, numbers.size(), index_t{1} << 20,
      [&](fmt::memory_buffer& text, index_t i) {
        fmt::format_to(std::back_inserter(text), "{}\n", numbers[i]);
        constexpr index_t step = index_t{1} << 16;
        if (i % step == 0) bar.advance(step);
      },
      [&](std::string_view text) { to.write(text); });
}

#define RAVEL_EXAMPLES_NUMBERS(T)                                                                 \
  template std::string read_field(std::string_view, T(&), std::string_view);                      \
  template cpu::buffer<T> read_numbers(cpu::threads const&, view<char const>, std::string const&, \
                                       column_choice, index_t, std::string_view);                 \
  template cpu::buffer<T> read_binary_numbers(view<char const>, std::string const&);              \
  template void write_numbers(cpu::threads const&, view<T const>, output&);
RAVEL_EXAMPLES_NUMBERS(std::uint32_t)
RAVEL_EXAMPLES_NUMBERS(std::uint64_t)
RAVEL_EXAMPLES_NUMBERS(std::int32_t)
RAVEL_EXAMPLES_NUMBERS(std::int64_t)
RAVEL_EXAMPLES_NUMBERS(float)
RAVEL_EXAMPLES_NUMBERS(double)

}  // namespace ravel::examples
