#pragma once

/// Split within segments on a device: the table of forms.  A host compiler can read it;
/// cuda/split_within.cuh implements the form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/split_within/call.hpp>
#include <ravel/primitives/split_within/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct split_within_by_warps : launched_form<split_within_by_warps> {
  static constexpr auto name = "by_warps";
  static constexpr auto why = "A warp for each short segment, and tiles of long ones.";
  template <class Call>
  static constexpr auto types = [] {
    using T = typename Call::value_type;
    return needs(need{Call::ways <= 32, "at most 32 digits"},
                 need{std::is_trivially_copyable_v<T> && sizeof(T) <= 16,
                      "trivially copyable elements of at most 16 bytes"});
  }();
};

}  // namespace gpu

template <>
struct form_table<split_within_family, gpu::device>
    : forms<gpu::split_within_by_warps, split_within_by_steps> {};

}  // namespace ravel::inline v0
