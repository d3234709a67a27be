#pragma once

/// Comparison sort on a device: the table of forms.  A host compiler can read it;
/// cuda/comparison_sort.cuh and cuda/sample_sort.cuh implement the forms.

#include <ravel/algorithms/comparison_sort/call.hpp>
#include <ravel/algorithms/comparison_sort/steps.hpp>
#include <ravel/core/cuda/cut_offs.hpp>
#include <ravel/core/cuda/device.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct comparison_sort_by_samples : launched_form<comparison_sort_by_samples> {
  static constexpr auto name = "by_samples";
  static constexpr auto why =
      "Rows move three times: to buckets that splitters of a sample bound, and within them.";
  template <class Call>
  static constexpr auto types = [] {
    using K = typename Call::key_type;
    return needs(need{std::is_trivially_copyable_v<K> && sizeof(K) <= 16 &&
                          std::is_trivially_copyable_v<typename Call::value_type>,
                      "trivially copyable rows, of keys of at most 16 bytes"});
  }();
  template <class Call>
  static auto now(Call const& c, device const&) {
    using V = typename Call::value_type;
    constexpr std::size_t of_row =
        sizeof(typename Call::key_type) + (std::is_empty_v<V> ? 0 : sizeof(V));
    return needs(need{c.n >= detail::cut_offs::sampled_bytes / index_t{of_row}, "32 MiB of rows"});
  }
};

struct comparison_sort_by_tiles : launched_form<comparison_sort_by_tiles> {
  static constexpr auto name = "by_tiles";
  static constexpr auto why =
      "Blocks sort tiles of up to 4352 rows in shared memory; merge passes follow.";
};

}  // namespace gpu

template <>
struct form_table<comparison_sort_family, gpu::device>
    : forms<comparison_sort_by_keys, gpu::comparison_sort_by_samples,
            gpu::comparison_sort_by_tiles> {};

}  // namespace ravel::inline v0
