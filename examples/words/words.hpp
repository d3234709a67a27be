#pragma once

/// The frequency of each word of a text.

#include <ravel/core/view.hpp>

#include <vector>

namespace ravel::examples {

/// The distinct words of a text, the most frequent first, and equally frequent ones
/// in byte order.
struct word_counts {
  std::vector<index_t> begins, ends;  // the first occurrence of each word in the text
  std::vector<index_t> counts;
  index_t words;   // in the text
  double seconds;  // from the text to the counts: the median of the repeats
};

/// A word is a run of bytes that are not white space: space, tab, newline, vertical tab, form
/// feed, carriage return.
///
/// Cost     That of sorting the words (algorithms/string_sort.hpp).
template <class Backend>
word_counts count_words(view<char const> text, int threads, int repeats);

}  // namespace ravel::examples
