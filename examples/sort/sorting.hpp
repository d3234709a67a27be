#pragma once

/// Sorts numbers on a backend, and measures the time.

#include <ravel/core/view.hpp>

#include <cstdint>
#include <vector>

namespace ravel::examples {

enum class sort_algorithm { radix, merge, sample, quick };

/// The wanted result: the numbers, their original places, or pairs of numbers and values.
enum class sort_result { numbers, order, pairs };

struct sort_job {
  sort_algorithm algorithm = sort_algorithm::radix;
  sort_result wanted = sort_result::numbers;
  bool downward = false;
  int threads = 0;
  int repeats = 1;
};

/// The result of a sort.
template <class T>
struct sorted {
  std::vector<T> numbers;            // unless their order is wanted
  std::vector<std::int64_t> values;  // the order, or the values of pairs
  double seconds;  // of the sort alone, in the backend's memory: the median of the repeats
};

/// Sorts numbers of type std::uint32_t, std::uint64_t, std::int32_t,
/// std::int64_t, float or double; `values` are those of pairs.
template <class Backend, class T>
sorted<T> sort_numbers(view<T const> in, view<std::int64_t const> values, sort_job const& job);

}  // namespace ravel::examples
