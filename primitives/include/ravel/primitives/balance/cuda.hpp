#pragma once

/// Load balancing on a device: the table of forms.  A host compiler can read it; cuda/balance.cuh
/// implements the form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/balance/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct balance_by_marks : launched_form<balance_by_marks> {
  static constexpr auto name = "by_marks";
  static constexpr auto why = "A search for each run of elements, and marks where segments begin.";
};

}  // namespace gpu

template <>
struct form_table<balance_family, gpu::device> : forms<balance_by_heads, gpu::balance_by_marks> {};

}  // namespace ravel::inline v0
