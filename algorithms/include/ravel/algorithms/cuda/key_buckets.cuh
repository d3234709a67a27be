#pragma once

/// The buckets of numbers, in the order of the numbers, and a prediction of whether some bucket has too
/// many, and whether that is because there are few values.

#include <ravel/algorithms/cuda/key_orders.cuh>
#include <ravel/algorithms/cuda/part_tile.cuh>
#include <ravel/algorithms/cuda/sampled_values.cuh>
#include <ravel/algorithms/cuda/sort_in_block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/for_each_key.cuh>

#include <cmath>
#include <cstring>
#include <type_traits>

namespace ravel::inline v0::gpu::detail {

/// The floating-point type of so many bits.
template <class U>
using number_of_bits = std::conditional_t<sizeof(U) == 4, float, double>;
template <class F, class U>
__device__ F number_of(U bits) {
  F number;
  std::memcpy(&number, &bits, sizeof(F));
  return number;
}

/// The bucket of x by the highest bits of order(x).
template <class Order>
struct by_highest_bits {
  Order order;
  int shift;
  template <class U>
  __device__ unsigned operator()(U x) const {
    return static_cast<unsigned>(order(x) >> shift);
  }
  __device__ by_highest_bits loaded() const { return *this; }
};

/// The bucket of x among those that divide a range into intervals of equal width.  The highest bits of
/// floating-point keys are mostly the same, so they make no good buckets.
template <class F, class Order>
struct by_value_of_number {
  Order order;
  unsigned last;  // the number of the last bucket
  number_range const* range;
  F low = 0, scale = 0;
  template <class U>
  __device__ unsigned operator()(U x) const {
    F const number = number_of<F>(x);
    auto const b = static_cast<unsigned>((number - low) * scale);
    unsigned const up = b < last ? b : last;
    return order.flip != 0 ? last - up : up;
  }
  /// A copy with the constants that divide the range, which has to be in memory by now.  One thread of the block
  /// divides for all: where each does, the kernels that part keys of 8 bytes spill registers.
  __device__ by_value_of_number loaded() const {
    using U = decltype(order.infinity);
    __shared__ F shared_low, shared_scale;
    if (threadIdx.x == 0) {
      Order const up{order.infinity, 0};
      F const highest = number_of<F>(up.back(static_cast<U>(range->highest)));
      shared_low = number_of<F>(up.back(static_cast<U>(~range->not_lowest)));
      shared_scale = static_cast<F>(last + 1) / (highest - shared_low);
    }
    __syncthreads();
    return {order, last, range, shared_low, shared_scale};
  }
};

template <class U>
__global__ void __launch_bounds__(digit_policy::counting_threads)
    bound_numbers_kernel(index_t n, U const* keys, number_order<U> up, number_range* range,
                         unsigned const* wanted) {
  await_preceding_kernel();
  if (*wanted == 0) return;
  U highest = 0, not_lowest = 0;
  for_each_key<digit_policy::counting_threads, 2>(
      keys, n,
      [&](U x) {
        U const u = up(x);
        highest = highest < u ? u : highest;
        not_lowest = not_lowest < static_cast<U>(~u) ? static_cast<U>(~u) : not_lowest;
      },
      [] {});
  for (int delta = warp_size / 2; delta > 0; delta /= 2) {
    U const h = __shfl_xor_sync(whole_warp, highest, delta);
    U const l = __shfl_xor_sync(whole_warp, not_lowest, delta);
    highest = highest < h ? h : highest;
    not_lowest = not_lowest < l ? l : not_lowest;
  }
  if (threadIdx.x % warp_size == 0) {
    atomicMax(&range->highest, word64{highest});
    atomicMax(&range->not_lowest, word64{not_lowest});
  }
}

/// One block counts the buckets of a sample of keys.  If none has more than `limit`, the plan wants all
/// keys to be counted; else it ranks the values of the sample, and if they are too many for that, sets
/// *uneven.
template <class U, class Order>
struct bucket_sample {
  static constexpr int threads = digit_policy::counting_threads;
  static constexpr int items = digit_policy::sampled_items;
  static constexpr index_t size = index_t{threads} * items;
  static constexpr bool of_integers = std::same_as<Order, integer_order<U>>;

