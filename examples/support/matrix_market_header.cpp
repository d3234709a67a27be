#include "support/command_line.hpp"
#include "support/matrix_market.hpp"
#include "support/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace ravel::examples {
namespace {

using header = matrix_market_header;

/// Iterates over the lines of a text.
class line_walker {
  std::string_view text_;
  std::size_t next_ = 0;
  index_t number_ = 0;

 public:
  explicit line_walker(view<char const> text)
      : text_(text.data(), static_cast<std::size_t>(text.size())) {}

  /// Moves to the next line, if there is one.
  bool next(std::string_view& line) {
    if (next_ >= text_.size()) return false;
    auto const end = std::min(text_.find('\n', next_), text_.size());
    line = text_.substr(next_, end - next_);
    next_ = std::min(end + 1, text_.size());
    ++number_;
    return true;
  }
  index_t number() const { return number_; }
  index_t end() const { return static_cast<index_t>(next_); }
};

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& c : text) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// The meaning of `word` in `table`.
template <class Value, std::size_t N>
Value look_up(std::pair<char const*, Value> const (&table)[N], char const* what,
              std::string_view word) {
  std::string names;
  for (auto const& [name, value] : table) {
    if (lower(word) == name) return value;
    names += names.empty() ? name : fmt::format(", {}", name);
  }
  if (word.empty()) throw bad_input(fmt::format("the first line names no {}", what));
  throw bad_input(fmt::format("the {} is {}, and not one of {}", what, shown(word), names));
}

constexpr std::pair<char const*, header::layout> layouts[] = {
    {"coordinate", header::layout::coordinate}, {"array", header::layout::array}};
constexpr std::pair<char const*, header::field> fields[] = {
    {"real", header::field::real},
    {"double", header::field::real},
    {"integer", header::field::integer},
    {"unsigned", header::field::unsigned_integer},
    {"unsigned-integer", header::field::unsigned_integer},
    {"complex", header::field::complex},
    {"pattern", header::field::pattern}};
constexpr std::pair<char const*, header::symmetry> symmetries[] = {
    {"general", header::symmetry::general},
    {"symmetric", header::symmetry::symmetric},
    {"skew-symmetric", header::symmetry::skew_symmetric},
    {"hermitian", header::symmetry::hermitian}};

/// The first line.
header read_banner(std::string_view line) {
  if (lower(take_word(line)) != "%%matrixmarket") {
    throw bad_input("a Matrix Market file begins with %%MatrixMarket");
  }
  auto const object = take_word(line);
  if (lower(object) != "matrix") {
    throw bad_input(fmt::format("the object is {}, and not a matrix", shown(object)));
  }
  header h;
  h.format = look_up(layouts, "format", take_word(line));
  h.values = look_up(fields, "field", take_word(line));
  h.shape = look_up(symmetries, "symmetry", take_word(line));
  if (auto const more = take_word(line); !more.empty()) {
    throw bad_input(fmt::format("{} is too much in the first line", shown(more)));
  }
  using enum header::field;
  bool const is_pattern = h.values == pattern;
  if (h.format == header::layout::array && is_pattern) {
    throw bad_input("an array has values, and cannot be a pattern");
  }
  if (h.shape == header::symmetry::skew_symmetric && (is_pattern || h.values == unsigned_integer)) {
    throw bad_input("skew-symmetric values have signs, and cannot be pattern or unsigned");
  }
  if (h.shape == header::symmetry::hermitian && h.values != complex) {
    throw bad_input("only a complex matrix can be hermitian");
  }
  return h;
}

/// The offsets of that many rows have a size in bytes that fits index_t.
constexpr index_t most_in_memory =
    std::numeric_limits<index_t>::max() / static_cast<index_t>(sizeof(index_t)) - 1;

/// One number of the size line.
index_t read_size(std::string_view& line, char const* what) {
  auto const word = take_word(line);
  index_t n = 0;
  if (word.empty()) throw bad_input(fmt::format("the size line gives no number of {}", what));
  switch (read_number(word, n)) {
    case meaning::no_number:
      throw bad_input(fmt::format("the number of {} is {}", what, shown(word)));
    case meaning::too_large:
      throw bad_input(fmt::format("the number of {} is too large: {}", what, shown(word)));
    case meaning::number:
      if (n < 0) throw bad_input(fmt::format("the number of {} is negative: {}", what, n));
  }
  return n;
}

/// The number of values that an array of this shape stores.
index_t stored_in_array(header const& h) {
  index_t all = 0;
  if (__builtin_mul_overflow(h.rows, h.cols, &all)) {
    throw bad_input(fmt::format("an array of {} by {} is too large", h.rows, h.cols));
  }
  switch (h.shape) {
    case header::symmetry::general:
      return all;
    case header::symmetry::skew_symmetric:
      return (all - h.rows) / 2;
    default:
      return (all - h.rows) / 2 + h.rows;
  }
}

void read_size_line(std::string_view line, header& h, strictness how) {
  h.rows = read_size(line, "rows");
  h.cols = read_size(line, "columns");
  if (std::max(h.rows, h.cols) > most_in_memory) {
    throw bad_input(fmt::format("a matrix of {} by {} is too large", h.rows, h.cols));
  }
  if (h.format == header::layout::coordinate) h.stored = read_size(line, "entries");
  bool const comments = how == strictness::lenient;
  if (auto const more = take_word(line); !more.empty() && !(comments && more[0] == '%')) {
    throw bad_input(fmt::format("{} is too much in the size line", shown(more)));
  }
  if (h.shape != header::symmetry::general && h.rows != h.cols) {
    throw bad_input(fmt::format("a matrix of {} by {} has no symmetry", h.rows, h.cols));
  }
  if (h.format == header::layout::array) h.stored = stored_in_array(h);
}

/// Whether a line is empty or a comment.
bool says_nothing(std::string_view line) {
  auto const word = take_word(line);
  return word.empty() || word[0] == '%';
}

}  // namespace

bool is_matrix_market(view<char const> text) {
  std::string_view line;
  return line_walker(without_byte_order_mark(text)).next(line) &&
         lower(take_word(line)) == "%%matrixmarket";
}

matrix_market_header read_matrix_market_header(view<char const> text, std::string const& name,
                                               strictness how) {
  line_walker lines(text);
  try {
    std::string_view line;
    if (!lines.next(line)) throw bad_input("the file is empty");
    header h = read_banner(line);
    do {
      if (!lines.next(line)) throw bad_input("the file ends before the size line");
    } while (says_nothing(line));
    read_size_line(line, h, how);
    h.size_line = lines.number();
    h.body = lines.end();
    return h;
  } catch (bad_input const& e) {
    throw bad_input(fmt::format("{}:{}: {}", name, std::max<index_t>(lines.number(), 1), e.what()));
  }
}

}  // namespace ravel::examples
