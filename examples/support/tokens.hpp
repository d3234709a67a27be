#pragma once

/// @file
/// Words of a line of text, and conversion to numbers.

#include <ravel/core/view.hpp>

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
inline view<char const> without_byte_order_mark(view<char const> text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  auto const length = static_cast<index_t>(mark.size());
  if (text.size() < length || std::string_view(text.data(), mark.size()) != mark) return text;
  return text.slice(length, text.size() - length);
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
