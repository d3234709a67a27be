#pragma once

/// @file
/// Merges on a device: the table of forms.  A host compiler can read it; the form is implemented in
/// cuda/merge.cuh.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/merge/call.hpp>
#include <ravel/primitives/merge/steps.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace ravel::inline v0 {
namespace gpu {

/// The block that merges a tile: threads, and keys of `bytes` for each, an odd number.
struct merge_policy {
  static constexpr int threads = 256;
  static constexpr int items(std::size_t bytes) {
    return bytes <= 4 ? 17 : bytes <= 8 ? 11 : bytes <= 16 ? 7 : 3;
  }
};

template <class Policy>
struct merge_by_blocks_of {
  static constexpr auto name = "by_blocks";
  static constexpr auto why =
      "A block loads its tile of the result to shared memory, where each thread merges a few keys, "
      "and all writes are coalesced: keys are moved once, and values by their places.";
  template <class Call>
  static constexpr auto types() {
    using A = std::remove_cvref_t<decltype(*Call::a.data())>;
    using B = std::remove_cvref_t<decltype(*Call::b.data())>;
    return needs(need{std::same_as<A, B> && std::is_trivial_v<A> && sizeof(A) <= 32,
                      "keys of one trivial type of up to 32 bytes"},
                 need{is_instance<decltype(Call::out), write_merged> ||
                          is_instance<decltype(Call::out), write_merged_pair>,
                      "results that are written to memory"});
  }
  template <class Call>
  static void run(executor const& ex, Call const& c);
};
using merge_by_blocks = merge_by_blocks_of<merge_policy>;

}  // namespace gpu

template <>
struct form_table<merge_family, gpu::device> {
  using type = forms<gpu::merge_by_blocks, merge_by_steps>;
};

}  // namespace ravel::inline v0
