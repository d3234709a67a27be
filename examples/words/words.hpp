#pragma once

/// @file
/// Sorting words by their bytes, eight of them at a time.

#include <ravel/core/view.hpp>

#include <cstdint>
#include <vector>

namespace ravel::examples {

/// A text, and where its words begin: word i is [begin[i], begin[i + 1] - 1), the
/// byte behind it being its newline.
struct word_list {
  view<char const> text;
  std::vector<index_t> begin;

  index_t size() const { return std::ssize(begin) - 1; }
};

/// The lines of `text`, the last one with or without a newline.
word_list lines_of(view<char const> text);

struct sorted_words {
  std::vector<std::int32_t> order;  // the words' numbers, in the order of the words
  double seconds;                   // the median of the repeats
};

/// The words in the order of their bytes; equal words stay in their order.
///
/// A radix sort takes the last eight bytes of the longest word first, then the
/// eight ahead of them, to the first eight: each sort is stable, so that it settles
/// what it can, and leaves the rest as it was.  A word that has ended counts as
/// zeros, and a sort by length ahead of all tells them from bytes that are zero.
///
/// Shapes   Fewer than 2^31 words.
/// Cost     For words of up to b bytes b radix passes over n numbers, with a
///          random access each.
/// Source   Knuth, The Art of Computer Programming 3, 5.2.5: sorting by several keys.
template <class Backend>
sorted_words sort_words(word_list const& words, int threads, int repeats);

}  // namespace ravel::examples
