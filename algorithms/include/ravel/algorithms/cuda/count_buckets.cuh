#pragma once

/// Sorts buckets of 32-bit integers whose 16 upper bits agree, by counting the 16 lower bits: each
/// value is written as often as it occurs, so equal keys cost no more than others.
///
/// A block counts a bucket in shared memory, in 16-bit counters.  Larger buckets, called giants,
/// are counted by all blocks together; their counters are in device memory.

#include <ravel/algorithms/cuda/key_orders.cuh>
#include <ravel/algorithms/cuda/shares.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/grid_sync.cuh>
#include <ravel/core/cuda/lanes_of_digit.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>

namespace ravel::inline v0::gpu::detail {

/// A giant: a bucket of at least 2^16 keys, which may overflow a 16-bit counter.  The tiles of all
/// giants are numbered consecutively in the order of the list.
struct giant_bucket {
  unsigned bucket, first_tile;
};
struct giant_buckets {
  static constexpr index_t least = 1 << 16;
  static constexpr index_t tile = 1 << 15;
  static constexpr int tile_bits = 32;
  /// The time that the counters of a giant take, in tiles: as many follow its own, and are empty.
  static constexpr index_t overhead = 3;
  word64* counted;  // one word, for one atomic: number of giants (high half), of their tiles (low)
  giant_bucket* list;

  __device__ void add(unsigned b, index_t size) const {
    word64 const ahead = atomicAdd(
        counted, (word64{1} << tile_bits) + static_cast<word64>(div_up(size, tile) + overhead));
    list[ahead >> tile_bits] = {b, static_cast<unsigned>(ahead)};
  }
  __device__ int size() const { return static_cast<int>(*counted >> tile_bits); }
  __device__ unsigned tiles() const { return static_cast<unsigned>(*counted); }
};

/// Warp-wide search: the number of elements of starts[0], ..., starts[m - 1], which ascend, that
/// are at most x.
inline __device__ int starts_not_above(unsigned const* starts, int m, unsigned x) {
  int const lane = threadIdx.x % warp_size;
  int first = 0, last = m;  // the result is in [first, last]
  while (first < last) {
    int const step = (last - first + warp_size - 1) / warp_size;
    int const at = first + lane * step;
    int const below = __popc(__ballot_sync(whole_warp, at < last && starts[at] <= x));
    last = ::min(first + below * step, last);
    if (below > 0) first += (below - 1) * step + 1;
  }
  return first;
}

/// Counts the 16 lower bits of keys, by one block, in shared memory.
template <class U>
struct value_counts {
  static constexpr int threads = digit_policy::counting_threads;
  static constexpr int warps = threads / warp_size;
  static constexpr int values = 1 << 16;
  static constexpr int words = values / 2;
  static constexpr unsigned full = 0x8000;
  struct room {
    static constexpr int tile = giant_buckets::tile;
    unsigned pairs[words];  // counts or starts, of two values each
    std::uint16_t marks[tile];
    unsigned of_warp[warps];
    int bounds[warps];
  };
  room& in;
  integer_order<U> order;

  __device__ void clear() const {
    for (int w = threadIdx.x; w < words; w += threads) in.pairs[w] = 0;
    __syncthreads();
  }

  /// Counts keys[0], ..., keys[m - 1], where m > 0.  Before a counter of value v overflows it calls
  /// flush(v, k), and if this returns true, subtracts k from the counter.  Each warp counts the
  /// value that is most frequent in its first row in registers: atomics on one counter would be
  /// serialised.
  template <class Flush>
  __device__ void count(U const* keys, index_t m, Flush flush) const {
    constexpr int at_once = 8;
    int const thread = threadIdx.x;
    auto const value = [&](U x) { return static_cast<unsigned>(order(x)) & (values - 1); };
    unsigned const first = value(keys[thread < m ? thread : m - 1]);
    auto const same = static_cast<unsigned>(__popc(lanes_of_digit<16>(first)));
    unsigned const frequent = __reduce_max_sync(whole_warp, same << 16 | first) & (values - 1);
    unsigned times = 0;
    auto const add = [&](U x) {
      unsigned const v = value(x);
      if (v == frequent) {
        ++times;
        return;
      }
      unsigned const shift = v % 2 * 16;
      unsigned const before = atomicAdd(&in.pairs[v / 2], 1u << shift) >> shift & 0xffff;
      if (before + 1 == full && flush(v, full)) atomicAdd(&in.pairs[v / 2], 0u - (full << shift));
    };
    for (index_t begin = 0; begin < m; begin += giant_buckets::tile) {
      auto const width = static_cast<int>(::min(m - begin, giant_buckets::tile));
      for (int i = thread; i < width; i += at_once * threads) {
        U const* const thread_keys = keys + begin + i;
        if (i - thread + at_once * threads <= width) {
          U x[at_once];
#pragma unroll
          for (int k = 0; k < at_once; ++k) x[k] = thread_keys[k * threads];
#pragma unroll
          for (int k = 0; k < at_once; ++k) add(x[k]);
        } else {
          for (int k = 0; i + k * threads < width; ++k) add(thread_keys[k * threads]);
        }
      }
      __syncthreads();  // so that no counter exceeds full + tile - 1 before it is flushed
    }
    times = __reduce_add_sync(whole_warp, times);
    if (thread % warp_size == 0 && times != 0 && !flush(frequent, times)) {
      atomicAdd(&in.pairs[frequent / 2], times << frequent % 2 * 16);
    }
    __syncthreads();
  }

