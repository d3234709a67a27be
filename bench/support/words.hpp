#pragma once

/// Counts the words of each line by direct calls of primitives.

#include "support/random.hpp"

#include <ravel/core/monoid.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

namespace ravel::bench {

/// Letters, one in six of them a blank, and one in sixty the end of a line.
struct random_text {
  RAVEL_HD char operator()(index_t i) const {
    index_t const k = random_below(9, i, 60);
    return k == 0 ? '\n' : k <= 10 ? ' ' : static_cast<char>('a' + k % 26);
  }
};

struct ends_line {
  char const* text;
  RAVEL_HD bool operator()(index_t i) const { return text[i] == '\n'; }
};
/// The next line begins after it.
struct write_next_begin {
  index_t* begins;
  RAVEL_HD void operator()(index_t i, index_t place) const { begins[place + 1] = i + 1; }
};
struct write_count {
  index_t* to;
  RAVEL_HD void operator()(index_t n) const { *to = n; }
};
struct begins_word {
  char const* text;
  RAVEL_HD static bool is_letter(char c) { return (c != ' ') & (c != '\n'); }
  RAVEL_HD index_t operator()(index_t i) const {
    bool const follows_letter = i > 0 && is_letter(text[i - 1]);
    return follows_letter < is_letter(text[i]) ? 1 : 0;  // branchless, as in the nested program
  }
};
struct no_words {
  RAVEL_HD index_t operator()() const { return 0; }
};
struct write_words {
  index_t* to;
  RAVEL_HD void operator()(index_t line, index_t words) const { to[line] = words; }
};

/// Writes the number of words of each line of text[0, n), and returns the number of lines; the last
/// line may be incomplete.  `begins` has room for one number more than there are lines.
template <executor Ex>
index_t count_words(Ex const& ex, index_t n, char const* text, index_t* begins, index_t* words) {
  auto const ends = ex.template scratch<index_t>(1);
  pack_on(ex, n, ends_line{text}, write_next_begin{begins}, write_count{ends.data()});
  index_t const lines = at_sync(ex, ends) + 1;
  index_t const outer[2] = {0, n};
  ex.copy(outer, begins, 1);
  ex.copy(outer + 1, begins + lines, 1);
  view<index_t const, space_of_t<Ex>> const offsets{begins, lines + 1};
  segmented_reduce_on(ex, n, begins_word{text}, by_offsets(offsets), plus<index_t>{}, no_words{},
                      write_words{words});
  return lines;
}

}  // namespace ravel::bench
