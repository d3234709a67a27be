#pragma once

/// Words of a line of text, and conversion to numbers.

#include <ravel/core/view.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace ravel::examples {

/// Space, tab and the like; also carriage return, so that lines may end in CRLF.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// `text` without a leading UTF-8 byte order mark, as some editors write.
inline std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}
inline view<char const> without_byte_order_mark(view<char const> text) {
  std::string_view const all(text.data(), static_cast<std::size_t>(text.size()));
  index_t const mark = std::ssize(all) - std::ssize(without_byte_order_mark(all));
  return text.slice(mark, text.size() - mark);
}

/// Removes the first word of `line`; empty if there is none left.
inline std::string_view take_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  auto const word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

inline std::string_view trimmed(std::string_view field) {
  while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  return field;
}

/// Where the first field of a line ends; a separator within double quotes separates nothing.
inline std::size_t end_of_field(std::string_view line, char separator) {
  std::size_t at = 0;
  while (at < line.size() && is_blank(line[at]) && line[at] != separator) ++at;
  if (at < line.size() && line[at] == '"') {
    bool inside = true;
    for (++at; at < line.size() && (inside || line[at] != separator); ++at) {
      if (line[at] == '"') inside = !inside;
    }
    return at;
  }
  return std::min(line.find(separator, at), line.size());
}

/// A column of lines, from 1; 0 is none.  The separator 0 is a comma, or in a line without commas white space.
struct column_choice {
  index_t number;
  char separator;

  constexpr column_choice(index_t chosen = 0, char separates = '\0')
      : number(chosen), separator(separates) {}
};

/// The field in a column of a line, without the quotes around it; or the reason why there is none.
inline std::string_view column_of(std::string_view line, column_choice column,
                                  std::string& reason) {
  char const separator = column.separator != '\0' ? column.separator : ',';
  bool const words = column.separator == '\0' && line.find(',') == line.npos;
  for (index_t k = 1;; ++k) {
    std::size_t const end = words ? 0 : end_of_field(line, separator);
    auto field = words ? take_word(line) : trimmed(line.substr(0, end));
    bool const last = words ? trimmed(line).empty() : end == line.size();
    if (k == column.number) {
      bool const quoted = field.size() > 1 && field.front() == '"' && field.back() == '"';
      return quoted ? field.substr(1, field.size() - 2) : field;
    }
    if (last) {
      reason = "there is no column " + std::to_string(column.number) + ", for the line has " +
               std::to_string(k);
      return {};
    }
    if (!words) line.remove_prefix(end + 1);
  }
}

/// As column_of, and an empty field is no number.
inline std::string_view number_column_of(std::string_view line, column_choice column,
                                         std::string& reason) {
  auto const field = column_of(line, column, reason);
  if (field.empty() && reason.empty()) {
    reason = "column " + std::to_string(column.number) + " is empty";
  }
  return field;
}

/// The result of parsing a number.
enum class meaning : std::uint8_t { number, no_number, too_large };

/// Parses the whole `word` as a number of type T: a decimal integer, or the
/// floating-point number nearest to the decimal text.  "nan" and "inf" are
/// floating-point numbers; a finite text that overflows T is too large.
template <class T>
meaning read_number(std::string_view word, T& to) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  auto const [stop, error] = std::from_chars(word.data(), word.data() + word.size(), to);
  if (error == std::errc::invalid_argument || stop != word.data() + word.size()) {
    return meaning::no_number;
  }
  if (error == std::errc::result_out_of_range) {
    if constexpr (std::is_integral_v<T>) {
      return meaning::too_large;
    } else {
      // from_chars does not distinguish overflow and underflow.
      std::string const text(word);
      if constexpr (std::is_same_v<T, float>) {
        to = std::strtof(text.c_str(), nullptr);
      } else {
        to = std::strtod(text.c_str(), nullptr);
      }
      if (std::isinf(to)) return meaning::too_large;
    }
  }
  return meaning::number;
}

/// `word` for an error sentence: shortened, and without control characters.
inline std::string shown(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text(word.substr(0, longest));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return "'" + text + (word.size() > longest ? "...'" : "'");
}

}  // namespace ravel::examples
