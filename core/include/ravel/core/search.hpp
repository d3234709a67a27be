#pragma once

/// Binary search that kernels can call.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

/// x < y, for values that kernels can compare.
struct less {
  RAVEL_MAY_CALL_HOST
  template <class T, class U>
  RAVEL_HD constexpr bool operator()(T const& x, U const& y) const {
    static_assert(
        requires { x < y; }, "this call compares by <, which the elements lack: give it an order");
    return x < y;
  }
};

/// The first index in [first, last) for which `before(i)` is false, given that
/// it is true up to some point and false from there on; `last` if it never is.
///
///     partition_point(0, 6, [&](index_t i) { return sorted[i] < x; })      the lower bound of x
///
/// Cost     O(log (last - first)) dependent steps.
RAVEL_MAY_CALL_HOST
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

/// The same with fifteen probes per step, whose loads overlap: if the values are in no cache, it
/// takes a third of the time.
///
/// Cost     O(log (last - first)) steps of fifteen probes: a quarter of the dependent steps, and
///          four times as many probes.
template <class Before>
[[gnu::noinline]] constexpr index_t partition_point_at_once(index_t first, index_t last,
                                                            Before before) {
  constexpr index_t parts = 16;
  while (last - first >= 2 * parts) {
    index_t const part = (last - first) / parts;
    index_t ahead = 0;  // parts whose last probe is before the point
    RAVEL_ROLLED
    for (index_t k = 1; k < parts; ++k) ahead += before(first + k * part) ? 1 : 0;
    if (ahead + 1 < parts) last = first + (ahead + 1) * part;
    if (ahead > 0) first += ahead * part + 1;
  }
  return partition_point(first, last, before);
}

namespace detail {

/// Whether the i-th of ascending values is at most `bound`.
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
