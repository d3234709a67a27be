#pragma once

/// @file
/// Sorts the lines of a text on a backend, and measures the time.

#include "sorting.hpp"

namespace ravel::examples {

/// A line ends at its newline, or where the text does.
struct sorted_lines {
  std::vector<index_t> begins, ends;  // of the lines, in text order
  std::vector<index_t> order;         // the stable permutation that sorts them by bytes
  double seconds;                     // of the sort alone: the median of the repeats
};
template <class Backend>
sorted_lines sort_lines(view<char const> text, sort_job const& job);

}  // namespace ravel::examples
