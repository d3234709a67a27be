#pragma once

/// @file
/// How the heads of segments, or any flags, ride through a stream beside values.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/flags.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/primitives/cuda/between_sequences.cuh>

#include <cstddef>
#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

/// How the heads of the segments of a tile ride beside its values: `bytes` of its
/// stage, loaded by one thread, and read as a bit for each of thread k's `Count`.
template <class Begins, int Items, int Count>
struct heads_of_tile {
  static constexpr bool can = false;
};

/// Bits.
template <class W, int Items, int Count>
struct heads_of_tile<bit_set<W>, Items, Count> {
  static constexpr bool can = Items / 8 % bulk_alignment == 0 && Count < 32;
  static constexpr std::size_t bytes = Items / 8 + bulk_alignment;  // a word more is read
  static void const* address(bit_set<W> const& of) { return of.words; }

  static __device__ unsigned load(bit_set<W> const& of, char* to, index_t begin, int items,
                                  barrier& landed) {
    return copy_in(to, reinterpret_cast<char const*>(of.words) + begin / 8,
                   static_cast<unsigned>(div_up(items, 8)), landed);
  }
  static __device__ unsigned read(bit_set<W> const&, char const* from, int k) {
    unsigned const* const word = reinterpret_cast<unsigned const*>(from) + k * Count / 32;
    return __funnelshift_r(word[0], word[1], k * Count % 32) & ((1u << Count) - 1);
  }
};

/// Flags, a byte or four each.
template <class F, int Items, int Count>
struct heads_of_tile<nonzero<F>, Items, Count> {
  static constexpr bool can = (sizeof(F) == 1 || sizeof(F) == 4) && Count < 32 && Count % 4 == 0;
  static constexpr std::size_t bytes = Items * sizeof(F);
  static void const* address(nonzero<F> const& of) { return of.flags; }

  static __device__ unsigned load(nonzero<F> const& of, char* to, index_t begin, int items,
                                  barrier& landed) {
    return copy_in(to, of.flags + begin, items * static_cast<unsigned>(sizeof(F)), landed);
  }
  static __device__ unsigned read(nonzero<F> const&, char const* from, int k) {
    unsigned const* const words = reinterpret_cast<unsigned const*>(from);
    unsigned heads = 0;
    if constexpr (sizeof(F) == 1) {
#pragma unroll
      for (int i = 0; i < Count / 4; ++i) {
        unsigned const is = __vcmpne4(words[k * (Count / 4) + i], 0);  // 0xff for each that is
        heads |= (is & 0x08040201u) * 0x01010101u >> 24 << (4 * i);
      }
    } else {
      auto const x = neighbours<unsigned, Count / 4>::read(from + k * Count * 4);
#pragma unroll
      for (int i = 0; i < Count; ++i) heads |= unsigned{x.get(i) != 0} << i;
    }
    return heads;
  }
};

/// Keys: a head is where a key differs from the one before, so the tile has 16
/// bytes of those that are ahead of it.
template <class K, class Eq, int Items, int Count>
struct heads_of_tile<ravel::detail::key_changes<K, Eq>, Items, Count> {
  using changes = ravel::detail::key_changes<K, Eq>;
  static constexpr int vectors = Count * static_cast<int>(sizeof(K)) / 16;
  static constexpr bool can =
      std::is_arithmetic_v<K> && Count < 32 && vectors % 2 == 1 && Count * sizeof(K) % 16 == 0;
  static constexpr std::size_t bytes = Items * sizeof(K) + bulk_alignment;
  static void const* address(changes const& of) { return of.keys; }

  static __device__ unsigned load(changes const& of, char* to, index_t begin, int items,
                                  barrier& landed) {
    index_t const ahead = begin > 0 ? bulk_alignment / static_cast<int>(sizeof(K)) : 0;
    return copy_in(to + bulk_alignment - ahead * sizeof(K), of.keys + begin - ahead,
                   static_cast<unsigned>((items + ahead) * sizeof(K)), landed);
  }
  static __device__ unsigned read(changes const& of, char const* from, int k) {
    auto const x = neighbours<K, vectors>::read(from + bulk_alignment + k * Count * sizeof(K));
    K before = reinterpret_cast<K const*>(from + bulk_alignment)[k * Count - 1];
    unsigned heads = 0;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      K const now = x.get(i);
      heads |= unsigned{!of.eq(before, now)} << i;
      before = now;
    }
    return heads;
  }
};

/// Whether heads take about as much room in a stage as the values do.
template <class Begins>
inline constexpr bool heads_are_wide = true;
template <class W>
inline constexpr bool heads_are_wide<bit_set<W>> = false;
template <class F>
inline constexpr bool heads_are_wide<nonzero<F>> = sizeof(F) > 1;

}  // namespace detail
}  // namespace ravel::inline v0::cuda