  /// Exclusive scan by a block: calls set(i, count(0) + ... + count(i - 1)) for each i of [0, m).
  template <class Count, class Set>
  __device__ void scan(int m, Count count, Set set) const {
    int const lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    int const begin = m / warps * warp, end = begin + m / warps;
    unsigned sum = 0;
#pragma unroll 8
    for (int i = begin + lane; i < end; i += warp_size) sum += count(i);
    sum = __reduce_add_sync(whole_warp, sum);
    if (lane == 0) in.of_warp[warp] = sum;
    __syncthreads();
    unsigned ahead = __reduce_add_sync(whole_warp, lane < warp ? in.of_warp[lane] : 0u);
#pragma unroll 4
    for (int i = begin + lane; i < end; i += warp_size) {
      unsigned const number = count(i);
      unsigned const through = warp_scan(number, plus<unsigned>{});
      set(i, ahead + through - number);
      ahead += shuffle_from(through, warp_size - 1);
    }
    __syncthreads();
  }

  /// Writes the sorted values from their cumulative counts: for i < size, out[i] is key_at(j),
  /// where j is the greatest index less than m with starts[j] <= i and a count that is not 0.
  /// A tile at a time, values are marked where they start, and a scan by maxima repeats them.
  template <class Of>
  __device__ void write(U* out, int size, int m, Of key_at) const {
    auto const* const starts = reinterpret_cast<std::uint16_t const*>(in.pairs);
    int const lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    constexpr int rows = room::tile / threads;  // of 32 places, for each warp
    int const first = warp * rows * warp_size + lane;
    unsigned last = 0;  // the value before the tile
    for (int begin = 0; begin < size; begin += room::tile) {
      int const width = ::min(size - begin, room::tile);
      for (int i = threadIdx.x; i < room::tile; i += threads) in.marks[i] = 0;
      __syncthreads();
      for (int j = threadIdx.x; j < m; j += threads) {
        int const start = starts[j], end = j + 1 < m ? int{starts[j + 1]} : size;
        if (start < end && begin <= start && start < begin + width) {
          in.marks[start - begin] = static_cast<std::uint16_t>(j);
        }
      }
      __syncthreads();
      unsigned highest = 0;
#pragma unroll 8
      for (int r = 0; r < rows; ++r) {
        highest = ::max(highest, unsigned{in.marks[first + r * warp_size]});
      }
      highest = __reduce_max_sync(whole_warp, highest);
      if (lane == 0) in.of_warp[warp] = highest;
      __syncthreads();
      unsigned const of_lane = lane < warps ? in.of_warp[lane] : 0u;
      unsigned value = ::max(last, __reduce_max_sync(whole_warp, lane < warp ? of_lane : 0u));
      last = ::max(last, __reduce_max_sync(whole_warp, of_lane));
#pragma unroll 4
      for (int r = 0; r < rows; ++r) {
        int const i = first + r * warp_size;
        unsigned const through =
            ::max(value, warp_scan(unsigned{in.marks[i]}, maximum<unsigned>{}));
        if (i < width) out[begin + i] = key_at(static_cast<int>(through));
        value = shuffle_from(through, warp_size - 1);
      }
      __syncthreads();
    }
  }

  __device__ U key(unsigned bucket, int value) const {
    return order.back(static_cast<U>(bucket << 16 | static_cast<unsigned>(value)));
  }

