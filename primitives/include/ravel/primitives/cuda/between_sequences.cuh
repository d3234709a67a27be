#pragma once

/// The common part of tile-stream flows that read one contiguous sequence and write another: the
/// layout of a tile's values in a stage, and their distribution over threads.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/neighbours.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::gpu::detail {

/// Begins to copy `bytes` bytes to a stage; a remainder of less than 16 bytes is copied by plain
/// loads.  Returns the bytes that the barrier must expect.
__device__ inline unsigned copy_in(void* dst, void const* src, unsigned bytes, barrier& landed) {
  unsigned const whole = bytes / bulk_alignment * bulk_alignment;
  for (unsigned k = whole; k < bytes; ++k) {
    static_cast<char*>(dst)[k] = static_cast<char const*>(src)[k];
  }
  if (whole > 0) landed.copy(dst, src, whole);
  return whole;
}

/// The common part of flows from one sequence to another with elements of equal size.
///
/// Tiles are numbered in the order of the scan.  Backward, tile 0 is at the end of the sequence,
/// where the incomplete tile is.
template <class In, class Out, bool Backward, scan_policy::shape Shape>
struct between_sequences {
  static_assert(sizeof(In) == sizeof(Out));
  using values = neighbours<In, Shape.vectors, Shape.bytes_of_vector>;
  using results = neighbours<Out, Shape.vectors, Shape.bytes_of_vector>;
  static constexpr int threads = Shape.threads;
  static constexpr int groups = Shape.groups;
  static constexpr int markers = 0;
  static constexpr int drawn_ahead = 0;
  static constexpr int reducers = Shape.reducers;
  static constexpr int folds_at_once = 4;
  static constexpr bool counts_last = false;
  static constexpr int storers = 1;
  static constexpr int bytes_of_thread = Shape.bytes_of_thread();
  static constexpr int tile_bytes = threads * bytes_of_thread;
  static constexpr int items = tile_bytes / static_cast<int>(sizeof(In));
  static constexpr int items_of_thread = values::count;

  /// Defaults for flows without shared data, whose stages hold a tile.
  static constexpr std::size_t stage_bytes = tile_bytes;
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
  /// The index of the e-th of a thread's elements in the order of the scan.
  static constexpr __device__ int nth(int e) { return Backward ? items_of_thread - 1 - e : e; }
  static __device__ int place(int k) { return Backward ? threads - 1 - k : k; }
  __device__ int items_of(index_t t) const {
    index_t const rest = n - first(t);
    return rest < items ? static_cast<int>(rest) : items;
  }

  __device__ unsigned load_values(char* stage, index_t t, barrier& landed) const {
    return copy_in(stage, in + first(t), items_of(t) * static_cast<unsigned>(sizeof(In)), landed);
  }

  __device__ void load(char* stage, index_t t, barrier& landed) const {
    landed.arrive_and_expect(load_values(stage, t, landed));
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

  /// The part of thread k: the results of the load on each of its elements, which have the
  /// elements' size.
  template <class Load, class M>
  __device__ auto take_made(char const* stage, index_t t, int k, Load const& load,
                            M const& m) const {
    using V = value_of_load<Load>;
    auto const x = values::read(stage + place(k) * bytes_of_thread);
    int const of_tile = place(k) * items_of_thread;
    index_t const i = first(t) + of_tile;
    int const rest = items_of(t) - of_tile;
    neighbours<V, Shape.vectors, Shape.bytes_of_vector> y;
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
    char* const target = reinterpret_cast<char*>(out + first(t));
    if (whole > 0) copy_out(target, stage, whole);
    for (unsigned k = whole; k < bytes; ++k) target[k] = stage[k];
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

}  // namespace ravel::inline v0::gpu::detail
