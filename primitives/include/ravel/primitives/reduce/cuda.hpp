#pragma once

/// Reduce on a device: the table of forms.  A host compiler can read it; cuda/reduce.cuh implements
/// the forms.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/reduce/call.hpp>
#include <ravel/primitives/reduce/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

template <class Load>
inline constexpr bool reduced_in_vectors = [] {
  if constexpr (load_of_elements<Load>) {
    using In = element_of_load<Load>;
    return std::is_trivially_copyable_v<In> && (sizeof(In) & (sizeof(In) - 1)) == 0 &&
           sizeof(In) <= 8;
  } else {
    return false;
  }
}();

}  // namespace detail

/// The elements that a warp loads together: 8 rows, of 16 bytes for each lane.
struct reduce_vectors_policy {
  static constexpr int rows = 8;
};

struct reduce_in_vectors : launched_form<reduce_in_vectors> {
  static constexpr auto name = "vectors";
  static constexpr auto why =
      "Each lane reads 16 bytes, and 8 of these before it combines them, so that more loads are in "
      "flight: on an H200 2^28 integers take 5 % less than by shares, and 2^22 doubles 10 % less.";
  template <class Call>
  static constexpr auto types = needs(need{
      detail::reduced_in_vectors<std::remove_const_t<decltype(Call::load)>>,
      "a load of elements of memory, of 1, 2, 4 or 8 bytes"});
  static auto now(auto const& c, device const& d) {
    using In = detail::element_of_load<std::remove_const_t<decltype(c.load)>>;
    return needs(need{c.n * static_cast<index_t>(sizeof(In)) >= d.sizes.reduced_bytes,
                      "as many bytes of elements as tuning::reduced_bytes"},
                 detail::ends_aligned(c.load.elements()));
  }
};

struct reduce_by_shares : launched_form<reduce_by_shares> {
  static constexpr auto name = "shares";
  static constexpr auto why =
      "A block for each of at most 2048 shares of tiles, and one for their totals: two kernels, "
      "where steps have three from 2^22 elements on.";
};

}  // namespace gpu

template <>
struct form_table<reduce_family, gpu::device>
    : forms<gpu::reduce_in_vectors, gpu::reduce_by_shares> {};

}  // namespace ravel::inline v0
