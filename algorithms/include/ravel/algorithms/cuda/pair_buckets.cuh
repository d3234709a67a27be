#pragma once

/// Stable sort of 4-byte integers with values on a device: radix passes over the highest bits, then
/// one block sorts each bucket in shared memory.
///
/// Within a bucket a block sorts words: the remaining key bits, then the row's place in the bucket.
/// All words differ, so an unstable sort of them yields the stable order.  A sample of the keys
/// predicts whether buckets will fit in a block; if not, the rows are radix sorted by all bits.  A
/// bucket that does not fit although the sample predicted so is radix sorted by one block, tile by
/// tile in device memory.

#include <ravel/algorithms/cuda/part_tile.cuh>
#include <ravel/algorithms/cuda/sampled_values.cuh>
#include <ravel/algorithms/cuda/sort_in_block.cuh>
#include <ravel/algorithms/radix_sort/cuda.hpp>
#include <ravel/core/cuda/digit_ranks.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/digit_passes.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/rows.hpp>

#include <cmath>

namespace ravel::inline v0::gpu {
namespace detail {

/// Decisions that the kernels take on the device, without a round trip to the host.
struct pair_plan {
  unsigned even;    // whether a sample predicts that each bucket fits a block
  unsigned failed;  // whether it does not, or a bucket was found that fits no block
  bucket_list medium, large, crowded;  // the buckets that no small block sorts
};

/// One block tests whether buckets will be even: none of 256 equal intervals of key values may have
/// more than `limit` keys of a sample.
template <class U, class Order>
__global__ void __launch_bounds__(digit_policy::counting_threads)
    sample_keys_kernel(index_t n, index_t samples, U const* keys, Order order, unsigned limit,
                       pair_plan* plan, unsigned const* wanted) {
  constexpr int threads = digit_policy::counting_threads;
  constexpr int ways = 256;
  __shared__ unsigned count[ways];
  __shared__ unsigned greatest;
  int const thread = threadIdx.x;
  for (int d = thread; d < ways; d += threads) count[d] = 0;
  if (thread == 0) greatest = 0;
  __syncthreads();
  index_t const apart = n / samples;
#pragma unroll 8
  for (index_t i = thread; i < samples; i += threads) {
    atomicAdd(&count[order(keys[i * apart]) >> (8 * sizeof(U) - 8)], 1u);
  }
  __syncthreads();
  for (int d = thread; d < ways; d += threads) atomicMax(&greatest, count[d]);
  __syncthreads();
  if (thread == 0) {
    bool const sorts = wanted == nullptr || *wanted != 0;
    plan->even = sorts && greatest <= limit;
    plan->failed = sorts && greatest > limit;
    plan->medium.size = plan->large.size = plan->crowded.size = 0;
  }
}

/// Whether a row belongs to a bucket before bucket b.
template <class U, class Order>
struct before_bucket {
  U const* keys;
  Order order;
  int lower_bits;
  pair_plan const* plan;
  struct before {
    before_bucket of;
    index_t b;
    __device__ bool operator()(index_t i) const {
      return of.plan->even != 0 && static_cast<index_t>(of.order(of.keys[i]) >> of.lower_bits) < b;
    }
  };
  __device__ before operator()(index_t b) const { return {*this, b}; }
};

template <class M, class Shape>
struct pair_bucket {
  static constexpr int blocks = Shape::blocks;
  using block = bucket_block<std::uint32_t, Shape, true>;
  static constexpr int place_bits = std::bit_width(unsigned{block::most - 1});
  struct room {
    typename block::room sorted;
    M values[block::most];
  };

  /// Sorts bucket b, of `size` rows, by the `lower_bits` lowest bits of order(key).  These bits and
  /// the row's place in the bucket share a word of 32 bits.
  template <class U, class Order>
  static __device__ void sort(rows<U, M> pairs, int size, unsigned b, Order order, int lower_bits) {
    auto& in = *reinterpret_cast<room*>(shared_bytes());
    int const bits = 32 - lower_bits;
    block::sort_loaded(
        in.sorted, size,
        [&](int i) {
          in.values[i] = pairs.values[i];
          return order(pairs.keys[i]) << bits | static_cast<unsigned>(i);
        },
        [&](int place, unsigned x) {
          pairs.keys[place] = order.back(b << lower_bits | x >> bits);
          pairs.values[place] = in.values[x & ((1u << bits) - 1)];
        });
  }
};
template <class M>
using small_pair_bucket = pair_bucket<M, digit_policy::small_bucket>;
template <class M>
using medium_pair_bucket = pair_bucket<
    M, std::conditional_t<sizeof(M) <= 4, digit_policy::medium_bucket, digit_policy::small_bucket>>;
template <class M>
using large_pair_bucket = pair_bucket<M, digit_policy::large_pair_bucket<int{sizeof(M)}>>;

/// The most rows of a bucket that a block sorts in shared memory: a word has a row's place beside the
/// `lower_bits` bits of its key.
template <class M>
constexpr int most_pairs_of_bucket(int lower_bits) {
  int most = small_pair_bucket<M>::block::most;
  auto const admit = [&]<class Bucket>(Bucket) {
    if (Bucket::place_bits + lower_bits <= 32) most = std::max(most, Bucket::block::most);
  };
  admit(medium_pair_bucket<M>{});
  admit(large_pair_bucket<M>{});
  return most;
}

/// A block radix sorts a bucket in device memory, by two or four digits, lowest first.
template <class U, class M, class Order>
struct crowded_bucket {
  static constexpr int threads = digit_policy::threads;
  static constexpr int items = digit_policy::items;
  static constexpr index_t width = index_t{threads} * items;
  static constexpr index_t most = index_t{small_pair_bucket<M>::block::most} << 8;
  using ranks = digit_ranks<threads, items>;
  struct room {
    typename ranks::room by_digit;
    unsigned next[ranks::ways];  // the next place of each digit
  };

