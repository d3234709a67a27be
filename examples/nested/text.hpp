#pragma once

/// @file
/// Text cut into lines and words, of any number of texts at once.

#include <ravel/flatten/flatten.hpp>

namespace ravel::examples {

/// What lies between the separators, slices of the text.
inline constexpr auto split_at = [](auto text, auto is_separator) {
  auto const cuts = pack(indices(text), each(text, is_separator));
  auto const begins = append(list(len(text) * 0), cuts + index_t{1});
  auto const ends = append(cuts, list(len(text)));
  return each(begins, ends, [&](auto begin, auto end) { return slice(text, begin, end); });
};

inline constexpr auto lines = [](auto text) {
  return split_at(text, [](auto c) { return c == '\n'; });
};
inline constexpr auto words = [](auto text) {
  return filter(split_at(text, [](auto c) { return c == ' '; }),
                [](auto word) { return len(word) > 0; });
};
inline constexpr auto line_lengths = [](auto text) {
  return each(lines(text), [](auto line) { return len(line); });
};
inline constexpr auto words_per_line = [](auto text) {
  return each(lines(text), [](auto line) { return len(words(line)); });
};

/// Where `word` occurs: candidates are dropped letter by letter.
inline constexpr auto string_search = [](auto word, auto text) {
  auto const done = while_(
      [&](auto, auto i) { return i < len(word); },
      [&](auto candidates, auto i) {
        auto const letter = at(word, i);
        return tup(filter(candidates, [&](auto c) { return at(text, c + i) == letter; }), i + 1);
      },
      tup(iota(len(text) - len(word) + 1), len(word) * 0));
  return get<0>(done);
};

}  // namespace ravel::examples