  /// Sorts a bucket of fewer than 2^16 keys in place.
  __device__ void sort(U* keys, int m, unsigned bucket) const {
    clear();
    count(keys, m, [](unsigned, unsigned) { return false; });
    scan(
        words, [&](int w) { return (in.pairs[w] & 0xffff) + (in.pairs[w] >> 16); },
        [&](int w, unsigned start) {
          in.pairs[w] = start | (start + (in.pairs[w] & 0xffff)) << 16;
        });
    write(keys, m, values, [&](int j) { return key(bucket, j); });
  }
};

/// Sorts the listed buckets, which are in `keys`; a bucket that has all keys was not moved, and is
/// read from `in`.  The counts of a giant are in `aside`, where its keys would be.
template <class U, class Plan>
__global__ void __launch_bounds__(digit_policy::counting_threads, 1)
    count_buckets_kernel(U const* in, U* keys, U* aside, word64 const* ends, integer_order<U> order,
                         Plan const* plan, giant_buckets giants, unsigned* gate) {
  using counts = value_counts<U>;
  static_assert(sizeof(U) == sizeof(unsigned));
  if (plan->too_large) return;
  counts const counter{*reinterpret_cast<typename counts::room*>(shared_bytes()), order};
  auto const begin_of = [&](unsigned b) { return static_cast<index_t>(b > 0 ? ends[b - 1] : 0); };
  auto const size_of = [&](unsigned b) { return static_cast<index_t>(ends[b]) - begin_of(b); };
  auto const table_of = [&](unsigned b) {
    return reinterpret_cast<unsigned*>(aside) + begin_of(b);
  };
  int const giant_count = giants.size();
  unsigned const share = (giants.tiles() + gridDim.x - 1) / gridDim.x;
  // Calls f(bucket, begin, end) for this block's share of the tiles of all giants.
  auto const for_each_share = [&](auto f) {
    unsigned const first = blockIdx.x * share;
    for_each_part_of_share(
        first, ::min(first + share, giants.tiles()), giant_count,
        [&](int g) { return giants.list[g].first_tile; },
        [&](int g, unsigned start, unsigned stop) {
          giant_bucket const giant = giants.list[g];
          index_t const begin = (start - giant.first_tile) * giant_buckets::tile;
          index_t const end =
              ::min(size_of(giant.bucket), (stop - giant.first_tile) * giant_buckets::tile);
          if (begin < end) f(giant.bucket, begin, end);
        });
  };
  if (giant_count > 0) {
    for (int g = blockIdx.x; g < giant_count; g += static_cast<int>(gridDim.x)) {
      unsigned* const table = table_of(giants.list[g].bucket);
      for (int v = threadIdx.x; v < counts::values; v += counts::threads) table[v] = 0;
    }
    sync_grid(gate);
    for_each_share([&](unsigned b, index_t begin, index_t end) {
      unsigned* const table = table_of(b);
      counter.clear();
      counter.count((plan->alone ? in : keys) + begin_of(b) + begin, end - begin,
                    [&](unsigned v, unsigned times) {
                      atomicAdd(&table[v], times);
                      return true;
                    });
      for (int w = threadIdx.x; w < counts::words; w += counts::threads) {
        unsigned const pair = counter.in.pairs[w];
        if ((pair & 0xffff) != 0) atomicAdd(&table[2 * w], pair & 0xffff);
        if (pair >> 16 != 0) atomicAdd(&table[2 * w + 1], pair >> 16);
      }
      __syncthreads();
    });
    sync_grid(gate);
    for (int g = blockIdx.x; g < giant_count; g += static_cast<int>(gridDim.x)) {
      unsigned* const table = table_of(giants.list[g].bucket);
      counter.scan(
          counts::values, [&](int v) { return table[v]; },
          [&](int v, unsigned start) { table[v] = start; });
    }
    sync_grid(gate);
    for_each_share([&](unsigned b, index_t begin, index_t end) {
      unsigned const* const table = table_of(b);
      // Each warp searches for the value with which one tile begins; one more warp finds the last
      // value.  So the latencies of the searches overlap.
      int const warp = threadIdx.x / warp_size;
      constexpr index_t tile = giant_buckets::tile, tiles = (counts::warps - 1) * tile;
      for (index_t first = begin; first < end; first += tiles) {
        auto const at = static_cast<unsigned>(::min(first + warp * tile, end - 1));
        int const value = starts_not_above(table, counts::values, at) - 1;
        if (threadIdx.x % warp_size == 0) counter.in.bounds[warp] = value;
        __syncthreads();
        for (index_t i = first; i < ::min(end, first + tiles); i += tile) {
          auto const t = static_cast<int>((i - first) / tile);
          auto const size = static_cast<int>(::min(end - i, tile));
          auto const ahead = static_cast<unsigned>(i);
          int const lowest = counter.in.bounds[t], m = counter.in.bounds[t + 1] - lowest + 1;
          auto* const starts = reinterpret_cast<std::uint16_t*>(counter.in.pairs);
          for (int j = threadIdx.x; j < m; j += counts::threads) {
            starts[j] = static_cast<std::uint16_t>(::max(table[lowest + j], ahead) - ahead);
          }
          __syncthreads();
          counter.write(keys + begin_of(b) + i, size, m,
                        [&](int j) { return counter.key(b, lowest + j); });
        }
      }
    });
  }
  for (unsigned i = blockIdx.x; i < plan->counted.size; i += gridDim.x) {
    unsigned const b = plan->counted.bucket[i];
    counter.sort(keys + begin_of(b), static_cast<int>(size_of(b)), b);
  }
}

}  // namespace ravel::inline v0::gpu::detail
