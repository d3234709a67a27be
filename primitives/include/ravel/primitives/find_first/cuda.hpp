#pragma once

/// Find first on a device: the table of forms.  A host compiler can read it; cuda/find_first.cuh
/// implements the form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/find_first/call.hpp>
#include <ravel/primitives/find_first/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

/// The tiles of a search: what a warp reads before it tests whether another warp has found a match.
struct find_first_policy {
  static constexpr int threads = 256;
  static constexpr int rounds =
      16;  // elements of a lane in a tile, whose loads are in flight together
  static constexpr index_t width = index_t{threads} * rounds;
};

struct find_first_in_tiles : launched_form<find_first_in_tiles> {
  static constexpr auto name = "tiles_in_order";
  static constexpr auto why =
      "Warps take tiles in order, and end at the first that begins after the least match so far: "
      "of 2^28 integers, 1.1 GB, on an H100, 19 us to a match at 1 %, 220 to one at half, and 392 "
      "where there is none, as long as a reduction.";
  static auto now(auto const& c, device const&) {
    return needs(need{c.n > find_first_policy::width, "more than 4096 elements"});
  }
};

}  // namespace gpu

template <>
struct form_table<find_first_family, gpu::device>
    : forms<gpu::find_first_in_tiles, find_first_by_steps> {};

}  // namespace ravel::inline v0
