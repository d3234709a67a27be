#pragma once

/// Sort of a bucket of integers without values by one block in shared memory (equal integers are
/// indistinguishable).
///
/// It distributes the keys over more bins than there are keys, by the highest bits in which they
/// differ, or first by the values of numbers.  A key is then near its final place: its displacement is
/// found from the greater keys just before it and the smaller keys just after it.  If too many keys
/// share a bin, the bucket is merged instead (merge_in_block.cuh).

#include <ravel/algorithms/cuda/key_orders.cuh>
#include <ravel/algorithms/cuda/merge_in_block.cuh>
#include <ravel/core/cuda/half_words.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/cuda/digit_policy.hpp>

namespace ravel::inline v0::gpu::detail {

/// The number of bits of x up to its highest set bit.
template <class U>
__device__ int bits_of(U x) {
  if constexpr (sizeof(U) > 4) {
    auto const high = static_cast<unsigned>(x >> 32);
    if (high != 0) return 64 - __clz(static_cast<int>(high));
  }
  return 32 - __clz(static_cast<int>(static_cast<unsigned>(x)));
}

/// The sort of a bucket of at most `most` keys by one block.  Bins are the highest bits in which
/// keys differ.  With FromLowest they are the highest bits of the difference to the least key: this
/// costs slightly more, and suits keys that are close to each other on both sides of a power of 2.
template <class U, class Shape, bool FromLowest = false>
struct bucket_block {
  /// Bounds are words of 4 or 8 bytes, for which atomics exist.
  using bound = std::conditional_t<sizeof(U) <= 4, unsigned, word64>;
  static constexpr int threads = Shape::threads;
  static constexpr int items = Shape::items;
  static constexpr int blocks = Shape::blocks;  // on a multiprocessor
  static constexpr int most = threads * items;
  static constexpr int warps = threads / warp_size;
  static constexpr int bins = 1 << Shape::bin_bits;
  /// A word holds the counters of two bins, 16 bits each: shared memory is the bottleneck.
  static constexpr int words = bins / 2;
  static constexpr int words_of_thread = words / threads;
  static_assert(words % threads == 0 && most < 1 << 16);
  /// Words that one vectorised load reads.
  static constexpr int at_once = words_of_thread % 4 == 0 ? 4 : 1;
  static constexpr int vectors = words_of_thread / at_once;
  struct alignas(4 * at_once) neighbours {
    unsigned x[at_once];
  };
  /// Where the counter of a bin is.  A thread scans words_of_thread consecutive words of counters;
  /// they are interleaved with those of other threads, so that vectorised loads have no bank
  /// conflicts.
  struct bin_place {
    unsigned word;
    int shift;
    __device__ unsigned of(unsigned pair) const { return pair >> shift & 0xffff; }
  };
  static __device__ bin_place place_of(unsigned b) {
    unsigned const word = b / 2;
    unsigned const thread = word / words_of_thread;
    unsigned const vector = word % words_of_thread / at_once;
    return {(vector * threads + thread) * at_once + word % at_once, static_cast<int>(b % 2) * 16};
  }
  /// `far` is the largest displacement of keys for which their places are searched; with larger
  /// ones the bucket is merged.  Up to `near`, a thread searches the places of consecutive
  /// keys in registers.
  static constexpr int far = 24;
  static constexpr int near = sizeof(U) <= 4 ? 5 : 0;

  struct room {
    alignas(16) unsigned count[words];  // counts of bins, then where bins begin
    unsigned of_warp[warps];
    bound bounds[2];  // the greatest key and the inverted least one; or the bits that differ
    unsigned crowd;   // one less than the most keys of a bin
    U staged[far + most + far];
  };
  static constexpr std::size_t bytes = sizeof(room);

  /// Sorts m keys.  Every thread of the block must call this.
  template <class Order>
  static __device__ void sort(U const* in, U* out, int m, Order order) {
    sort_loaded(
        *reinterpret_cast<room*>(shared_bytes()), m, [&](int i) { return order(in[i]); },
        [&](int place, U x) { out[place] = order.back(x); });
  }

