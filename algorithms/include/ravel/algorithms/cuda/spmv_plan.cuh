#pragma once

/// @file
/// What products on a device can know beforehand of the rows of a matrix: how warps share them.

#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/cuda/cut_segments.cuh>
#include <ravel/primitives/cuda/reduce_policy.hpp>
#include <ravel/primitives/cuda/run_cuts.cuh>
#include <ravel/primitives/reduce.hpp>

namespace ravel::inline v0::cuda {
namespace detail {

template <class S>
struct length_of_segment {
  S segments;
  RAVEL_HD index_t operator()(index_t s) const { return segments.begin(s + 1) - segments.begin(s); }
};

/// Runs for as many warps as values of up to 8 bytes leave room for, and the longest row.
class cut_rows {
  run_cuts cuts_;
  buffer<index_t> starts_;
  index_t longest_;

 public:
  template <class S>
  cut_rows(executor const& ex, index_t n, S const& segments) {
    using policy = reduce_policy<8>;
    cuts_ = cuts_for(n + segments.count(), policy::items * warp_size,
                     ex.multiprocessors() * policy::blocks * policy::warps, policy::runs_each,
                     policy::most_chunks);
    starts_ = ex.allocate<index_t>(cuts_.runs + 1);
    if (segments.count() > 0) find_starts(ex, segments, cuts_, starts_.data());
    cuts_.starts = starts_.data();
    auto const longest = ex.scratch<index_t>(1);
    reduce_on(ex, segments.count(), length_of_segment<S>{segments}, maximum<index_t>{},
              ravel::detail::seed_value<index_t>{0},
              ravel::detail::store_total<index_t>{longest.data()});
    longest_ = at_sync(ex, longest);
  }
  template <class S>
  cut_segments<S> of(S segments) const {
    return {segments, cuts_, longest_};
  }
};

}  // namespace detail

/// As ravel::detail::look_at_rows.
template <class S>
detail::cut_rows look_at_rows(executor const& ex, index_t n, S const& segments) {
  return {ex, n, segments};
}

}  // namespace ravel::inline v0::cuda
