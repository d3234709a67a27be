#pragma once

/// Traits of the descriptors of segments whose head flags a tile stream can hold beside the values;
/// a host compiler can read them.

#include <ravel/core/segments.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/scan_policy.hpp>

namespace ravel::inline v0::gpu::detail {

/// Offsets of segments, with their cuts by tiles: those in [starts[t], starts[t + 1]) are within
/// tile t.
template <class O>
struct offsets_in_tiles {
  O const* offsets;
  index_t size;
  index_t const* starts;
};

/// What a stage holds of segments beside the values of a tile: bits, flags, keys, marks made of
/// offsets or of a length.
template <class Segments>
struct tile_heads : std::type_identity<Segments> {};
template <class Begins, class Space>
struct tile_heads<head_segments<Begins, Space>> : std::type_identity<Begins> {};
template <class O, class Space>
struct tile_heads<offset_segments<O, Space>> : std::type_identity<offsets_in_tiles<O>> {};
template <class Segments>
using tile_heads_t = typename tile_heads<Segments>::type;

template <class K, class Eq, int Items, int Count>
inline constexpr bool can_copy_to_stage<ravel::detail::key_changes<K, Eq>, Items, Count> =
    std::is_arithmetic_v<K>&& Count < 32 && Count * sizeof(K) % 16 == 0;
template <int Items, int Count>
inline constexpr bool can_copy_to_stage<uniform_segments, Items, Count> =
    Items % 16 == 0 && Count % 2 == 0 && Count < 32;
template <class O, int Items, int Count>
inline constexpr bool can_copy_to_stage<offsets_in_tiles<O>, Items, Count> =
    can_copy_to_stage<uniform_segments, Items, Count> && (sizeof(O) == 4 || sizeof(O) == 8);

/// The address of the array that bulk copies read heads from.
template <class K, class Eq>
void const* begin_of_flags(ravel::detail::key_changes<K, Eq> const& changes) {
  return changes.keys;
}
template <class Segments>
void const* begin_of_heads(Segments const&) {
  return nullptr;
}
template <class Begins, class Space>
void const* begin_of_heads(head_segments<Begins, Space> const& segments) {
  return begin_of_flags(segments.begins);
}
template <class O, class Space>
void const* begin_of_heads(offset_segments<O, Space> const& segments) {
  return segments.offsets.data();
}

/// Whether head flags take about as much room in a stage as the values.
template <class Heads>
inline constexpr bool heads_are_wide = true;
template <class W>
inline constexpr bool heads_are_wide<bit_set<W>> = false;
template <class F>
inline constexpr bool heads_are_wide<nonzero<F>> = sizeof(F) > 1;
template <>
inline constexpr bool heads_are_wide<uniform_segments> = false;
template <class O>
inline constexpr bool heads_are_wide<offsets_in_tiles<O>> = false;  // of marks

/// The tile shape of a segmented scan whose stages hold these heads.
template <class Heads>
inline constexpr scan_policy::shape shape_beside_heads =
    heads_are_wide<Heads> ? scan_policy::segmented_wide : scan_policy::segmented;
template <class O>
inline constexpr scan_policy::shape shape_beside_heads<offsets_in_tiles<O>> =
    scan_policy::segmented_by_offsets;

}  // namespace ravel::inline v0::gpu::detail
