#pragma once

/// Segmented apply on a device: the table of forms.  A host compiler can read it;
/// cuda/segmented_apply.cuh implements the form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/primitives/segmented_apply/call.hpp>
#include <ravel/primitives/segmented_apply/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct apply_in_shared_memory : launched_form<apply_in_shared_memory> {
  static constexpr auto name = "in_shared_memory";
  static constexpr auto why = "Segments that fit are copied to shared memory, and f runs there.";
  template <class Call>
  static constexpr auto types = [] {
    using T = typename Call::value_type;
    return needs(need{std::is_trivially_copyable_v<T> && sizeof(T) <= 64,
                      "trivially copyable elements of at most 64 bytes"});
  }();
};

}  // namespace gpu

template <>
struct form_table<segmented_apply_family, gpu::device>
    : forms<gpu::apply_in_shared_memory, segmented_apply_by_steps> {};

}  // namespace ravel::inline v0
