#pragma once

/// @file
/// Reduce on a device: its table of forms.  A host compiler can read it; the form is implemented in
/// cuda/reduce.cuh.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/cuda/launched_form.hpp>
#include <ravel/primitives/reduce/call.hpp>
#include <ravel/primitives/reduce/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct reduce_in_stretches : detail::launched_form<reduce_in_stretches> {
  static constexpr auto name = "stretches";
  static constexpr auto why =
      "A block for each of at most 2048 stretches of tiles, and one for their totals: two kernels, "
      "where steps have three from 2^22 elements on.";
  template <class Call>
  static auto now(Call const& c, device const&) {
    return needs(need{c.n > 0, "elements"});
  }
};

}  // namespace gpu

template <>
struct form_table<reduce_family, gpu::device> {
  using type = forms<gpu::reduce_in_stretches, reduce_by_steps>;
};

}  // namespace ravel::inline v0
