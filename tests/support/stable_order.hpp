#pragma once

/// Stable orders as references for sorts: one instance of std::stable_sort for all types and orders.

#include <ravel/core/function_ref.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace ravel::testing {

/// The permutation that sorts [0, n) stably.
inline std::vector<index_t> stable_order(std::size_t n,
                                         detail::function_ref<bool(index_t, index_t)> less) {
  std::vector<index_t> order(n);
  std::iota(order.begin(), order.end(), index_t{0});
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}

/// The same, by the elements of a vector.
template <class T, class Less>
std::vector<index_t> stable_order_of(std::vector<T> const& all, Less const& less) {
  return stable_order(all.size(), [&](index_t i, index_t j) {
    return less(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(j)]);
  });
}

}  // namespace ravel::testing
