#pragma once

/// @file
/// The value types that flows move by bulk copies, as traits that a host compiler can read, and the
/// needs of forms that do.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/flags.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/table.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_visits.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::gpu::detail {

/// The alignment of memory that bulk copies access.
inline constexpr std::size_t bulk_bytes = 16;

/// Needs of forms by bulk copies.
template <class... Pointers>
need ends_aligned(Pointers... ends) {
  return {(reinterpret_cast<std::uintptr_t>(ends) | ...) % bulk_bytes == 0,
          "sequences that begin at multiples of 16 bytes"};
}
inline need streams_tiles(device const& d) {
  return {has_streams(d), "bulk copies and 227 KiB of shared memory (compute capability 9.0)"};
}

/// Values that a flow can move: input and output have the same size, and values are combined in the
/// type in which they are read.
template <class In, class Out, class T>
inline constexpr bool can_flow = [] {
  if constexpr (std::is_void_v<In> || std::is_void_v<Out>) {
    return false;
  } else {
    return sizeof(In) == sizeof(Out) && (sizeof(In) & (sizeof(In) - 1)) == 0 && sizeof(In) <= 8 &&
           std::is_trivially_copyable_v<In> && std::is_trivially_default_constructible_v<In> &&
           std::is_trivially_copyable_v<Out> && std::is_trivially_default_constructible_v<Out> &&
           (std::same_as<In, T> ||
            (std::is_integral_v<In> && std::is_integral_v<T> && sizeof(In) == sizeof(T)));
  }
}();

/// Whether flags, a bit for each of `Items` elements of a tile and `Count` elements of a thread,
/// can be copied with its values and read as bits of a word.
template <class Flags, int Items, int Count>
inline constexpr bool can_ride = false;
template <class W, int Items, int Count>
inline constexpr bool can_ride<bit_set<W>, Items, Count> =
    Items / 8 % static_cast<int>(bulk_bytes) == 0 && Count < 32;
template <class F, int Items, int Count>
inline constexpr bool can_ride<nonzero<F>, Items, Count> = Count < 32 &&
                                                           (sizeof(F) == 1
                                                                ? Count % 2 == 0 && Items % 16 == 0
                                                                : sizeof(F) == 4 && Count % 4 == 0);

/// The element type that a load reads, its result, and whether it returns the element unchanged.
template <load_of_elements Load>
using element_of_load = std::remove_cvref_t<decltype(*std::declval<Load const&>().elements())>;
template <load_of_elements Load>
using value_of_load = std::remove_cvref_t<decltype(std::declval<Load const&>().of(
    index_t{}, *std::declval<Load const&>().elements()))>;
template <class Load>
inline constexpr bool loads_as_it_is = false;
template <class T>
inline constexpr bool loads_as_it_is<contiguous<T>> = true;

/// The element type that a visit of a scan writes to memory; void for other visits.
template <class Visit>
using written_by = typename ravel::detail::written<Visit>::type;

/// can_flow for the results of a load on elements of type In.
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

/// The address of the first flag.
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
