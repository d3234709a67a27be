#pragma once

/// The places of the least elements of each segment, without a sort where few of many are wanted.

#include <ravel/algorithms/least_places/call.hpp>
#include <ravel/algorithms/least_places/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/least_by_warps.cuh>  // a warp for each segment
#endif

namespace ravel::inline v0 {

/// Writes the places of the `each` least elements load(i) of each segment, in their order, of equal ones the
/// first:
///
///     load       3 1 2 | 4 1 2
///     out        1 2 | 1 2             least_places_on(ex, 6, load, segments, 2, out)
///
/// Shapes   Segments of n elements that have numbers and at least `each` elements; out[segments * each], in
///          the memory of `ex`.  Of shorter segments something is written.
/// Order    As segmented_sort.
/// Cost     That of segmented_sort_pairs, with scratch for n keys and places.  On a device that has 8
///          segments for each multiprocessor, of 128 elements on average, it computes each element once,
///          without scratch, for up to 32 of each.
/// Errors   None.  Issued, not awaited.
/// See also segmented_top_k, for the elements.
template <executor Ex, class Load, class Segments>
void least_places_on(Ex const& ex, index_t n, Load load, Segments segments, index_t each,
                     index_t* out) {
  using T = std::remove_cvref_t<decltype(load(index_t{}))>;
  run_call(detail::own(ex), least_places_call<T, Load, Segments>{n, load, segments, each, out});
}

}  // namespace ravel::inline v0
