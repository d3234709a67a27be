#pragma once

/// The places of the least elements of each segment on a device: the table of forms.  A host compiler can
/// read it; cuda/least_by_warps.cuh implements the form.

#include <ravel/algorithms/least_places/call.hpp>
#include <ravel/algorithms/least_places/steps.hpp>
#include <ravel/core/cuda/device.hpp>
#include <ravel/core/radix_key.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct least_places_by_warps : launched_form<least_places_by_warps> {
  static constexpr auto name = "by_warps";
  static constexpr auto why =
      "A warp for each segment, whose lanes hold the least elements so far, in order: few others "
      "are less than the greatest of these.";
  static constexpr index_t most = 32;           // elements of a segment: one for each lane
  static constexpr index_t least_length = 128;  // below, on average, a sort takes less time
  static constexpr index_t warps_each = 8;      // of a multiprocessor: fewer do not occupy it
  template <class Call>
  static constexpr auto types = needs(need{radix_width<typename Call::value_type> <= 64,
                                           "keys of at most 64 bits"},
                                      need{bool{decltype(Call::segments)::numbered},
                                           "segments that have numbers, as those of offsets"});
  static auto now(auto const& c, device const& d) {
    index_t const count = c.segments.count();
    return needs(
        need{c.each <= most, "at most 32 elements of each segment"},
        need{c.n >= least_length * count, "segments of at least 128 elements on average"},
        need{count >= warps_each * d.multiprocessors, "8 segments for each multiprocessor"});
  }
};

}  // namespace gpu

template <>
struct form_table<least_places_family, gpu::device>
    : forms<gpu::least_places_by_warps, least_places_by_segmented_sort> {};

}  // namespace ravel::inline v0
