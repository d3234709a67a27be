#pragma once

/// Segmented split on a device: the table of forms.  A host compiler can read it;
/// cuda/segmented_split.cuh implements the form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/segmented_split/call.hpp>
#include <ravel/primitives/segmented_split/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct segmented_split_by_votes : launched_form<segmented_split_by_votes> {
  static constexpr auto name = "by_votes";
  static constexpr auto why = "One pass, which loads each element once.";
  template <class Call>
  static constexpr auto types = needs(need{Call::ways <= 4, "at most 4 parts"});
  static auto now(auto const& c, device const&) {
    return needs(need{0 < c.n && c.n < index_t{1} << 31, "1 to 2^31 - 1 elements"});
  }
};

}  // namespace gpu

template <>
struct form_table<segmented_split_family, gpu::device>
    : forms<gpu::segmented_split_by_votes, segmented_split_by_steps> {};

}  // namespace ravel::inline v0
