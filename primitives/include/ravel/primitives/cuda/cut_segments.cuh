#pragma once

/// Segmented reductions with a precomputed partition, for many calls over the same segments: sparse
/// products with a plan.
///
/// The begin of each warp's run and the length of the longest segment are known.  If all segments
/// are short, each thread reduces one.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/primitives/cuda/reduce_types.hpp>
#include <ravel/primitives/cuda/segmented_reduce_computed.cuh>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/segmented_reduce/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

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
      sum = m(sum, T(load_in_turn(load, i)));
    }
    visit(s, sum);
  }
};

}  // namespace detail

template <class Call>
void launch_form(reduce_short_of_plan, executor const& ex, Call const& c) {
  auto const segments = detail::without_cuts(c.segments);
  for_each_index(
      ex, segments.count(),
      detail::reduce_short_segment<
          std::remove_const_t<decltype(c.load)>, std::remove_const_t<decltype(segments)>,
          std::remove_const_t<decltype(c.m)>, std::remove_const_t<decltype(c.seed)>,
          std::remove_const_t<decltype(c.visit)>>{c.load, segments, c.m, c.seed, c.visit});
}
template <class Call>
void launch_form(reduce_runs_of_plan, executor const& ex, Call const& c) {
  using runs = detail::runs_of_call<Call>;
  detail::leave_room<runs>(ex);
  detail::launch_runs<runs>(ex, c.n, c.load, detail::without_cuts(c.segments), c.m, c.seed, c.visit,
                            c.segments.cuts);
}

}  // namespace ravel::inline v0::gpu
