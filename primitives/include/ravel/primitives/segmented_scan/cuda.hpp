#pragma once

/// Segmented scan on a device: the table of forms.  A host compiler can read it;
/// cuda/segmented_scan.cuh implements the form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/head_types.hpp>
#include <ravel/primitives/cuda/scan_types.hpp>
#include <ravel/primitives/scan/cuda.hpp>
#include <ravel/primitives/segmented_scan/call.hpp>
#include <ravel/primitives/segmented_scan/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

/// Whether, and how, a segmented scan can be streamed: between contiguous sequences, with the data
/// of heads beside the values in a stage.
template <class Call>
struct segmented_stream {
  using plain = plain_scan<decltype(Call::load), decltype(Call::visit)>;
  using in = typename plain::from;
  using out = typename plain::to;
  using heads = tile_heads_t<decltype(Call::segments)>;
  static constexpr std::size_t bytes = sizeof(std::conditional_t<std::is_void_v<in>, index_t, in>);
  static constexpr bool commutes = ravel::commutes<std::remove_const_t<decltype(Call::m)>>;
  static constexpr auto shape = bytes < 4 ? scan_policy::segmented_small(bytes)
                                : bytes == 8 && !commutes && !heads_are_wide<heads>
                                    ? scan_policy::segmented
                                    : shape_beside_heads<heads>;
  static constexpr bool fits = [] {
    if constexpr (is_instance<decltype(Call::load), contiguous> &&
                  can_flow<in, out, typename Call::value_type>) {
      constexpr int count = shape.vectors * 16 / static_cast<int>(sizeof(in));
      return can_copy_to_stage<heads, shape.threads * count, count>;
    } else {
      return false;
    }
  }();
};

}  // namespace detail

struct segments_streamed : launched_form<segments_streamed> {
  static constexpr auto name = "stream_segments";
  static constexpr auto why =
      "Tiles are copied in bulk, and beside them what says where segments begin, of which a thread "
      "has the bits of its elements.";
  template <class Call>
  static constexpr auto types = needs(need{
      detail::segmented_stream<Call>::fits,
      "segments of a plain sequence of trivially copyable elements of 1, 2, 4 or 8 bytes, as "
      "wide when written, by bits, flags, keys of numbers, offsets of 4 or 8 bytes, or "
      "one length"});
  static auto now(auto const& c, device const& d) {
    return needs(detail::pays_to_carry(c.n, c.load.data, d),
                 detail::ends_aligned(c.load.data, c.visit.to),
                 need{detail::ends_aligned(detail::begin_of_heads(c.segments), nullptr).holds,
                      "heads that begin at a multiple of 16 bytes"},
                 detail::streams_tiles(d));
  }
};

}  // namespace gpu

template <>
struct form_table<segmented_scan_family, gpu::device>
    : forms<segmented_scan_no_elements, gpu::segments_streamed, segmented_scan_by_flags> {};

}  // namespace ravel::inline v0