  index_t n;
  U const* keys;
  Order order;
  int bits;
  unsigned limit;
  bucket_plan* plan;
  unsigned* uneven;
  sampled_values<U>* values;

  /// Numbers have intervals between the least and the greatest of the sample.
  __device__ auto bucket_of(U const (&key)[items]) const {
    if constexpr (of_integers) {
      return by_highest_bits<Order>{order, int{8 * sizeof(U)} - bits};
    } else {
      __shared__ number_range range;
      Order const up{order.infinity, 0};
      if (threadIdx.x == 0) range.highest = range.not_lowest = 0;
      __syncthreads();
      U highest = 0, not_lowest = 0;
#pragma unroll
      for (int k = 0; k < items; ++k) {
        U const x = up(key[k]);
        highest = ::max(highest, x);
        not_lowest = ::max(not_lowest, static_cast<U>(~x));
      }
      highest = warp_greatest(highest);
      not_lowest = warp_greatest(not_lowest);
      if (threadIdx.x % warp_size == 0) {
        atomicMax(&range.highest, word64{highest});
        atomicMax(&range.not_lowest, word64{not_lowest});
      }
      __syncthreads();
      return by_value_of_number<number_of_bits<U>, Order>{order, (1u << bits) - 1, &range}.loaded();
    }
  }

  __device__ void run() const {
    auto* const counts = reinterpret_cast<unsigned*>(shared_bytes());
    U key[items];
    auto const apart = static_cast<unsigned>(::max(n / size, index_t{1}));
#pragma unroll
    for (int k = 0; k < items; ++k) {
      unsigned const i = k * threads + threadIdx.x;
      // at another place of each period of a power of 2
      key[k] = keys[::min(index_t{i} * apart + i % apart, n - 1)];
    }
    for (int b = threadIdx.x; b < 1 << bits; b += threads) counts[b] = 0;
    auto const bucket = bucket_of(key);
    __syncthreads();
    unsigned ahead = 0;
#pragma unroll
    for (int k = 0; k < items; ++k) ahead = ::max(ahead, atomicAdd(&counts[bucket(key[k])], 1u));
    bool const is_even = __syncthreads_count(ahead >= limit) == 0;
    if (is_even) {
      if (threadIdx.x == 0) {
        plan->wanted = 1;
        values->found = 0;
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < items; ++k) key[k] = order(key[k]);
    rank_sampled_values(key, static_cast<U>(order(keys[0])), 1, values, uneven);
  }
};

template <class U, class Order>
__global__ void __launch_bounds__(digit_policy::counting_threads)
    sample_buckets_kernel(bucket_sample<U, Order> sample) {
  sample.run();
}

/// Predicts whether a block can sort each bucket of keys by `bits` bits, and if not, whether they have
/// the few values that are then ranked.
template <class U, class Order>
void sample_buckets(executor const& ex, index_t n, U const* keys, Order order, int bits,
                    bucket_plan* plan, unsigned* uneven, sampled_values<U>* values) {
  using sample = bucket_sample<U, Order>;
  int const sampled_bits = std::min(bits, 14);  // for the counters to fit in shared memory
  double const most = double{large_bucket<U>::most} * (1 << (bits - sampled_bits));
  double const expected = most * double{sample::size} / static_cast<double>(n);
  auto const limit = static_cast<unsigned>(expected + 6 * std::sqrt(expected) + 4);
  ex.launch_sharing<sample_buckets_kernel<U, Order>>(
      {1, sample::threads, false, sizeof(unsigned) << sampled_bits},
      sample{n, keys, order, sampled_bits, limit, plan, uneven, values});
}

}  // namespace ravel::inline v0::gpu::detail
