#pragma once

/// Scan then pack on a device: the table of forms.  A host compiler can read it;
/// cuda/scan_then_pack.cuh and cuda/stream_scan_then_pack.cuh implement the forms.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_then_pack/call.hpp>
#include <ravel/primitives/scan_then_pack/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

/// The type of a call's results.
template <class Call>
using made_t =
    decltype(ravel::detail::made_by_t<decltype(Call::step), typename Call::value_type>::value);

template <class T>
inline constexpr std::size_t size_or_zero = sizeof(T);
template <>
inline constexpr std::size_t size_or_zero<void> = 0;

/// The element type of a load of elements; void for other loads.
template <class Load>
struct elements_of_load : std::type_identity<void> {};
template <load_of_elements Load>
struct elements_of_load<Load>
    : std::type_identity<std::remove_cvref_t<decltype(*std::declval<Load const&>().elements())>> {};

}  // namespace detail

struct scan_then_pack_streamed : launched_form<scan_then_pack_streamed> {
  static constexpr auto name = "stream";
  static constexpr auto why =
      "Tiles are copied in bulk, with a second chain for how much is kept: map, scan and filter of "
      "2^28 u32, a third kept, at 0.81 of the speed of a copy on an H200, and at 0.28 in blocks.";
  template <class Call>
  static constexpr auto types = [] {
    using In = typename detail::elements_of_load<decltype(Call::load)>::type;
    using T = typename Call::value_type;
    using U = detail::made_t<Call>;
    return needs(
        need{detail::is_word<In> && detail::can_flow<In, In, In>,
             "a load of elements of memory, trivially copyable and of 4 or 8 bytes"},
        need{std::same_as<decltype(Call::visit), write_kept<U>>, "a visit that writes to memory"},
        need{sizeof(T) <= 8 && std::is_trivially_copyable_v<T>,
             "trivially copyable values of at most 8 bytes"},
        need{sizeof(U) <= detail::size_or_zero<In> && std::is_trivially_copyable_v<U>,
             "results that are no wider than elements"});
  }();
  static auto now(auto const& c, device const& d) {
    auto const* const in = c.load.elements();
    return needs(need{c.n * static_cast<index_t>(sizeof(*in)) >= d.sizes.packed_bytes,
                      "as many bytes of elements as tuning::packed_bytes, 2 MiB unless tuned"},
                 need{reinterpret_cast<std::uintptr_t>(in) % detail::bulk_bytes == 0,
                      "elements that begin at a multiple of 16 bytes"},
                 detail::streams_tiles(d));
  }
};

struct scan_then_pack_in_blocks : launched_form<scan_then_pack_in_blocks> {
  static constexpr auto name = "in_blocks";
  static constexpr auto why =
      "Any load and visit in one kernel: a block for each tile, which publishes its total and how "
      "much it keeps.";
  template <class Call>
  static constexpr auto types = needs(need{
      sizeof(typename Call::value_type) <= scan_policy::largest &&
          sizeof(detail::made_t<Call>) <= scan_policy::largest,
      "values, and what is made of them, of at most 160 bytes"});
  static auto now(auto const& c, device const&) { return needs(need{c.n > 0, "elements"}); }
};

}  // namespace gpu

template <>
struct form_table<scan_then_pack_family, gpu::device>
    : forms<gpu::scan_then_pack_streamed, gpu::scan_then_pack_in_blocks, scan_then_pack_by_steps> {
};

}  // namespace ravel::inline v0
