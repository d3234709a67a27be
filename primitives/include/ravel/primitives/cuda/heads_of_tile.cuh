#pragma once

/// Head flags, or any flags, that a tile stream's stage holds beside the values.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/head_types.hpp>
#include <ravel/primitives/cuda/scan_policy.hpp>

namespace ravel::inline v0::gpu::detail {

/// The flags of a tile: they take `bytes` of its stage, one thread starts their copies, and thread
/// k reads a bit for each of its `Count` elements.
template <class Begins, int Items, int Count>
struct heads_of_tile {
  static constexpr bool can = false;
  static constexpr std::size_t bytes = 0;
  static constexpr int markers = 0;
  static constexpr int drawn_ahead = 0;
};

/// The base for flags that bulk copies provide: no markers are needed.
struct copied_heads {
  static constexpr int markers = 0;
  static constexpr int drawn_ahead = 0;
};

/// Flags stored as bits.
template <class W, int Items, int Count>
struct heads_of_tile<bit_set<W>, Items, Count> : copied_heads {
  static constexpr bool can = can_copy_to_stage<bit_set<W>, Items, Count>;
  // and a word of padding, which threads may read
  static constexpr std::size_t bytes = Items / 8 + bulk_alignment;

  static __device__ unsigned load(bit_set<W> const& in, char* stage, index_t begin, int items,
                                  barrier& landed) {
    return copy_in(stage, reinterpret_cast<char const*>(in.words) + begin / 8,
                   static_cast<unsigned>(div_up(items, 8)), landed);
  }
  static __device__ unsigned read(bit_set<W> const&, char const* staged, int k) {
    unsigned const* const word = reinterpret_cast<unsigned const*>(staged) + k * Count / 32;
    return __funnelshift_r(word[0], word[1], k * Count % 32) & ((1u << Count) - 1);
  }
};

/// Reads flags that are bytes of 0 or 1, as a bit for each of thread k's `Count` elements.
template <int Count>
__device__ unsigned read_marks(char const* marks, int k) {
  static_assert(Count % 2 == 0 && Count <= 32);
  unsigned heads = 0;
  if constexpr (Count % 4 == 0) {
    unsigned const* const words = reinterpret_cast<unsigned const*>(marks) + k * (Count / 4);
#pragma unroll
    for (int i = 0; i < Count / 4; ++i) heads |= words[i] * 0x01020408u >> 24 << (4 * i);
  } else {
    auto const* const words = reinterpret_cast<unsigned short const*>(marks) + k * (Count / 2);
#pragma unroll
    for (int i = 0; i < Count / 2; ++i) {
      unsigned const w = words[i];
      heads |= ((w | w >> 7) & 3) << (2 * i);
    }
  }
  return heads;
}

/// Clears the flags of a tile, by a warp.
template <int Items>
__device__ void no_marks(char* flags) {
  for (int k = threadIdx.x % warp_size; k < Items / 16; k += warp_size) {
    reinterpret_cast<vector128*>(flags)[k] = {0, 0, 0, 0};
  }
  __syncwarp();
}

/// Flags stored as elements of one byte or four.
template <class F, int Items, int Count>
struct heads_of_tile<nonzero<F>, Items, Count> : copied_heads {
  static constexpr bool can = can_copy_to_stage<nonzero<F>, Items, Count>;
  static constexpr std::size_t bytes = Items * sizeof(F);

  static __device__ unsigned load(nonzero<F> const& in, char* stage, index_t begin, int items,
                                  barrier& landed) {
    return copy_in(stage, in.flags + begin, items * static_cast<unsigned>(sizeof(F)), landed);
  }
  static __device__ unsigned read(nonzero<F> const&, char const* staged, int k) {
    unsigned heads = 0;
    if constexpr (sizeof(F) == 1) {
      using word = std::conditional_t<Count % 4 == 0, unsigned, unsigned short>;
      constexpr int in_word = sizeof(word);
      word const* const words = reinterpret_cast<word const*>(staged) + k * (Count / in_word);
#pragma unroll
      for (int i = 0; i < Count / in_word; ++i) {
        unsigned const set = __vcmpne4(words[i], 0);  // 0xff for each byte that is set
        heads |= (set & 0x08040201u) * 0x01010101u >> 24 << (in_word * i);
      }
    } else {
      auto const x = neighbours<unsigned, Count / 4>::read(staged + k * Count * 4);
#pragma unroll
      for (int i = 0; i < Count; ++i) heads |= unsigned{x.get(i) != 0} << i;
    }
    return heads;
  }
};

/// Keys: a head is where a key differs from the preceding one, so the stage also holds the 16 bytes
/// of keys before the tile.
template <class K, class Eq, int Items, int Count>
struct heads_of_tile<ravel::detail::key_changes<K, Eq>, Items, Count> : copied_heads {
  using changes = ravel::detail::key_changes<K, Eq>;
  static constexpr int vectors = Count * static_cast<int>(sizeof(K)) / 16;
  static constexpr bool can = can_copy_to_stage<changes, Items, Count>;
  static constexpr std::size_t bytes = Items * sizeof(K) + bulk_alignment;

  static __device__ unsigned load(changes const& in, char* stage, index_t begin, int items,
                                  barrier& landed) {
    index_t const ahead = begin > 0 ? bulk_alignment / static_cast<int>(sizeof(K)) : 0;
    return copy_in(stage + bulk_alignment - ahead * sizeof(K), in.keys + begin - ahead,
                   static_cast<unsigned>((items + ahead) * sizeof(K)), landed);
  }
  static __device__ unsigned read(changes const& in, char const* staged, int k) {
    auto const x = neighbours<K, vectors>::read(staged + bulk_alignment + k * Count * sizeof(K));
    K before = reinterpret_cast<K const*>(staged + bulk_alignment)[k * Count - 1];
    unsigned heads = 0;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      K const key = x.get(i);
      heads |= unsigned{!in.eq(before, key)} << i;
      before = key;
    }
    return heads;
  }
};

/// Segments of one length: a marker warp writes byte flags.
template <int Items, int Count>
struct heads_of_tile<uniform_segments, Items, Count> {
  static constexpr bool can = can_copy_to_stage<uniform_segments, Items, Count>;
  static constexpr std::size_t bytes = Items;
  static constexpr int markers = 2;
  static constexpr int drawn_ahead = 3;

  static __device__ unsigned load(uniform_segments const&, char*, index_t, int, barrier&) {
    return 0;
  }
  static __device__ unsigned read(uniform_segments const&, char const* staged, int k) {
    return read_marks<Count>(staged, k);
  }
  template <class Await>
  static __device__ void mark(uniform_segments const& in, char* flags, index_t t, Await await) {
    await();
    no_marks<Items>(flags);
    int const lane = threadIdx.x % warp_size;
    index_t const begin = t * Items;
    index_t const first = div_up(begin, in.length) * in.length - begin;
    for (index_t i = first + lane * in.length; i < Items; i += warp_size * in.length) flags[i] = 1;
  }
};

/// The data of segments from which a stream makes the head flags of tiles of this width.
template <class Segments>
struct begins_of {
  Segments segments;

  begins_of(executor const&, index_t, index_t, Segments const& s) : segments(s) {}
  Segments const& get() const { return segments; }
};
template <class Begins, class Space>
struct begins_of<head_segments<Begins, Space>> {
  Begins begins;

  begins_of(executor const&, index_t, index_t, head_segments<Begins, Space> const& s)
      : begins(s.begins) {}
  Begins const& get() const { return begins; }
};

}  // namespace ravel::inline v0::gpu::detail
