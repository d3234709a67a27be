#pragma once

/// Merge of two runs in shared memory by one thread block: each thread merges its part in
/// registers.

#include <ravel/core/cuda/warp.cuh>

#include <cstdint>

namespace ravel::inline v0::gpu::detail {

/// A sorted run in shared memory.
template <class K>
struct shared_run {
  K const* at;
  int count;
};

/// A block of `Threads` threads, each of which has `Items` consecutive keys of the result: an odd
/// number, so that their accesses have no bank conflicts.  With HasSources, each key is accompanied
/// by the number of its row.
template <class K, bool HasSources, int Threads, int Items, class Before>
struct merging_block {
  static constexpr int threads = Threads, items = Items, width = threads * items;
  static constexpr int warps = threads / warp_size;
  // threads read past the end, and ignore what they read
  static constexpr int slots = width + items + 1;
  struct room {
    alignas(16) unsigned char keys[slots * sizeof(K)];
    std::uint16_t source[HasSources ? slots : 1];
    std::uint16_t entered[warps];  // by the first thread of each warp: steps::entered
  };
  /// Where a thread's part begins and ends on the merge path, in rows of the first run.
  struct steps {
    int entered, left;
    bool is_last;  // the last thread of its pair of runs: no other continues
  };

  room& in;
  Before before;

  __device__ K* keys() const { return reinterpret_cast<K*>(in.keys); }

  /// Merges up to `items` keys of the result of two runs, from `diagonal` on, to registers x.
  /// sources[k] becomes source(s) for the slot s of x[k] in shared memory.
  template <class Source>
  __device__ steps merge(shared_run<K> a, shared_run<K> b, int diagonal, K (&x)[items],
                         std::uint16_t (&sources)[items], Source source) const {
    int i = diagonal > b.count ? diagonal - b.count : 0;
    for (int last = ::min(diagonal, a.count); i < last;) {  // as merge_path_point, with int indices
      int const middle = (i + last) / 2;
      if (before(b.at[diagonal - 1 - middle], a.at[middle])) {
        last = middle;
      } else {
        i = middle + 1;
      }
    }
    int const entered = i;
    auto const slot_of = [this](K const* at) { return static_cast<int>(at - keys()); };
    int slot_a = slot_of(a.at) + i, slot_b = slot_of(b.at) + diagonal - i;
    int const end_a = slot_of(a.at) + a.count, end_b = slot_of(b.at) + b.count;
    K of_a = keys()[slot_a], of_b = keys()[slot_b];
#pragma unroll
    for (int k = 0; k < items; ++k) {
      bool const second = slot_b < end_b && (slot_a >= end_a || before(of_b, of_a));
      x[k] = second ? of_b : of_a;
      int const slot = second ? slot_b++ : slot_a++;
      if constexpr (HasSources) sources[k] = source(slot);
      K const next = keys()[slot + 1];
      (second ? of_b : of_a) = next;
    }
    if (threadIdx.x % warp_size == 0) {
      in.entered[threadIdx.x / warp_size] = static_cast<std::uint16_t>(entered);
    }
    return {entered, slot_a - slot_of(a.at), diagonal + items >= a.count + b.count};
  }

  /// Stores the `items` consecutive keys of each thread to shared memory.  All threads call this,
  /// between two barriers.
  __device__ void put(K const (&x)[items], std::uint16_t const (&sources)[items]) const {
    int const first = static_cast<int>(threadIdx.x) * items;
#pragma unroll
    for (int k = 0; k < items; ++k) {
      keys()[first + k] = x[k];
      if constexpr (HasSources) in.source[first + k] = sources[k];
    }
  }

  /// Whether the next thread's part begins on the merge path where this one's ends.  It does if
  /// `before` is a strict weak order; then no key is taken twice.  All threads call this, between
  /// two barriers.
  __device__ bool meets_next(steps const& part) const {
    int const lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    int next = __shfl_down_sync(whole_warp, part.entered, 1);
    if (lane == warp_size - 1 && !part.is_last) next = in.entered[warp + 1];
    return part.is_last || next == part.left;
  }
};

}  // namespace ravel::inline v0::gpu::detail
