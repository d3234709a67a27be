#pragma once

/// @file
/// Sorting the lines of a text on a backend, and the time it takes.

#include "sorting.hpp"

namespace ravel::examples {

/// A line ends at its newline, or where the text does.
struct sorted_lines {
  std::vector<index_t> begins, ends;  // of the lines as they stand in the text
  std::vector<index_t> order;         // the stable permutation that sorts them by their bytes
  double seconds;                     // of sorting alone: the median of the repeats
};
template <class Backend>
sorted_lines sort_lines(view<char const> text, sort_job const& job);

}  // namespace ravel::examples