  /// Sorts the words load(0), ..., load(m - 1) and calls store(place, x) for each.  All are loaded
  /// before any is stored, so load may read room.staged.
  template <class Load, class Store, class Values = no_values>
  static __device__ void sort_loaded(room& room, int m, Load load, Store store,
                                     [[maybe_unused]] Values values = {}) {
    static_assert(FromLowest || !Values::exist);
    if (threadIdx.x < 2) room.bounds[threadIdx.x] = 0;
    if (threadIdx.x == 2) room.crowd = 0;
    clear_counts(room);
    __syncthreads();

    U key[items];
    auto const [lowest, top] = load_keys(room, key, m, load);
    bin_of<Values> bin{values, lowest, top > Shape::bin_bits ? top - Shape::bin_bits : 0, false};
    if constexpr (Values::exist) bin.spread(static_cast<U>(room.bounds[0]));
    half_words<items> before;  // rank of each key in its bin
    count_keys(room, key, m, bin, before);
    bool is_sorted = false;
    if constexpr (Values::exist) {
      if (bin.by_value && room.crowd > far) {
        if constexpr (Values::may_repeat) {
          stage_keys(room, key, m, bin, before);
          is_sorted = has_equal_bins(room, m, bin);
          // Without a bounds test: CUDA 13.0 fails to allocate the 7 predicates of a thread to them.
#pragma unroll
          for (int k = 0; k < items; ++k)
            key[k] = room.staged[far + k * threads + static_cast<int>(threadIdx.x)];
        }
        if (!is_sorted) {
          bin.by_value = false;
          __syncthreads();
          if (threadIdx.x == 0) room.crowd = 0;
          clear_counts(room);
          __syncthreads();
          count_keys(room, key, m, bin, before);
        }
      }
    }
    int distance = 0;  // the greatest displacement
    if (!is_sorted) {
      if (bin.shift != 0 || bin.by_value) distance = static_cast<int>(room.crowd);
      stage_keys(room, key, m, bin, before);
    }
    write_sorted(room, m, distance,
                 [&](int place, U x) { store(place, static_cast<U>(x + lowest)); });
    __syncthreads();  // before the shared memory is reused for the next bucket
  }

 private:
  /// The bin of a key, from which `lowest` has been subtracted.
  template <class Values>
  struct bin_of {
    Values values;
    U lowest;
    int shift;
    bool by_value;
    __device__ unsigned operator()(U x) const {
      return static_cast<unsigned>(x >> shift) & (bins - 1);
    }
  };
  /// By value bins are equally wide.  They ascend with keys, whatever overflows: a product that is no
  /// number belongs to infinity, or to every key.
  template <class Values>
  requires(Values::exist) struct bin_of<Values> {
    using number = typename Values::number;
    Values values;
    U lowest;
    int shift;
    bool by_value;
    number first = 0, scale = 0;
    __device__ void spread(U highest) {
      by_value = values.are_in_order();
      first = values(lowest);
      scale = number(bins - 1) / (values(highest) - first);
    }
    __device__ unsigned operator()(U x) const {
      if (!by_value) return static_cast<unsigned>(x >> shift) & (bins - 1);
      number const t = (values(static_cast<U>(x + lowest)) - first) * scale;
      return t < number(bins - 1) ? static_cast<unsigned>(t) : bins - 1;
    }
  };

  struct range {
    U lowest;
    int bits;  // up to the highest in which keys, or their differences to the lowest, differ
  };

  static __device__ neighbours* counts_of_thread(room& room) {
    return reinterpret_cast<neighbours*>(room.count) + threadIdx.x;
  }

  static __device__ void clear_counts(room& room) {
    neighbours* const counts = counts_of_thread(room);
#pragma unroll
    for (int v = 0; v < vectors; ++v) counts[v * threads] = {};
  }

