#pragma once

/// The plan of a product on a device: how the rows of a matrix are cut into equal runs for warps,
/// computed once for many products.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/cuda/cut_segments.cuh>
#include <ravel/primitives/cuda/reduce_policy.hpp>
#include <ravel/primitives/cuda/run_cuts.cuh>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/verify.hpp>

#include <limits>

namespace ravel::inline v0::gpu {
namespace detail {

/// The length of a segment.  If its offsets descend or are out of [0, n], a value that exceeds any
/// valid length.
template <class S>
struct length_of_segment {
  static constexpr index_t malformed = std::numeric_limits<index_t>::max();
  S segments;
  index_t n;
  RAVEL_HD index_t operator()(index_t s) const {
    index_t const begin = segments.begin(s), end = segments.begin(s + 1);
    bool const at_ends = (s > 0 || begin == 0) && (s + 1 < segments.count() || end == n);
    return at_ends && 0 <= begin && begin <= end && end <= n ? end - begin : malformed;
  }
};

/// The plan: cuts of rows into runs, for as many warps as are resident with values of up to 8
/// bytes, and the length of the longest row.
class cut_rows {
  run_cuts cuts_;
  buffer<index_t> starts_;
  index_t longest_;

 public:
  template <class S>
  cut_rows(executor const& ex, index_t n, S const& segments) {
    using policy = reduce_policy<8>;
    using length = length_of_segment<S>;
    auto const longest = ex.scratch<index_t>(1);
    auto const as_given = ravel::detail::within(segments, ravel::detail::any_elements);
    reduce_on(ex, segments.count(), length{as_given, n}, maximum<index_t>{},
              ravel::detail::seed_value<index_t>{0},
              ravel::detail::store_total<index_t>{longest.data()});
    longest_ = at_sync(ex, longest);
    if (longest_ == length::malformed) {
      ravel::detail::verify_segments(checked(ex), "spmv_plan", segments, n);
      expects(false, "spmv_plan: the offsets do not ascend from 0 to ", n);
    }
    cuts_ = cuts_for(n + segments.count(), policy::items * warp_size,
                     ex.multiprocessors() * policy::blocks * policy::warps, policy::runs_each,
                     policy::most_chunks);
    starts_ = ex.allocate<index_t>(cuts_.runs + 1);
    if (segments.count() > 0) find_starts(ex, segments, cuts_, starts_.data());
    cuts_.starts = starts_.data();
  }
  template <class S>
  cut_segments<S> of(S segments) const {
    return {segments, cuts_, longest_};
  }
};

}  // namespace detail

/// Overload of ravel::detail::analyse_rows for a device.
template <class S>
detail::cut_rows analyse_rows(executor const& ex, index_t n, S const& segments) {
  return {ex, n, segments};
}

}  // namespace ravel::inline v0::gpu
