#pragma once

/// The value types that tile streams can move by bulk copies, as traits that a host compiler can
/// read, and the needs of forms that use them.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0::gpu::detail {

/// The alignment of memory that bulk copies access.
inline constexpr std::size_t bulk_bytes = 16;

/// The needs of forms that use bulk copies: aligned sequences, and a device that has tile streams.
template <class... Pointers>
need ends_aligned(Pointers... ends) {
  return {(reinterpret_cast<std::uintptr_t>(ends) | ...) % bulk_bytes == 0,
          "sequences that begin at multiples of 16 bytes"};
}
/// As bulk copies that begin at the multiple of 16 bytes at or before the first element need.
template <class... T>
need begin_at_elements(T const*... begins) {
  return {((reinterpret_cast<std::uintptr_t>(begins) % sizeof(T) == 0) && ...),
          "sequences that begin at a multiple of the size of an element"};
}
inline need streams_tiles(device const& d) {
  return {has_streams(d), "bulk copies and 227 KiB of shared memory (compute capability 9.0)"};
}

/// Whether a flow can read In, combine T and write Out: input and output have the same size, and
/// values are combined in the type in which they are read.
template <class In, class Out, class T, std::size_t Most = 8>
inline constexpr bool can_flow = [] {
  if constexpr (std::is_void_v<In> || std::is_void_v<Out>) {
    return false;
  } else {
    return sizeof(In) == sizeof(Out) && (sizeof(In) & (sizeof(In) - 1)) == 0 &&
           sizeof(In) <= Most && std::is_trivially_copyable_v<In> &&
           std::is_trivially_default_constructible_v<In> && std::is_trivially_copyable_v<Out> &&
           std::is_trivially_default_constructible_v<Out> &&
           (std::same_as<In, T> ||
            (std::is_integral_v<In> && std::is_integral_v<T> && sizeof(In) == sizeof(T)));
  }
}();

/// Whether flags can be copied to a stage with the values and read as bits of a word: a bit for
/// each of the `Items` elements of a tile, and of the `Count` elements of a thread.
template <class Flags, int Items, int Count>
inline constexpr bool can_copy_to_stage = false;
template <class W, int Items, int Count>
inline constexpr bool can_copy_to_stage<bit_set<W>, Items, Count> =
    Items / 8 % static_cast<int>(bulk_bytes) == 0 && Count < 32;
template <class F, int Items, int Count>
inline constexpr bool can_copy_to_stage<nonzero<F>, Items, Count> =
    Count < 32 &&
    (sizeof(F) == 1 ? Count % 2 == 0 && Items % 16 == 0 : sizeof(F) == 4 && Count % 4 == 0);

/// For a load: the element type that it reads, the type of its result, and whether it returns the
/// element unchanged.
template <load_of_elements Load>
using element_of_load = std::remove_cvref_t<decltype(*std::declval<Load const&>().elements())>;
template <load_of_elements Load>
using value_of_load = std::remove_cvref_t<decltype(std::declval<Load const&>().of(
    index_t{}, *std::declval<Load const&>().elements()))>;
template <class Load>
inline constexpr bool loads_as_it_is = false;
template <class T>
inline constexpr bool loads_as_it_is<contiguous<T>> = true;

/// The element type that a scan's visit writes to memory; void if it does anything else.
template <class Visit>
using written_by = typename ravel::detail::written<Visit>::type;

/// As can_flow, for the results of a load on elements of type In.
template <class Load, class Out, class T>
inline constexpr bool can_flow_of = [] {
  if constexpr (load_of_elements<Load>) {
    using In = element_of_load<Load>;
    using V = value_of_load<Load>;
    return can_flow<In, In, In> && sizeof(In) == sizeof(V) && can_flow<V, Out, T>;
  } else {
    return false;
  }
}();

/// The address of the first flag in memory.
template <class W>
void const* begin_of_flags(bit_set<W> const& flags) {
  return flags.words;
}
template <class F>
void const* begin_of_flags(nonzero<F> const& flags) {
  return flags.flags;
}

/// Whether T has 4 or 8 bytes.
template <class T>
inline constexpr bool is_word = sizeof(T) == 4 || sizeof(T) == 8;
template <>
inline constexpr bool is_word<void> = false;

}  // namespace ravel::inline v0::gpu::detail