  /// Loads the keys of this thread, less the lowest of the block's where FromLowest.
  template <class Load>
  static __device__ range load_keys(room& room, U (&key)[items], int m, Load load) {
    int const thread = threadIdx.x;
    bool const is_first_lane = thread % warp_size == 0;
    if constexpr (FromLowest) {
      U highest = 0, not_lowest = 0;
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (k * threads + thread < m) {
          key[k] = load(k * threads + thread);
          highest = ::max(highest, key[k]);
          not_lowest = ::max(not_lowest, static_cast<U>(~key[k]));
        }
      }
      highest = warp_greatest(highest);
      not_lowest = warp_greatest(not_lowest);
      if (is_first_lane) {
        atomicMax(&room.bounds[0], bound{highest});
        atomicMax(&room.bounds[1], bound{not_lowest});
      }
      __syncthreads();
      U const lowest = static_cast<U>(~room.bounds[1]);
#pragma unroll
      for (int k = 0; k < items; ++k) key[k] -= lowest;
      return {lowest, bits_of(static_cast<U>(room.bounds[0] - lowest))};
    } else {
      U const first = load(0);
      U differ = 0;
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (k * threads + thread < m) {
          key[k] = load(k * threads + thread);
          differ |= key[k] ^ first;
        }
      }
#pragma unroll
      for (int half = 0; half < static_cast<int>(sizeof(U)) / 4; ++half) {
        unsigned const word =
            __reduce_or_sync(whole_warp, static_cast<unsigned>(differ >> 16 * half >> 16 * half));
        if (is_first_lane && word != 0)
          atomicOr(&room.bounds[0], bound{word} << 16 * half << 16 * half);
      }
      __syncthreads();
      return {0, bits_of(room.bounds[0])};
    }
  }

  /// Counts keys by bins, and the most keys of a bin.
  template <class Bin>
  static __device__ void count_keys(room& room, U const (&key)[items], int m, Bin const& bin,
                                    half_words<items>& before) {
    unsigned crowd = 0;
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (k * threads + static_cast<int>(threadIdx.x) < m) {
        bin_place const at = place_of(bin(key[k]));
        unsigned const ahead = at.of(atomicAdd(&room.count[at.word], 1u << at.shift));
        before.set(k, ahead);
        crowd = crowd < ahead ? ahead : crowd;
      }
    }
    crowd = __reduce_max_sync(whole_warp, crowd);
    if (threadIdx.x % warp_size == 0 && crowd != 0) atomicMax(&room.crowd, crowd);
    __syncthreads();
  }

  /// Moves keys to their bins in shared memory, between keys less and greater than any.
  template <class Bin>
  static __device__ void stage_keys(room& room, U const (&key)[items], int m, Bin const& bin,
                                    half_words<items> const& before) {
    int const thread = threadIdx.x;
    U* const staged = room.staged + far;
    place_bins(room, counts_of_thread(room));
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (k * threads + thread < m) {
        bin_place const at = place_of(bin(key[k]));
        staged[at.of(room.count[at.word]) + before[k]] = key[k];
      }
    }
    if (thread < far) {
      staged[-1 - thread] = 0;
      staged[m + thread] = static_cast<U>(~U{0});
    }
    __syncthreads();
  }

  /// Whether the keys of each bin are equal, so that staged keys are sorted.
  template <class Bin>
  static __device__ bool has_equal_bins(room& room, int m, Bin const& bin) {
    U const* const staged = room.staged + far;
    bool is_mixed = false;
#pragma unroll 1
    for (int i = threadIdx.x; i < m; i += threads) {
      bin_place const at = place_of(bin(staged[i]));
      if (staged[at.of(room.count[at.word])] != staged[i]) is_mixed = true;
    }
    return __syncthreads_count(is_mixed) == 0;
  }

  /// Writes the staged keys, whose displacement is at most `distance`.
  template <class Store>
  static __device__ void write_sorted(room& room, int m, int distance, Store store) {
    U* const staged = room.staged + far;
    if (distance != 0 && distance <= near) return write_nearest(staged, m, store);
    if (distance != 0 && distance <= far) return write_near(staged, m, distance, store);
    if (distance != 0) sort_by_merges<threads, items>(staged, m);
    for (int i = threadIdx.x; i < m; i += threads) store(i, staged[i]);
  }

  /// Scans the counts, which gives where bins begin: each thread has consecutive words.
  static __device__ void place_bins(room& room, neighbours* counts) {
    int const lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    unsigned of_thread = 0;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      neighbours const words = counts[v * threads];
      for (unsigned const pair : words.x) of_thread += (pair & 0xffff) + (pair >> 16);
    }
    unsigned const through = warp_scan(of_thread, plus<unsigned>{});
    if (lane == warp_size - 1) room.of_warp[warp] = through;
    __syncthreads();
    unsigned ahead = through - of_thread;
    ahead += __reduce_add_sync(whole_warp, lane < warp ? room.of_warp[lane] : 0u);
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      neighbours words = counts[v * threads];
      for (unsigned& pair : words.x) {
        unsigned const middle = ahead + (pair & 0xffff);
        unsigned const end = middle + (pair >> 16);
        pair = ahead | middle << 16;
        ahead = end;
      }
      counts[v * threads] = words;
    }
    __syncthreads();
  }

  /// Writes keys whose displacement is at most `near`.  A thread holds consecutive keys and their
  /// neighbours in registers, so it reads shared memory twice for each key instead of 2 * near
  /// times.
  template <class Store>
  static __device__ void write_nearest(U* staged, int m, Store store) {
    int const first = static_cast<int>(threadIdx.x) * items;
    constexpr int held = near + items + near;
    U x[held];
#pragma unroll
    for (int w = 0; w < held; ++w) x[w] = staged[first - near + w];
    constexpr auto is_own = [](int w) { return near <= w && w < near + items; };
    int place[items];
#pragma unroll
    for (int k = 0; k < items; ++k) place[k] = first + k;
#pragma unroll
    for (int d = 1; d <= near; ++d) {
#pragma unroll
      for (int w = 0; w + d < held; ++w) {
        bool const is_less = x[w + d] < x[w];
        if (is_own(w)) place[w - near] += is_less;
        if (is_own(w + d)) place[w + d - near] -= is_less;
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (first + k < m) staged[place[k]] = x[near + k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      int const i = k * threads + static_cast<int>(threadIdx.x);
      if (i < m) store(i, staged[i]);
    }
  }

  /// Writes keys whose displacement is at most `distance`, by comparisons with keys in shared
  /// memory.
  template <class Store>
  static __device__ void write_near(U const* staged, int m, int distance, Store store) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      int const i = k * threads + static_cast<int>(threadIdx.x);
      if (i < m) {
        U const x = staged[i];
        int place = i;
        for (int d = 1; d <= distance; ++d) {
          place -= staged[i - d] > x;
          place += staged[i + d] < x;
        }
        store(place, x);
      }
    }
  }
};

/// Whether buckets end anywhere (floating-point numbers), or at multiples of a power of 2
/// (integers).
template <class Order, class U>
inline constexpr bool ends_anywhere = !std::same_as<Order, integer_order<U>>;
template <class U>
using small_shape = std::conditional_t<sizeof(U) <= 4, digit_policy::small_bucket,
                                       digit_policy::small_bucket_of_wide>;
template <class U, class Order = integer_order<U>>
using small_bucket = bucket_block<U, small_shape<U>, ends_anywhere<Order, U>>;
template <class U, class Order = integer_order<U>>
using medium_bucket = bucket_block<U,
                                   std::conditional_t<sizeof(U) <= 4, digit_policy::medium_bucket,
                                                      digit_policy::medium_bucket_of_wide>,
                                   ends_anywhere<Order, U>>;
template <class U, class Order = integer_order<U>>
using large_bucket = bucket_block<U, digit_policy::large_bucket, ends_anywhere<Order, U>>;

}  // namespace ravel::inline v0::gpu::detail
