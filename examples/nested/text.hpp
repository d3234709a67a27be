#pragma once

/// Splits any number of texts into lines and words.

#include <ravel/flatten/flatten.hpp>

namespace ravel::examples {

/// The parts of the text between separators, as slices.
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

/// A letter that follows no letter.
struct begins_word {
  RAVEL_HD static bool is_letter(char c) { return (c != ' ') & (c != '\n'); }
  RAVEL_HD bool operator()(char before, char c) const {
    return is_letter(before) < is_letter(c);  // branchless, as letters are hard to predict
  }
};
/// Counts words where they begin, without slicing them.
inline constexpr auto words_per_line = [](auto text) {
  auto const before =
      each(indices(text), [&](auto i) { return select(i > 0, at(text, i - 1), ' '); });
  auto const begin_words = lift(begins_word{})(before, text);
  auto const next_lines = pack(indices(text) + 1, text == '\n');
  auto const begins = append(list(len(text) * 0), next_lines);
  auto const ends = append(next_lines, list(len(text)));
  return each(unflatten(begin_words, ends - begins), [](auto line) { return count(line); });
};

/// The places where `word` occurs: candidates are eliminated letter by letter.
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
