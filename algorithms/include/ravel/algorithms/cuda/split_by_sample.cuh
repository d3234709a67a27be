#pragma once

/// Partitions numbers into buckets of about equal size, whatever their distribution: a sorted
/// sample yields the least key of each bucket.
///
/// A value that is frequent in the sample has a bucket of its own, which needs no sorting.  One
/// cooperative kernel makes two passes: by 256 splitters, and then by 256 within each of the
/// resulting parts.

#include <ravel/algorithms/cuda/integers_together.cuh>
#include <ravel/algorithms/cuda/part_tile.cuh>
#include <ravel/algorithms/cuda/shares.cuh>
#include <ravel/algorithms/cuda/sort_in_block.cuh>
#include <ravel/algorithms/radix_sort/cuda.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/grid_sync.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/search_tree.cuh>

namespace ravel::inline v0::gpu::detail {

/// The sample: one key from each of `samples` equal shares, taken only if the plan needs it.
template <class U, class Order>
struct sample_of_keys {
  U const* keys;
  index_t n, samples;
  Order order;
  U* sample;
  bucket_plan const* plan;
  __device__ void operator()(index_t i) const {
    if (!plan->uneven) return;
    sample[i] = order(keys[sampled_row(i, n, samples)]);
  }
};

template <class U, class Order>
struct split_by_sample {
  static constexpr int threads = digit_policy::threads;
  static constexpr int warps = threads / warp_size;
  static constexpr int ways = bucket_plan::ways;
  static constexpr int items = digit_policy::part_items(sizeof(U));
  static constexpr index_t tile = index_t{threads} * items;

  struct room {
    part_room part;
    U tree[ways];
    unsigned char digits[tile];
    union {
      U staged[tile];
      // a counter of each digit for each lane, so that lanes do not conflict
      unsigned count[ways * warp_size];
    };
  };

  index_t n;
  U const* in;
  U *aside, *out;
  Order order;
  U const* sample;  // the sorted sample
  index_t apart;    // the distance of splitters in the sample
  int lower_bits;   // bits of the bucket's number within its part
  bucket_plan* plan;
  word64 *parts, *buckets;  // counts by part and by bucket, initially 0
  word64* next;

  __device__ room& shared() const { return *reinterpret_cast<room*>(shared_bytes()); }

  /// The least word of bucket b > 0.  If the sample has a value at two adjacent splitters, the
  /// second is that value plus 1, which gives the value a bucket of its own.
  __device__ U splitter(int b) const {
    U const s = sample[b * apart];
    bool const is_repeated = b > 1 && sample[(b - 1) * apart] == s;
    return is_repeated && s != static_cast<U>(~U{0}) ? static_cast<U>(s + 1) : s;
  }
  __device__ bool is_of_one_value(int b) const {
    if (b == 0) return false;
    U const s = splitter(b);
    return s == static_cast<U>(~U{0}) ||
           (b + 1 < ways << lower_bits && splitter(b + 1) == static_cast<U>(s + 1));
  }

  /// The bucket of a key: a branchless search of the splitters.
  struct searched_digit {
    Order order;
    search_tree<U> splitters;
    __device__ int count() const { return 1 << splitters.levels; }
    __device__ unsigned operator()(U x) const {
      U const word = order(x);
      return splitters.partition_point([&](unsigned k) { return splitters.nodes[k] <= word; });
    }
  };
  /// A search among 1 << levels buckets from `first` on, whose numbers are `stride` apart.
  __device__ searched_digit digit_of(int first, int stride, int levels) const {
    search_tree<U> const tree{shared().tree, levels};
    tree.fill([&](index_t j) { return splitter(first + (static_cast<int>(j) + 1) * stride); });
    return {order, tree};
  }
  __device__ searched_digit digit_of_all() const {
    return digit_of(0, 1 << lower_bits, bucket_plan::digit_bits);
  }
  __device__ searched_digit digit_of_part(int p) const {
    return digit_of(p << lower_bits, 1, lower_bits);
  }

