#pragma once

/// Segmented reduce on a device: the table of forms.  A host compiler can read it; the kernels are
/// in cuda/segmented_reduce*.cuh, cuda/rows_by_warps.cuh, cuda/short_segments.cuh and
/// cuda/cut_segments.cuh.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/reduce_policy.hpp>
#include <ravel/primitives/cuda/reduce_types.hpp>
#include <ravel/primitives/segmented_reduce/call.hpp>
#include <ravel/primitives/segmented_reduce/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

template <class Call>
inline constexpr need has_small_values{reduced_in_runs<typename Call::value_type>,
                                       "trivially copyable values of at most 16 bytes"};
template <class Call>
constexpr need locates_for_lanes() {
  using load = std::remove_const_t<decltype(Call::load)>;
  bool holds = false;
  if constexpr (locates_segments<load>) {
    using located = std::remove_cvref_t<decltype(std::declval<load const&>().of_segment(0))>;
    holds = std::is_trivially_copyable_v<located> && std::is_default_constructible_v<located>;
  }
  return {
      holds,
      "a load that finds the elements of a segment of one length at once, as a trivially copyable "
      "value with a default constructor"};
}
template <class Call>
inline constexpr need has_cuts{are_cut<std::remove_const_t<decltype(Call::segments)>>,
                               "segments that a plan has cut"};

}  // namespace detail

struct reduce_no_segments {
  static constexpr auto name = "no_segments";
  static constexpr auto why = "There is nothing to be visited.";
  template <class Call>
  static constexpr auto types = needs(ravel::detail::has_numbers<Call>);
  static auto now(auto const& c, device const&) {
    return needs(need{c.segments.count() == 0, "no segments"});
  }
  static void run(auto const&, auto const&) {}
};

struct reduce_short_of_plan : launched_form<reduce_short_of_plan> {
  static constexpr auto name = "short_of_plan";
  static constexpr auto why =
      "A thread for each segment: all are short, so that no lane waits long for another.";
  template <class Call>
  static constexpr auto types = needs(detail::has_cuts<Call>);
  template <class Call>
  static auto now(Call const& c, device const&) {
    return needs(
        need{c.segments.longest <= short_segment_policy::most(sizeof(typename Call::value_type)),
             "segments of at most 8 elements, and 40 bytes of values"});
  }
};

struct reduce_segments_in_rings : launched_form<reduce_segments_in_rings> {
  static constexpr auto name = "rings";
  static constexpr auto why =
      "Elements and ends of segments, in merged order, in tiles that are copied in bulk into rings "
      "of stages: at the speed of reading, whatever the lengths.";
  template <class Call>
  static constexpr auto types = [] {
    using T = typename Call::value_type;
    return needs(
        need{detail::can_flow_of<std::remove_const_t<decltype(Call::load)>, T, T> && sizeof(T) >= 4,
             "a load of elements of memory, of trivially copyable values of 4 or 8 bytes"},
        need{detail::can_copy_ends<std::remove_const_t<decltype(Call::segments)>>,
             "segments by offsets of 4 or 8 bytes, or of one length"});
  }();
  template <class Call>
  static auto now(Call const& c, device const& d) {
    index_t const sum = c.n + c.segments.count();
    return needs(
        need{sum * static_cast<index_t>(sizeof(typename Call::value_type)) >= d.sizes.reduced_bytes,
             "as many bytes of elements and segments as tuning::reduced_bytes"},
        detail::ends_aligned(c.load.elements(), detail::address_of_ends(c.segments)),
        detail::streams_tiles(d));
  }
};

struct reduce_rows_by_warps : launched_form<reduce_rows_by_warps> {
  static constexpr auto name = "rows_by_warps";
  static constexpr auto why =
      "A warp for some segments, each found once instead of once for each element: a quarter of "
      "the time of runs for sums of products of 512 elements.";
  template <class Call>
  static constexpr auto types = needs(detail::locates_for_lanes<Call>(),
                                      ravel::detail::has_numbers<Call>,
                                      detail::has_small_values<Call>);
  static auto now(auto const& c, device const& d) {
    using policy = rows_by_warps_policy;
    return needs(need{c.load.length >= policy::least_length, "segments of at least 16 elements"},
                 need{c.segments.count() >= policy::rows * policy::warps_each * d.multiprocessors,
                      "64 segments for each multiprocessor"});
  }
};

struct reduce_short_segments : launched_form<reduce_short_segments> {
  static constexpr auto name = "short_segments";
  static constexpr auto why =
      "A lane for each segment, without a search and without shared memory; longer ones by warps.";
  template <class Call>
  static constexpr auto types = needs(ravel::detail::has_numbers<Call>,
                                      detail::has_small_values<Call>);
  template <class Call>
  static auto now(Call const& c, device const&) {
    constexpr index_t limit = std::numeric_limits<int>::max() / 2;  // positions fit in 4 bytes
    index_t const count = c.segments.count();
    return needs(need{c.n <= short_segment_policy::most(sizeof(typename Call::value_type)) * count,
                      "segments of at most 8 elements, and 40 bytes of values, on average"},
                 need{c.n <= limit && count <= limit, "at most 2^30 elements and segments"});
  }
};

struct reduce_runs_of_plan : launched_form<reduce_runs_of_plan> {
  static constexpr auto name = "runs_of_plan";
  static constexpr auto why = "As runs, without the search for where they begin.";
  template <class Call>
  static constexpr auto types = needs(detail::has_cuts<Call>, detail::has_small_values<Call>);
  template <class Call>
  static auto now(Call const& c, device const&) {
    constexpr int chunk = 32 * reduce_policy<sizeof(typename Call::value_type)>::items;
    return needs(
        need{c.segments.cuts.chunk == chunk, "runs that were cut for values of this size"});
  }
};

struct reduce_segments_in_runs : launched_form<reduce_segments_in_runs> {
  static constexpr auto name = "runs";
  static constexpr auto why =
      "Elements and ends of segments, in merged order, in a run for each warp, whose lanes load "
      "each element once.";
  template <class Call>
  static constexpr auto types = needs(ravel::detail::has_numbers<Call>,
                                      detail::has_small_values<Call>);
};

}  // namespace gpu

template <>
struct form_table<segmented_reduce_family, gpu::device>
    : forms<gpu::reduce_no_segments, gpu::reduce_short_of_plan, gpu::reduce_segments_in_rings,
            gpu::reduce_rows_by_warps, gpu::reduce_short_segments, gpu::reduce_runs_of_plan,
            gpu::reduce_segments_in_runs, segmented_reduce_by_steps> {};

}  // namespace ravel::inline v0
