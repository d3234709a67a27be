#pragma once

/// @file
/// Binary search that kernels may call.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>

namespace ravel::inline v0 {

/// x < y, for values that kernels may compare.
struct less {
  template <class T, class U>
  RAVEL_HD constexpr bool operator()(T const& x, U const& y) const {
    return x < y;
  }
};

/// The first index in [first, last) for which `before(i)` is false, given that
/// it is true up to some point and false from there on; `last` if it never is.
template <class Before>
RAVEL_HD constexpr index_t partition_point(index_t first, index_t last, Before before) {
  while (first < last) {
    index_t const middle = first + (last - first) / 2;
    if (before(middle)) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

namespace detail {

/// Whether the i-th of ascending values is not beyond `bound`.
template <class T>
struct at_most {
  T const* values;
  index_t bound;
  RAVEL_HD constexpr bool operator()(index_t i) const {
    return static_cast<index_t>(values[i]) <= bound;
  }
};

}  // namespace detail
}  // namespace ravel::inline v0