  /// Adds the number of keys with digit d to counts[d], for each d.  Fails if another bit pattern may
  /// compare equal to a key.
  __device__ void count(U const* keys, index_t m, searched_digit digit, word64* counts) const {
    constexpr int at_once = 8;
    unsigned* const of_lane = shared().count;
    int const thread = threadIdx.x;
    for (int i = thread; i < ways * warp_size; i += threads) of_lane[i] = 0;
    __syncthreads();
    unsigned* const lane_counts = of_lane + thread % warp_size;
    auto const add = [&](U x) {
      if (!order.is_unique(x)) plan->too_large = 1;
      atomicAdd(lane_counts + digit(x) * warp_size, 1u);
    };
    for (index_t i = thread; i < m; i += index_t{at_once} * threads) {
      if (i - thread + at_once * threads <= m) {
        U x[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) x[k] = keys[i + k * threads];
#pragma unroll
        for (int k = 0; k < at_once; ++k) add(x[k]);
      } else {
        for (index_t j = i; j < m; j += threads) add(keys[j]);
      }
    }
    __syncthreads();
    for (int d = thread; d < digit.count(); d += threads) {
      unsigned sum = 0;
      for (int c = 0; c < warp_size; ++c) sum += of_lane[d * warp_size + (c + d) % warp_size];
      if (sum != 0) atomicAdd(&counts[d], word64{sum});
    }
    __syncthreads();
  }

  /// Moves keys to their places, which begin at next[digit] and are reserved by atomics.
  __device__ void part(U const* keys, index_t m, U* dst, searched_digit digit, word64* next) const {
    room& r = shared();
    int const digit_count = digit.count();
    for (index_t i = 0; i < m; i += tile) {
      for (int d = threadIdx.x; d < ways; d += threads) r.part.count[d] = 0;
      if (m - i >= tile) {
        part_tile<true, items>(r.part, r.staged, keys + i, static_cast<int>(tile), dst, digit,
                               digit_count, next, r.digits);
      } else {
        part_tile<false, items>(r.part, r.staged, keys + i, static_cast<int>(m - i), dst, digit,
                                digit_count, next, r.digits);
      }
      __syncthreads();
    }
  }

  /// Calls f(p, begin, end) for the keys of each part p in this block's share of all keys.
  template <class F>
  __device__ void for_each_part(F f) const {
    for_each_part_of_share(
        first_of_share(blockIdx.x), first_of_share(blockIdx.x + 1), ways,
        [&](int p) { return plan->starts[p]; }, f);
  }
  __device__ index_t first_of_share(unsigned block) const {
    index_t const share = div_up(div_up(n, tile), index_t{gridDim.x}) * tile;
    return ::min(n, index_t{block} * share);
  }

  /// Exclusive scan by a warp: calls f(i, counts[i], sum of counts before i) for each i of [0, m).
  template <class F>
  static __device__ void scan(word64 const* counts, int m, word64 ahead, F f) {
    int const lane = threadIdx.x % warp_size;
    for (int base = 0; base < m; base += warp_size) {
      int const i = base + lane;
      word64 const size = i < m ? load_relaxed(&counts[i]) : 0;
      word64 const through = warp_scan(size, plus<word64>{});
      if (i < m) f(i, size, ahead + through - size);
      ahead += shuffle_from(through, warp_size - 1);
    }
  }

  __device__ void find_parts() const {
    if (blockIdx.x != 0 || threadIdx.x >= warp_size) return;
    scan(parts, ways, 0, [&](int p, word64, word64 before) {
      plan->starts[p] = static_cast<index_t>(before);
      plan->next[p] = before;
    });
    if (threadIdx.x == 0) {
      plan->starts[ways] = n;
      plan->medium.size = plan->large.size = 0;
    }
  }

  __device__ void find_buckets() const {
    int const in_part = 1 << lower_bits;
    unsigned const warp = blockIdx.x + threadIdx.x / warp_size * gridDim.x;
    for (unsigned p = warp; p < static_cast<unsigned>(ways); p += gridDim.x * warps) {
      int const first = static_cast<int>(p) << lower_bits;
      scan(buckets + first, in_part, static_cast<word64>(plan->starts[p]),
           [&](int d, word64 size, word64 before) {
             next[first + d] = before;
             if (size <= small_bucket<U>::most || is_of_one_value(first + d)) return;
             if (size <= medium_bucket<U>::most) {
               plan->medium.add(first + d);
             } else if (size <= large_bucket<U>::most) {
               plan->large.add(first + d);
             } else {
               plan->too_large = 1;
             }
           });
    }
  }

