#pragma once

/// @file
/// The common part of flows from one contiguous sequence to another: the layout of a tile's values
/// in a stage, and their distribution over threads.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/map.hpp>

#include <cstdint>
#include <cstring>

namespace ravel::inline v0::gpu {
namespace detail {

/// 16 bytes of shared memory, which a thread reads and writes by one instruction.
using vector128 = uint4;

/// The adjacent elements of one thread in a tile: `Vectors` times 16 bytes.  In shared memory their
/// number is odd, which avoids bank conflicts.
template <class T, int Vectors>
struct neighbours {
  static constexpr int per_vector = 16 / static_cast<int>(sizeof(T));
  static constexpr int count = Vectors * per_vector;
  vector128 v[Vectors];

  static __device__ neighbours read(char const* from) {
    neighbours x;
#pragma unroll
    for (int i = 0; i < Vectors; ++i) x.v[i] = reinterpret_cast<vector128 const*>(from)[i];
    return x;
  }
  __device__ void write(char* to) const {
#pragma unroll
    for (int i = 0; i < Vectors; ++i) reinterpret_cast<vector128*>(to)[i] = v[i];
  }
  __device__ unsigned& word(int k) {
    vector128& x = v[k / 4];
    return k % 4 == 0 ? x.x : k % 4 == 1 ? x.y : k % 4 == 2 ? x.z : x.w;
  }
  __device__ unsigned word(int k) const { return const_cast<neighbours*>(this)->word(k); }

  /// k must be a compile-time constant, as in an unrolled loop.
  __device__ T get(int k) const {
    T x;
    if constexpr (sizeof(T) == 8) {
      unsigned const bits[2] = {word(2 * k), word(2 * k + 1)};
      std::memcpy(static_cast<void*>(&x), bits, 8);
    } else {
      constexpr int in_word = 4 / static_cast<int>(sizeof(T));
      unsigned const bits = word(k / in_word) >> (k % in_word * 8 * static_cast<int>(sizeof(T)));
      std::memcpy(static_cast<void*>(&x), &bits, sizeof(T));
    }
    return x;
  }
  __device__ void set(int k, T const& x) {
    if constexpr (sizeof(T) == 8) {
      unsigned bits[2];
      std::memcpy(bits, &x, 8);
      word(2 * k) = bits[0];
      word(2 * k + 1) = bits[1];
    } else if constexpr (sizeof(T) == 4) {
      unsigned bits;
      std::memcpy(&bits, &x, 4);
      word(k) = bits;
    } else {
      constexpr int width = 8 * static_cast<int>(sizeof(T));
      constexpr int in_word = 32 / width;
      unsigned bits = 0;
      std::memcpy(&bits, &x, sizeof(T));
      int const shift = k % in_word * width;
      unsigned const rest = word(k / in_word) & ~(((1u << width) - 1) << shift);
      word(k / in_word) = rest | bits << shift;
    }
  }
};

/// Begins to copy `bytes` bytes to a stage; a remainder of less than 16 bytes is copied by plain
/// loads.  Returns the bytes that the barrier must expect.
__device__ inline unsigned copy_in(void* to, void const* from, unsigned bytes, barrier& landed) {
  unsigned const whole = bytes / bulk_alignment * bulk_alignment;
  for (unsigned k = whole; k < bytes; ++k) {
    static_cast<char*>(to)[k] = static_cast<char const*>(from)[k];
  }
  if (whole > 0) landed.copy(to, from, whole);
  return whole;
}

/// Copies `many` elements of a stage to `out`, from position `ahead` on and as far as there is
/// room: the unaligned ends by plain stores, the rest by a bulk copy.  The stage has the same
/// offset from a multiple of 16 bytes as the destination.  By one thread.
template <class T>
__device__ void store_run(T const* from, T* out, index_t room, index_t ahead, int many) {
  constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(T));
  int const kept = static_cast<int>(ahead >= room ? 0 : ::min(index_t{many}, room - ahead));
  int const skew = static_cast<int>(ahead % per_vector);
  T* const to = out + ahead;
  int const first = skew == 0 ? 0 : per_vector - skew;  // [first, last) is the aligned part
  int const last = (skew + kept) / per_vector * per_vector - skew;
  for (int i = 0; i < ::min(first, kept); ++i) to[i] = from[i];
  if (last > first) {
    copy_out(to + first, from + first, (last - first) * static_cast<unsigned>(sizeof(T)));
  }
  for (int i = ::max(first, last); i < kept; ++i) to[i] = from[i];
}

/// The common part of flows from one sequence to another with elements of the same size.
///
/// Tiles are numbered in the order of the scan: backward from the end of the sequence, where the
/// incomplete tile is.
template <class In, class Out, bool Backward, scan_policy::shape Shape>
struct between_sequences {
  static_assert(sizeof(In) == sizeof(Out));
  static_assert(Shape.vectors % 2 == 1);
  using values = neighbours<In, Shape.vectors>;
  using results = neighbours<Out, Shape.vectors>;
  static constexpr int threads = Shape.threads;
  static constexpr int groups = Shape.groups;
  static constexpr int markers = 0;
  static constexpr int drawn_ahead = 0;
  static constexpr int reducers = Shape.reducers;
  static constexpr int folds_at_once = 4;
  static constexpr bool counts_last = false;
  static constexpr int rest_ns = 0;
  static constexpr int storers = 1;
  static constexpr int bytes_of_thread = 16 * Shape.vectors;
  static constexpr int tile_bytes = threads * bytes_of_thread;
  static constexpr int items = tile_bytes / static_cast<int>(sizeof(In));
  static constexpr int items_of_thread = values::count;

