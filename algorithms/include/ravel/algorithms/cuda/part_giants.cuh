#pragma once

/// Partitions segments that are too long for one block, called giants, all of them together: by
/// intervals of their keys into buckets, and buckets that are still too long again.

#include <ravel/algorithms/cuda/bucket_sort.cuh>
#include <ravel/algorithms/cuda/long_segment_lists.cuh>
#include <ravel/core/cuda/grid_sync.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>

#include <cstddef>

namespace ravel::inline v0::gpu::detail {

/// The partition of all giants of one level.  Keys are moved unchanged; `Order` maps a key to the
/// word whose intervals define the buckets.
template <class U, class Order, int Threads>
struct giant_parts {
  long_segments longs;
  Order order;
  int level;
  static constexpr int threads = Threads;
  static constexpr int at_once = 8;
  static_assert(giant::most_ways == bucket_plan::ways);

  struct plan {
    index_t start[giant::most_ways + 1];
    index_t of_warp[threads / warp_size];
    unsigned listed;
  };
  union room {
    part_room part;
    plan planned;
  };
  static constexpr std::size_t bytes =
      sizeof(room) + sizeof(U) * static_cast<std::size_t>(long_segments::tile);
  static_assert(sizeof(room) % 16 == 0);

  __device__ giant_list& list() const { return longs.counts->giants[level % 2]; }
  __device__ giant* giants() const { return longs.giants[level % 2]; }

  using word = key_word<U>;
  static __device__ word lowest_of(giant const& segment) {
    return static_cast<word>(~segment.not_lowest);
  }
  static __device__ word range_of(giant const& segment) {
    return static_cast<word>(segment.highest) - lowest_of(segment);
  }

  struct interval {
    Order order;
    word lowest;
    int shift;
    unsigned last;
    __device__ unsigned operator()(U x) const { return of(word{order(x)}); }
    __device__ unsigned of(word x) const {
      return static_cast<unsigned>(::min((::max(x, lowest) - lowest) >> shift, word{last}));
    }
    __device__ interval loaded() const { return *this; }
  };
  __device__ interval interval_of(giant const& segment) const {
    int const bits = bits_of(range_of(segment));
    int const ways = segment.ways();
    int const digit = 31 - __clz(ways);
    return {order, lowest_of(segment), bits > digit ? bits - digit : 0,
            static_cast<unsigned>(ways - 1)};
  }

  /// Calls f(giant, begin, end) for this block's share of each giant.  Each block has consecutive
  /// tiles.
  template <class F>
  __device__ void for_each_share(F f) const {
    index_t const tiles = list().tiles();
    index_t const share = div_up(tiles, index_t{gridDim.x});
    index_t t = index_t{blockIdx.x} * share;
    index_t const last = t + share < tiles ? t + share : tiles;
    if (t >= last) return;
    index_t g = 0, end_giant = list().size();
    while (end_giant - g > 1) {
      index_t const middle = (g + end_giant) / 2;
      (giants()[middle].first_tile <= t ? g : end_giant) = middle;
    }
    for (; t < last; ++g) {
      giant const segment = giants()[g];
      index_t const end =
          segment.first_tile + div_up(segment.end - segment.begin, long_segments::tile);
      index_t const until = last < end ? last : end;
      f(giants()[g], segment.begin + (t - segment.first_tile) * long_segments::tile,
        ::min(segment.end, segment.begin + (until - segment.first_tile) * long_segments::tile));
      t = until;
    }
  }

  /// Calls f(order(x)) for each key x of [begin, end), by all threads of the block.
  template <class F>
  __device__ void for_each_key(U const* keys, index_t begin, index_t end, F f) const {
    constexpr index_t step = index_t{threads} * at_once;
    for (index_t i = begin; i < end; i += step) {
      U const* const thread_keys = keys + i + threadIdx.x;
      if (end - i >= step) {
        U x[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) x[k] = thread_keys[k * threads];
#pragma unroll
        for (int k = 0; k < at_once; ++k) f(word{order(x[k])});
      } else {
        for (index_t j = i + threadIdx.x; j < end; j += threads) f(word{order(keys[j])});
      }
    }
  }

  /// Whether the bounds of giants cover all of their keys.  At level 0 the bounds come from a
  /// sample, and keys outside of them go to the first or the last bucket.
  __device__ bool is_exact() const { return level > 0; }
  __device__ bool is_sorted(giant const& segment) const {
    return is_exact() && range_of(segment) == 0;
  }

  /// Reduces the least and greatest key of each giant, and clears the counts of its buckets.
  __device__ void find_bounds(U const* keys) const {
    for (index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
         i < static_cast<index_t>(list().counts); i += index_t{gridDim.x} * threads) {
      longs.of_way[i] = 0;
    }
    for_each_share([&](giant& segment, index_t begin, index_t end) {
      word highest = 0, not_lowest = 0;
      auto const see = [&](word x) {
        highest = ::max(highest, x);
        not_lowest = ::max(not_lowest, static_cast<word>(~x));
      };
      if (is_exact()) {
        for_each_key(keys, begin, end, see);
      } else {
        for (index_t i = begin + threadIdx.x; i < end; i += long_segments::tile) {
          see(word{order(keys[i])});
        }
      }
      highest = warp_greatest(highest);
      not_lowest = warp_greatest(not_lowest);
      if (threadIdx.x % warp_size == 0) {
        atomicMax(&segment.highest, word64{highest});
        atomicMax(&segment.not_lowest, word64{not_lowest});
      }
    });
  }