  __device__ void run(unsigned* gate) const {
    index_t const begin = first_of_share(blockIdx.x);
    index_t const size = first_of_share(blockIdx.x + 1) - begin;
    {
      searched_digit const digit = digit_of_all();
      count(in + begin, size, digit, parts);
      sync_grid(gate);
      find_parts();
      sync_grid(gate);
      part(in + begin, size, aside, digit, plan->next);
    }
    sync_grid(gate);
    for_each_part([&](int p, index_t first, index_t last) {
      count(aside + first, last - first, digit_of_part(p), buckets + (p << lower_bits));
    });
    sync_grid(gate);
    find_buckets();
    sync_grid(gate);
    if (plan->too_large) return;
    for_each_part([&](int p, index_t first, index_t last) {
      part(aside + first, last - first, out, digit_of_part(p), next + (p << lower_bits));
    });
  }
};

template <class U, class Order>
__global__ void __launch_bounds__(digit_policy::threads, digit_policy::blocks)
    split_by_sample_kernel(split_by_sample<U, Order> split, unsigned* gate) {
  if (split.plan->uneven) split.run(gate);
}

/// Blocks sort buckets of a sample, of which b ends at ends[b], but those that are too large for them.
template <class U, class Order>
__global__ void __launch_bounds__(small_shape<U>::threads, small_shape<U>::blocks)
    sort_sampled_buckets_kernel(unsigned buckets, U const* in, U* out, word64 const* ends,
                                Order order, bucket_plan const* plan) {
  using block = small_bucket<U, Order>;
  if (!plan->uneven || plan->too_large) return;
  for (unsigned b = blockIdx.x; b < buckets; b += gridDim.x) {
    auto const begin = static_cast<index_t>(b > 0 ? ends[b - 1] : 0);
    index_t const size = static_cast<index_t>(ends[b]) - begin;
    if (size > 0 && size <= block::most) {
      block::sort(in + begin, out + begin, static_cast<int>(size), order);
    }
  }
}

/// If the plan says that buckets are uneven, partitions n keys into 1 << bits buckets in `out`, of which
/// b ends at next[b], sorts those that fit a small block, and lists the others.
template <class U, class Order>
void part_uneven(executor const& ex, index_t n, U const* in, U* out, U* aside, Order order,
                 int bits, bucket_plan* plan, word64* next) {
  using split = split_by_sample<U, Order>;
  index_t const buckets = index_t{1} << bits;
  index_t const limit = most_integers_together(sizeof(U), ex.multiprocessors());
  index_t const apart = std::max<index_t>(1, std::min(limit, n / 64) / buckets);
  index_t const samples = apart * buckets;
  auto const sample = ex.scratch<U>(samples);
  auto const counts = ex.scratch<word64>(split::ways + buckets);
  ex.clear(counts);
  for_each_index(ex, samples, sample_of_keys<U, Order>{in, n, samples, order, sample.data(), plan});
  sort_integers_together(ex, samples, sample.data(), sample.data(), integer_order<U>{0},
                         &plan->uneven);
  split const splitter{n,
                       in,
                       aside,
                       out,
                       order,
                       sample.data(),
                       apart,
                       bits - bucket_plan::digit_bits,
                       plan,
                       counts.data(),
                       counts.data() + split::ways,
                       next};
  ex.launch_sharing<split_by_sample_kernel<U, Order>>(
      {ex.multiprocessors() * digit_policy::blocks, split::threads, true,
       sizeof(typename split::room)},
      splitter, ex.gate());
  using block = small_bucket<U, Order>;
  // Fewer blocks than buckets, as they mostly exit at once.
  ex.launch_sharing<sort_sampled_buckets_kernel<U, Order>>(
      {buckets / 4, block::threads, false, block::bytes}, static_cast<unsigned>(buckets), out, out,
      next, order, plan);
}

}  // namespace ravel::inline v0::gpu::detail
