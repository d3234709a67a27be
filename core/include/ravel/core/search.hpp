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
///
///     partition_point(0, 6, [&](index_t i) { return sorted[i] < x; })      where x would go
///
/// Cost     O(log (last - first)), each of which waits for the one before.
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

/// The same, asking of fifteen at once, which wait for memory together and not one after the other:
/// where what is asked about is in no cache, that takes a third of the time.
///
/// Cost     O(log (last - first)) rounds of fifteen: a quarter as many to wait for, and four times as
///          many questions.
template <class Before>
constexpr index_t partition_point_at_once(index_t first, index_t last, Before before) {
  constexpr index_t parts = 16;
  while (last - first >= 2 * parts) {
    index_t const part = (last - first) / parts;
    index_t ahead = 0;  // of the ends of the first parts
    for (index_t k = 1; k < parts; ++k) ahead += before(first + k * part) ? 1 : 0;
    if (ahead + 1 < parts) last = first + (ahead + 1) * part;
    if (ahead > 0) first += ahead * part + 1;
  }
  return partition_point(first, last, before);
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
