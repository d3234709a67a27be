#pragma once

/// @file
/// Sorting numbers on a backend, and the time it takes.

#include <ravel/core/view.hpp>

#include <vector>

namespace ravel::examples {

struct sort_job {
  bool downward = false;
  bool permutation = false;  // wanted instead of the numbers
  int threads = 0;
  int repeats = 1;
};

/// What a sort gave: the numbers, or the permutation.
template <class T>
struct sorted {
  std::vector<T> numbers;
  std::vector<index_t> order;
  double seconds;  // of sorting alone, in the backend's memory: the median of the repeats
};

/// Sorts numbers of type std::uint32_t, std::uint64_t, std::int32_t,
/// std::int64_t, float or double.
template <class Backend, class T>
sorted<T> sort_numbers(view<T const> in, sort_job const& job);

}  // namespace ravel::examples
