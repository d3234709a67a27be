#pragma once

/// A sparse matrix times a vector on a device: the table of forms.  A host compiler can read it;
/// cuda/spmv_blocks.cuh implements the form.

#include <ravel/algorithms/blocked_matrix.hpp>
#include <ravel/algorithms/spmv/call.hpp>
#include <ravel/algorithms/spmv/steps.hpp>
#include <ravel/core/cuda/device.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct spmv_by_tables : launched_form<spmv_by_tables> {
  static constexpr auto name = "by_tables";
  static constexpr auto why =
      "x is read once, slice by slice, and each block of rows gets its distinct elements of x in a "
      "table (spmv_blocks).";
  template <class Call>
  static constexpr auto types = needs(need{
      ravel::detail::blocks_add<decltype(Call::a), carrier_t<decltype(Call::add)>>,
      "a matrix with its columns in blocks, and sums no wider than elements of x"});
  static auto now(auto const& c, device const&) {
    return needs(need{c.a.blocks.are_cut(), "columns that were worth cutting"});
  }
};

}  // namespace gpu

template <>
struct form_table<spmv_family, gpu::device> : forms<gpu::spmv_by_tables, spmv_by_steps> {};

}  // namespace ravel::inline v0
