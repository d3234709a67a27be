#pragma once

/// Scan on a device: the table of forms.  A host compiler can read it; the kernels are in
/// cuda/*.cuh, and the forms that carry several values in cuda/carried_forms.hpp.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/carried_forms.hpp>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/scan_types.hpp>
#include <ravel/primitives/scan/call.hpp>
#include <ravel/primitives/scan/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

namespace detail {

template <class Call>
inline constexpr need between_memories{
    flows_between_memories<Call>(),
    "a load of elements of memory and a visit that writes to memory, of trivially copyable "
    "values of 1, 2, 4 or 8 bytes, as wide when written"};

template <class Call>
inline constexpr need fits_shared_memory{sizeof(typename Call::value_type) <= scan_policy::largest,
                                         "values of at most 160 bytes"};
index_t bytes_written(auto const& c) {
  return c.n * static_cast<index_t>(sizeof(*visit_in_memory(c).to));
}

}  // namespace detail

struct scan_in_wave : launched_form<scan_in_wave> {
  static constexpr auto name = "wave";
  static constexpr auto why =
      "All blocks are resident at once: each publishes its total and polls those of all preceding "
      "blocks, which takes one copy and one exchange between multiprocessors.";
  template <class Call>
  static constexpr auto types =
      needs(detail::between_memories<Call>,
            need{sizeof(typename Call::value_type) <= 12,
                 "values of at most 12 bytes, which are published in one word"});
  static auto now(auto const& c, device const& d) {
    return needs(
        need{detail::bytes_written(c) < d.sizes.streamed_bytes,
             "fewer bytes of results than tuning::streamed_bytes"},
        detail::ends_aligned(detail::load_in_memory(c).elements(), detail::visit_in_memory(c).to));
  }
};

struct scan_streamed : launched_form<scan_streamed> {
  static constexpr auto name = "stream";
  static constexpr auto why =
      "Tiles are copied in bulk into shared memory and out of it, while others look ahead for "
      "prefixes: 2^28 i32 at 0.99 of the speed of a copy on an H200.";
  template <class Call>
  static constexpr auto types = needs(detail::between_memories<Call>);
  static auto now(auto const& c, device const& d) {
    return needs(
        need{detail::bytes_written(c) >= d.sizes.streamed_bytes,
             "as many bytes of results as tuning::streamed_bytes"},
        detail::ends_aligned(detail::load_in_memory(c).elements(), detail::visit_in_memory(c).to),
        detail::streams_tiles(d));
  }
};

struct scan_in_blocks : launched_form<scan_in_blocks> {
  static constexpr auto name = "in_blocks";
  static constexpr auto why =
      "Any load, visit and monoid in one kernel: a block for each tile, which publishes its total "
      "and waits for what precedes it.  Sums of 4 and 8 bytes at 0.64 to 0.79 of the speed of a "
      "copy on an H200, by steps at 0.29.";
  template <class Call>
  static constexpr auto types = needs(detail::fits_shared_memory<Call>);
};

}  // namespace gpu

template <>
struct form_table<scan_family, gpu::device>
    : forms<scan_no_elements, gpu::scan_tuples_streamed, gpu::scan_high_orders_streamed,
            gpu::scan_orders_streamed, gpu::recurrence_streamed, gpu::recurrence_of_maps_streamed,
            gpu::scan_in_wave, gpu::scan_streamed, gpu::scan_in_blocks, scan_by_steps> {};

}  // namespace ravel::inline v0
