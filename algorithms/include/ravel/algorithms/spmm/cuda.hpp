#pragma once

/// A sparse matrix times several vectors on a device: the table of forms.  A host compiler can read
/// it; cuda/spmm.cuh implements the form.

#include <ravel/algorithms/spmm/steps.hpp>
#include <ravel/core/cuda/device.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct spmm_in_runs : launched_form<spmm_in_runs> {
  static constexpr auto name = "in_runs";
  static constexpr auto why =
      "Lanes along columns, over runs of equally many entries and row ends; of fewer vectors "
      "segmented reductions of a few columns at a time are faster.";
  template <class Call>
  static constexpr auto types = [] {
    using T = typename Call::value_type;
    return needs(need{
        std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> && sizeof(T) <= 32,
        "sums that are trivially copyable and of at most 32 bytes"});
  }();
  static constexpr auto now(auto const& c, device const&) {
    return needs(need{c.k >= 8, "at least 8 vectors"});
  }
};

}  // namespace gpu

template <>
struct form_table<spmm_family, gpu::device> : forms<gpu::spmm_in_runs, spmm_by_steps> {};

}  // namespace ravel::inline v0