  __device__ void count(room& in, U const* keys) const {
    unsigned* const counts = in.part.count;
    for_each_share([&](giant const segment, index_t begin, index_t end) {
      int const ways = segment.ways();
      interval const digit = interval_of(segment);
      for (int d = threadIdx.x; d < ways; d += threads) counts[d] = 0;
      __syncthreads();
      for_each_key(keys, begin, end, [&](word x) { atomicAdd(&counts[digit.of(x)], 1u); });
      __syncthreads();
      for (int d = threadIdx.x; d < ways; d += threads) {
        if (counts[d] != 0) atomicAdd(&longs.of_way[segment.first_count + d], word64{counts[d]});
      }
      __syncthreads();
    });
  }

  /// Scans the counts to where buckets begin, and lists the buckets for the next kernels.  Adjacent
  /// buckets that one block can sort together are listed as one run.
  __device__ void list_buckets(room& in, listed_run::place buffer) const {
    plan& room = in.planned;
    int const thread = threadIdx.x;
    int const lane = thread % warp_size, warp = thread / warp_size;
    for (index_t g = blockIdx.x; g < list().size(); g += gridDim.x) {
      giant const segment = giants()[g];
      int const ways = segment.ways();
      if (is_sorted(segment)) continue;
      index_t ahead = 0;
      for (int base = 0; base < ways; base += threads) {
        int const d = base + thread;
        index_t const own_count =
            d < ways ? static_cast<index_t>(longs.of_way[segment.first_count + d]) : index_t{0};
        index_t const through = warp_scan(own_count, plus<index_t>{});
        if (lane == warp_size - 1) room.of_warp[warp] = through;
        __syncthreads();
        index_t before = ahead;
        for (int w = 0; w < threads / warp_size; ++w) {
          if (w < warp) before += room.of_warp[w];
          ahead += room.of_warp[w];
        }
        if (d < ways) {
          room.start[d] = segment.begin + before + through - own_count;
          longs.of_way[segment.first_count + d] = static_cast<word64>(room.start[d]);
        }
        __syncthreads();
      }
      if (thread == 0) room.start[ways] = segment.end;
      __syncthreads();

      auto const fit =
          static_cast<int>(index_t{most_in_small} * 8 / 9 * ways / (segment.end - segment.begin));
      int const together = fit > 0 ? fit : 1;
      for (int d = thread; d - thread < ways; d += threads) {
        index_t begin = 0, end = 0;
        if (d < ways) {
          int const first = d / together * together;
          int const stop = ::min(first + together, ways);
          if (room.start[stop] - room.start[first] > most_in_small) {
            begin = room.start[d];
            end = room.start[d + 1];
          } else if (d == first) {
            begin = room.start[first];
            end = room.start[stop];
          }
        }
        longs.list_together(begin, end, buffer, level + 1, room.listed);
        __syncthreads();
      }
    }
  }

  /// Moves keys to their buckets in `dst`.  The keys of a giant that are all equal go to `out`, as
  /// sorted.
  __device__ void part(room& in, U const* keys, U* dst, U* out) const {
    auto* const staged = reinterpret_cast<U*>(shared_bytes() + sizeof(room));
    constexpr index_t tile = long_segments::tile;
    constexpr int items = static_cast<int>(tile) / threads;
    for_each_share([&](giant const segment, index_t begin, index_t end) {
      if (is_sorted(segment)) {
        if (keys == out) return;
        for (index_t i = begin + threadIdx.x; i < end; i += threads) out[i] = keys[i];
        return;
      }
      bucket_digit<interval> const digit{interval_of(segment), 0, giant::most_ways - 1};
      int const ways = segment.ways();
      word64* const next = longs.of_way + segment.first_count;
      for (index_t i = begin; i < end; i += tile) {
        for (int d = threadIdx.x; d < giant::most_ways; d += threads) in.part.count[d] = 0;
        if (end - i >= tile) {
          part_tile<true, items, threads>(in.part, staged, keys + i, static_cast<int>(tile), dst,
                                          digit, ways, next);
        } else {
          part_tile<false, items, threads>(in.part, staged, keys + i, static_cast<int>(end - i),
                                           dst, digit, ways, next);
        }
        __syncthreads();
      }
    });
  }
};

/// Partitions giants level by level until none is left, by all blocks of a cooperative kernel.
template <int Threads, class Source>
__device__ void part_giants(Source const& source, long_segments const& longs, unsigned* gate) {
  using parts = typename Source::template parts<Threads>;
  using U = typename Source::stored;
  auto& room = *reinterpret_cast<typename parts::room*>(shared_bytes());
  U *const aside = source.aside, *const out = source.parted();
  if constexpr (Source::makes_words) {
    if (longs.counts->giants[0].counted == 0) return;
    parts{longs, source.order, 0}.for_each_share([&](giant const&, index_t begin, index_t end) {
      source.make_words(begin, end, parts::threads);
    });
    sync_grid(gate);
  }
  U const* keys = source.given();
  for (int level = 0; longs.counts->giants[level % 2].counted != 0; ++level) {
    parts const partition{longs, source.order, level};
    U* const dst = level % 2 == 0 ? aside : out;
    partition.find_bounds(keys);
    sync_grid(gate);
    if (blockIdx.x == 0 && threadIdx.x == 0) longs.counts->giants[(level + 1) % 2] = {};
    partition.count(room, keys);
    sync_grid(gate);
    partition.list_buckets(room, level % 2 == 0 ? listed_run::aside : listed_run::out);
    sync_grid(gate);
    partition.part(room, keys, dst, out);
    sync_grid(gate);
    keys = dst;
  }
}

template <class Source>
__global__ void __launch_bounds__(digit_policy::threads, digit_policy::blocks)
    part_giants_kernel(Source source, long_segments longs, unsigned* gate) {
  if (source.unwanted() || longs.are_malformed()) return;
  part_giants<digit_policy::threads>(source, longs, gate);
}

}  // namespace ravel::inline v0::gpu::detail
