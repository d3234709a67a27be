#pragma once

/// Merges on a device: the table of forms.  A host compiler can read it; cuda/merge.cuh implements
/// the form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/merge/call.hpp>
#include <ravel/primitives/merge/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

/// The block that merges a tile: threads, and keys of each thread, an odd number, by the bytes of a
/// key. Measured on an H200, uniform keys, microseconds; threads by keys of 4 / 8 bytes:
///
///                           256 x 17 / 11   256 x 19 / 13   256 x 23 / 17   128 x 31 / 15
///     2^28 u32                        665             646             650             648
///     2^27 u64                        625             596             567             609
///     2^27 pairs of u32               681             668             812             618
template <bool Pairs>
struct merge_policy {
  static constexpr int threads = Pairs ? 128 : 256;
  static constexpr int items(std::size_t bytes) {
    if (Pairs) return bytes <= 4 ? 31 : bytes <= 8 ? 15 : bytes <= 16 ? 7 : 3;
    return bytes <= 4 ? 19 : bytes <= 8 ? 17 : bytes <= 16 ? 7 : 3;
  }
};

template <template <bool> class Policy>
struct merge_by_blocks_of : launched_form<merge_by_blocks_of<Policy>> {
  static constexpr auto name = "by_blocks";
  static constexpr auto why =
      "A block loads its tile of the result to shared memory, where each thread merges a few keys, "
      "and all writes are coalesced: keys are moved once, and values by their places.";
  template <class Call>
  static constexpr auto types = [] {
    using A = std::remove_cvref_t<decltype(*Call::a.data())>;
    using B = std::remove_cvref_t<decltype(*Call::b.data())>;
    return needs(need{std::same_as<A, B> && std::is_trivial_v<A> && sizeof(A) <= 32,
                      "keys of one trivial type of up to 32 bytes"},
                 need{is_instance<decltype(Call::out), write_merged> ||
                          is_instance<decltype(Call::out), write_merged_pair>,
                      "results that are written to memory"});
  }();
};
using merge_by_blocks = merge_by_blocks_of<merge_policy>;

}  // namespace gpu

template <>
struct form_table<merge_family, gpu::device> : forms<gpu::merge_by_blocks, merge_by_steps> {};

}  // namespace ravel::inline v0
