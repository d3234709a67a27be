#pragma once

/// @file
/// Segments that were looked at before they are reduced, for many reductions of them: sparse
/// products with a plan.
///
/// Where the runs of warps begin is known, and so is the longest segment: where all are short,
/// a thread has each.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cuda/reduce_policy.hpp>
#include <ravel/primitives/cuda/run_cuts.cuh>
#include <ravel/primitives/cuda/segmented_reduce.cuh>
#include <ravel/primitives/cuda/segmented_reduce_computed.cuh>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// Segments that have been cut before, and of which the longest is known.
template <class S>
struct cut_segments : S {
  run_cuts cuts;
  index_t longest;
};

/// A thread for each segment.
template <class Load, class Segments, class M, class Seed, class Visit>
struct reduce_short_segment {
  Load load;
  Segments segments;
  M m;
  Seed seed;
  Visit visit;
  __device__ void operator()(index_t s) const {
    using T = carrier_t<M>;
    T sum = T(seed());
    index_t const end = segments.begin(s + 1);
    for (index_t i = segments.begin(s); i < end; ++i) {
      if constexpr (requires { load.in_turn(i); }) {
        sum = m(sum, T(load.in_turn(i)));
      } else {
        sum = m(sum, T(load(i)));
      }
    }
    visit(s, sum);
  }
};

}  // namespace detail

/// As ravel::detail::reduce_numbered_on, of segments that have been cut: a thread for each if all
/// are short, for then no lane of a warp waits long for another; as without a plan if they are on
/// average; otherwise by the runs that are known, if they were cut for chunks of this length.
template <class Load, class S, class M, class Seed, class Visit>
void reduce_numbered_on(executor const& ex, index_t n, Load load, detail::cut_segments<S> segments,
                        M m, Seed seed, Visit visit) {
  using T = carrier_t<M>;
  S const whole = segments;
  if (segments.longest <= reduce_policy<sizeof(T)>::short_segment) {
    return for_each_index(
        ex, segments.count(),
        detail::reduce_short_segment<Load, S, M, Seed, Visit>{load, whole, m, seed, visit});
  }
  if (detail::reduce_where_short(ex, n, load, whole, m, seed, visit)) return;
  if constexpr (detail::reduced_in_runs<T>) {
    using runs = detail::reduce_runs<Load, S, M, Seed, Visit>;
    if (segments.cuts.chunk == runs::chunk && segments.count() > 0) {
      detail::leave_room<runs>(ex);
      return detail::launch_runs<runs>(ex, n, load, whole, m, seed, visit, segments.cuts);
    }
  }
  reduce_numbered_on(ex, n, load, whole, m, seed, visit);
}

}  // namespace ravel::inline v0::gpu
