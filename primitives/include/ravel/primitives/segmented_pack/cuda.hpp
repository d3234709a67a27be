#pragma once

/// Segmented pack on a device: the table of forms.  A host compiler can read it;
/// cuda/segmented_pack.cuh implements the form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/segmented_pack/call.hpp>
#include <ravel/primitives/segmented_pack/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct segmented_pack_by_votes : launched_form<segmented_pack_by_votes> {
  static constexpr auto name = "by_votes";
  static constexpr auto why =
      "One pass: the vote of a warp says where each of 32 elements goes, and is kept for the "
      "begins of segments, so that each keep is evaluated once.";
  static auto now(auto const& c, device const&) {
    return needs(need{0 < c.n && c.n < index_t{1} << 31, "1 to 2^31 - 1 elements"});
  }
};

}  // namespace gpu

template <>
struct form_table<segmented_pack_family, gpu::device>
    : forms<gpu::segmented_pack_by_votes, segmented_pack_by_steps> {};

}  // namespace ravel::inline v0
