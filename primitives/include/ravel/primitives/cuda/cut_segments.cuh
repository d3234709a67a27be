#pragma once

/// @file
/// Segments with a precomputed partition, for many reductions over the same segments: sparse
/// products with a plan.
///
/// The beginning of each warp's run is known, and so is the longest segment: if all are short, each
/// thread reduces one.

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

/// Segments with a precomputed partition and known maximum length.
template <class S>
struct cut_segments : S {
  run_cuts cuts;
  index_t longest;
};

/// Reduces one segment per thread.
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

/// ravel::detail::reduce_numbered_on for partitioned segments: one thread per segment if all are
/// short, since then no lane waits long for another; the form without a plan if they are short on
/// average; otherwise the precomputed runs, if they were made for this chunk length.
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
