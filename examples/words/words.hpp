#pragma once

/// @file
/// How often each word of a text occurs.

#include <ravel/core/view.hpp>

#include <vector>

namespace ravel::examples {

/// The words of a text, each once, the most frequent first, and of equally frequent ones the
/// first by its bytes.
struct word_counts {
  std::vector<index_t> begins, ends;  // where a word stands in the text, for the first time
  std::vector<index_t> counts;
  index_t words;   // of the text
  double seconds;  // from the text to the counts: the median of the repeats
};

/// A word is a run of bytes that are no white space: space, tab, newline, vertical tab, form
/// feed, carriage return.
///
/// Cost     That of sorting the words (algorithms/string_sort.hpp).
template <class Backend>
word_counts count_words(view<char const> text, int threads, int repeats);

}  // namespace ravel::examples