  room& in;
  Order order;

  __device__ void pass(rows<U, M> const& source, rows<U, M> const& target, index_t size,
                       int shift) const {
    ranks const block{in.by_digit};
    auto const digit_of = [&](index_t i) { return order(source.keys[i]) >> shift & 255; };
    for (int d = threadIdx.x; d < ranks::ways; d += threads) in.next[d] = 0;
    __syncthreads();
    for (index_t i = threadIdx.x; i < size; i += threads) atomicAdd(&in.next[digit_of(i)], 1u);
    scan_few<threads, ranks::ways>(in.next, in.next);
    __syncthreads();
    for (index_t begin = 0; begin < size; begin += width) {
      index_t const first = begin + ranks::warp() * warp_size * items + ranks::lane();
      // Places after the last row count as the greatest digit, so they are ranked after all rows.
      auto const digit = [&](int k) -> unsigned {
        return first + k * warp_size < size ? digit_of(first + k * warp_size) : ranks::ways - 1;
      };
      half_words<items> rank;
      block.rank(items, digit, rank);
      block.place();
#pragma unroll
      for (int k = 0; k < items; ++k) {
        index_t const i = first + k * warp_size;
        if (i < size) {
          unsigned const d = digit(k);
          target.set(in.next[d] + block.slot(d, rank[k]) - in.by_digit.start[d], source.read(), i);
        }
      }
      __syncthreads();
      for (int d = threadIdx.x; d < ranks::ways; d += threads) in.next[d] += in.by_digit.total[d];
      __syncthreads();
    }
  }
};

template <class U, class M, class Order>
__global__ void __launch_bounds__(digit_policy::threads, digit_policy::blocks)
    sort_crowded_buckets_kernel(rows<U, M> pairs, rows<U, M> spare, index_t const* starts,
                                Order order, int lower_bits, pair_plan const* plan) {
  using crowded = crowded_bucket<U, M, Order>;
  auto& room = *reinterpret_cast<typename crowded::room*>(shared_bytes());
  crowded const bucket{room, order};
  if (!plan->even || plan->failed) return;
  for (unsigned j = blockIdx.x; j < plan->crowded.size; j += gridDim.x) {
    unsigned const b = plan->crowded.bucket[j];
    index_t const begin = starts[b], size = starts[b + 1] - begin;
    rows<U, M> const bucket_rows{pairs.keys + begin, pairs.values + begin};
    rows<U, M> const spare_rows{spare.keys + begin, spare.values + begin};
    U differ = 0;
    for (index_t i = threadIdx.x; i < size; i += crowded::threads) {
      differ |= bucket_rows.keys[i] ^ bucket_rows.keys[0];
    }
    for (int shift = 0; shift < lower_bits; shift += 16) {
      if (__syncthreads_count((differ >> shift & 0xffff) != 0) == 0) continue;
      bucket.pass(bucket_rows, spare_rows, size, shift);
      bucket.pass(spare_rows, bucket_rows, size, shift + 8);
    }
  }
}

/// One block sorts each small bucket, and lists the larger ones.
template <class U, class M, class Order>
__global__ void __launch_bounds__(digit_policy::small_bucket::threads,
                                  digit_policy::small_bucket::blocks)
    sort_pair_buckets_kernel(rows<U, M> pairs, index_t const* starts, Order order, int lower_bits,
                             pair_plan* plan) {
  using small = small_pair_bucket<M>;
  if (!plan->even) return;
  unsigned const b = blockIdx.x;
  index_t const begin = starts[b], size = starts[b + 1] - begin;
  if (size > small::block::most && threadIdx.x == 0) {
    auto const suits = [&]<class Bucket>(Bucket) {
      return size <= Bucket::block::most && Bucket::place_bits + lower_bits <= 32;
    };
    if (suits(medium_pair_bucket<M>{})) {
      plan->medium.add(b);
    } else if (suits(large_pair_bucket<M>{})) {
      plan->large.add(b);
    } else if (size <= crowded_bucket<U, M, Order>::most) {
      plan->crowded.add(b);
    } else {
      plan->failed = 1;
    }
  }
  if (size == 0 || size > small::block::most) return;
  small::sort(rows<U, M>{pairs.keys + begin, pairs.values + begin}, static_cast<int>(size), b,
              order, lower_bits);
}

/// Fewer, larger blocks sort the listed buckets.
template <class Bucket, class U, class M, class Order>
__global__ void __launch_bounds__(Bucket::block::threads, Bucket::blocks)
    sort_listed_pair_buckets_kernel(rows<U, M> pairs, index_t const* starts, Order order,
                                    int lower_bits, pair_plan const* plan,
                                    bucket_list const* list) {
  if (!plan->even || plan->failed) return;
  for (unsigned j = blockIdx.x; j < list->size; j += gridDim.x) {
    unsigned const b = list->bucket[j];
    index_t const begin = starts[b];
    Bucket::sort(rows<U, M>{pairs.keys + begin, pairs.values + begin},
                 static_cast<int>(starts[b + 1] - begin), b, order, lower_bits);
  }
}

}  // namespace detail

/// Sorts rows by order(key), stably, if their number fills buckets
/// (detail::fills_pair_buckets).  `out` may be `in`.
///
/// Cost     O(n) work.  Reads the keys once, and moves 2 n rows three times.  Scratch for n rows,
///          unless `spare` is given.
template <class U, class M, class Order>
void sort_pairs_in_buckets(executor const& ex, index_t n, rows<U const, M const> in, rows<U, M> out,
                           rows<U, M> spare, Order order) {
  static_assert(sizeof(U) == 4);
  using bucket = detail::small_pair_bucket<M>;
  using large = detail::large_pair_bucket<M>;
  int const bits = detail::bucket_bits(n, 1);
  // If keys or values are sorted in place, copies the other column first, and sorts both in place.
  if (share_memory(in, out)) {
    if (in.keys != out.keys) ex.copy(in.keys, out.keys, n);
    if (in.values != out.values) ex.copy(in.values, out.values, n);
    in = out.read();
  }
  sort_of_few_values<U> few(ex, n);
  few.rows_by(digits<Order>{order, 0, 32, false}, in, out, spare);
  int const lower_bits = 32 - bits;
  index_t const buckets = index_t{1} << bits;

  auto const plan = ex.scratch<detail::pair_plan>(1);
  auto const starts = ex.scratch<index_t>(buckets + 1);
  index_t const samples = std::min(n, index_t{1} << 15);
  double const expected = static_cast<double>(samples) / 256;
  double const room = static_cast<double>(detail::most_pairs_of_bucket<M>(lower_bits)) *
                      static_cast<double>(buckets) / static_cast<double>(n);
  auto const limit = static_cast<unsigned>(expected * room + 6 * std::sqrt(expected));
  ex.launch({1, digit_policy::counting_threads}, detail::sample_keys_kernel<U, Order>, n, samples,
            in.keys, order, limit, plan.data(), few.rest());
  detail::launch_digit_passes<false>(ex, n, in, out, digits<Order>{order, lower_bits, 32, false},
                                     &plan.data()->even, spare);
  partition_points(ex, buckets + 1, n,
                   detail::before_bucket<U, Order>{out.keys, order, lower_bits, plan.data()},
                   starts.data());
  ex.launch_sharing<detail::sort_pair_buckets_kernel<U, M, Order>>(
      {buckets, bucket::block::threads, false, sizeof(typename bucket::room)}, out, starts.data(),
      order, lower_bits, plan.data());
  auto const sort_listed = [&]<class Bucket>(Bucket, detail::bucket_list const* list) {
    ex.launch_sharing<detail::sort_listed_pair_buckets_kernel<Bucket, U, M, Order>>(
        {ex.multiprocessors() * Bucket::blocks, Bucket::block::threads, false,
         sizeof(typename Bucket::room)},
        out, starts.data(), order, lower_bits, plan.data(), list);
  };
  if constexpr (sizeof(M) <= 4) {
    sort_listed(detail::medium_pair_bucket<M>{}, &plan.data()->medium);
  }
  sort_listed(large{}, &plan.data()->large);
  {
    bool const given = spare.keys != nullptr;
    auto const spare_keys = ex.scratch<U>(given ? 0 : n);
    auto const spare_values = ex.scratch<M>(given ? 0 : n);
    ex.launch_sharing<detail::sort_crowded_buckets_kernel<U, M, Order>>(
        {ex.multiprocessors() * digit_policy::blocks, digit_policy::threads, false,
         sizeof(typename detail::crowded_bucket<U, M, Order>::room)},
        out, given ? spare : rows<U, M>{spare_keys.data(), spare_values.data()}, starts.data(),
        order, lower_bits, plan.data());
  }
  detail::launch_digit_passes<false>(ex, n, in, out, digits<Order>{order, 0, 32, false},
                                     &plan.data()->failed, spare);
}

}  // namespace ravel::inline v0::gpu