  /// Defaults for flows without shared data.
  struct shared {};
  __device__ void prepare() const {}
  template <class State>
  static __device__ State const& to_publish(char*, index_t, State const& total) {
    return total;
  }
  template <class State>
  static __device__ State const& from_published(char const*, State const& ahead) {
    return ahead;
  }

  In const* in;
  Out* out;
  index_t n;

  /// The index of the tile from the beginning of the sequence.
  __device__ index_t from_begin(index_t t) const {
    return Backward ? div_up(n, index_t{items}) - 1 - t : t;
  }
  __device__ index_t first(index_t t) const { return from_begin(t) * items; }
  static __device__ int place(int k) { return Backward ? threads - 1 - k : k; }
  __device__ int items_of(index_t t) const {
    index_t const rest = n - first(t);
    return rest < items ? static_cast<int>(rest) : items;
  }

  __device__ unsigned load_values(char* stage, index_t t, barrier& landed) const {
    return copy_in(stage, in + first(t), items_of(t) * static_cast<unsigned>(sizeof(In)), landed);
  }

  /// Prefetches the values of tile t to L2.
  __device__ void fetch(index_t t) const {
    unsigned const bytes = items_of(t) * static_cast<unsigned>(sizeof(In));
    if (unsigned const whole = bytes / bulk_alignment * bulk_alignment; whole > 0) {
      fetch_to_cache(in + first(t), whole);
    }
  }

  template <class M>
  __device__ values take_values(char const* stage, index_t t, int k, M const& m) const {
    auto x = values::read(stage + place(k) * bytes_of_thread);
    if (int const rest = items_of(t) - place(k) * items_of_thread; rest < items_of_thread) {
#pragma unroll
      for (int i = 0; i < items_of_thread; ++i) {
        if (i >= rest) x.set(i, static_cast<In>(m.identity()));
      }
    }
    return x;
  }

  /// The same for the results of a load on each of them, of the same size.
  template <class Load, class M>
  __device__ auto take_made(char const* stage, index_t t, int k, Load const& load,
                            M const& m) const {
    using V = value_of_load<Load>;
    auto const x = values::read(stage + place(k) * bytes_of_thread);
    int const of_tile = place(k) * items_of_thread;
    index_t const i = first(t) + of_tile;
    int const rest = items_of(t) - of_tile;
    neighbours<V, Shape.vectors> y;
    if (rest >= items_of_thread) {
#pragma unroll
      for (int j = 0; j < items_of_thread; ++j) y.set(j, load.of(i + j, x.get(j)));
    } else {
#pragma unroll
      for (int j = 0; j < items_of_thread; ++j) {
        y.set(j, j < rest ? V(load.of(i + j, x.get(j))) : V(m.identity()));
      }
    }
    return y;
  }

  __device__ void put_values(char* stage, int k, results const& y) const {
    y.write(stage + place(k) * bytes_of_thread);
  }

  __device__ void store(char const* stage, index_t t) const {
    unsigned const bytes = items_of(t) * static_cast<unsigned>(sizeof(Out));
    unsigned const whole = bytes / bulk_alignment * bulk_alignment;
    char* const to = reinterpret_cast<char*>(out + first(t));
    if (whole > 0) copy_out(to, stage, whole);
    for (unsigned k = whole; k < bytes; ++k) to[k] = stage[k];
  }

  /// Whether thread k has the last element in the order of the scan.
  __device__ bool has_last(index_t t, int k) const {
    if constexpr (Backward) {
      return first(t) == 0 && k == threads - 1;
    } else {
      index_t const rest = n - first(t);
      return rest <= items && (rest - 1) / items_of_thread == k;
    }
  }
};

template <class... T>
bool may_be_copied_in_bulk(T const*... p) {
  return ((reinterpret_cast<std::uintptr_t>(p) % bulk_alignment == 0) && ...);
}

}  // namespace detail
}  // namespace ravel::inline v0::gpu
