#pragma once

/// Histogram of up to 2^16 values on a device, in one pass over memory.
///
/// A block counts in shared memory.  Few values have a private column of counters for each lane,
/// which avoids conflicts between lanes.  Many values have 16-bit counters, so that all of them
/// fit.  The thread that increments a 16-bit counter to half of its range flushes it to device
/// memory.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/lanes_of_digit.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/for_each_key.cuh>

namespace ravel::inline v0::gpu {
namespace detail {

/// A copy of `value` with its device-side part loaded to registers, if it provides loaded().
template <class Value>
__device__ Value loaded(Value const& value) {
  if constexpr (requires { value.loaded(); }) {
    return value.loaded();
  } else {
    return value;
  }
}

template <class K, class Value>
__global__ void __launch_bounds__(digit_policy::counting_threads)
    count_values_kernel(index_t n, K const* keys, Value value, int values, word64* counts,
                        unsigned const* wanted) {
  constexpr int threads = digit_policy::counting_threads;
  constexpr unsigned full = 0x8000;
  await_preceding_kernel();
  if (wanted != nullptr && *wanted == 0) return;
  value = loaded(value);
  auto* const pairs = reinterpret_cast<unsigned*>(shared_bytes());
  for (int b = threadIdx.x; b < (values + 1) / 2; b += threads) pairs[b] = 0;
  __syncthreads();
  // Atomics on one counter are serialised.  So a warp counts the value that is most frequent among
  // 32 keys far apart in registers.  For keys of 2 bytes only the merging below is done, which
  // costs less.
  unsigned frequent = 0, times_frequent = 0;
  if constexpr (sizeof(K) > 2) {
    index_t const apart = (n - 1) / (index_t{gridDim.x} * threads) + 1;
    index_t const i = (index_t{blockIdx.x} * threads + threadIdx.x) * apart;
    unsigned const v = value(keys[i < n ? i : n - 1]);
    auto const same = static_cast<unsigned>(__popc(lanes_of_digit<16>(v)));
    frequent = __reduce_max_sync(whole_warp, same << 16 | v) & 0xffff;
  }
  // A thread reads adjacent keys and merges increments for equal ones: sorted input has many.
  unsigned held = 0, times = 0;
  auto const flush = [&] {
    if (times == 0) return;
    unsigned const shift = held % 2 * 16;
    unsigned const was = atomicAdd(&pairs[held / 2], times << shift) >> shift & 0xffff;
    if (was < full && was + times >= full) {
      atomicAdd(&pairs[held / 2], 0u - (full << shift));
      atomicAdd(&counts[held], word64{full});
    }
    times = 0;
  };
  // Between barriers a block counts at most `full` keys, so that no counter overflows 16 bits.
  constexpr int at_once = sizeof(K) <= 4 ? 2 * static_cast<int>(sizeof(K)) : 8;
  static_assert(threads * at_once * 16 / sizeof(K) <= full);
  for_each_key<threads, at_once>(
      keys, n,
      [&](K const& key) {
        unsigned const v = value(key);
        if constexpr (sizeof(K) > 2) {
          if (v == frequent) {
            ++times_frequent;
            return;
          }
        }
        if (v != held) flush();
        held = v;
        ++times;
      },
      [&] {
        flush();
        __syncthreads();
      });
  times_frequent = __reduce_add_sync(whole_warp, times_frequent);
  if (threadIdx.x % warp_size == 0 && times_frequent != 0) {
    atomicAdd(&counts[frequent], word64{times_frequent});
  }
  for (int v = threadIdx.x; v < values; v += threads) {
    unsigned const here = pairs[v / 2] >> v % 2 * 16 & 0xffff;
    if (here != 0) atomicAdd(&counts[v], word64{here});
  }
}

inline constexpr int few_values = 256;

template <class K, class Value>
__global__ void __launch_bounds__(digit_policy::counting_threads)
    count_few_values_kernel(index_t n, K const* keys, Value value, int values, word64* counts,
                            unsigned const* wanted) {
  constexpr int threads = digit_policy::counting_threads;
  await_preceding_kernel();
  if (wanted != nullptr && *wanted == 0) return;
  auto* const columns = reinterpret_cast<unsigned*>(shared_bytes());
  for (int b = threadIdx.x; b < values * warp_size; b += threads) columns[b] = 0;
  __syncthreads();
  unsigned* const column = columns + threadIdx.x % warp_size;
  for_each_key<threads, 2>(
      keys, n, [&](K const& key) { atomicAdd(column + value(key) * warp_size, 1u); }, [] {});
  __syncthreads();
  for (int v = threadIdx.x; v < values; v += threads) {
    unsigned sum = 0;
    for (int c = 0; c < warp_size; ++c) sum += columns[v * warp_size + (c + v) % warp_size];
    if (sum != 0) atomicAdd(&counts[v], word64{sum});
  }
}

}  // namespace detail

/// Adds the number of keys with value(key) = v to counts[v], for each v less than `values`, which
/// is at most 2^16; unless `wanted` points to 0 in device memory.
template <class K, class Value>
void count_values(executor const& ex, index_t n, K const* keys, Value value, int values,
                  unsigned long long* counts, unsigned const* wanted = nullptr) {
  if (n == 0) return;
  constexpr int threads = digit_policy::counting_threads;
  index_t const busy = div_up(n, index_t{threads} * 16);
  if (values <= detail::few_values) {
    auto const bytes = sizeof(unsigned) * static_cast<std::size_t>(values * warp_size);
    ex.launch_sharing<detail::count_few_values_kernel<K, Value>>(
        grid{std::min(busy, 2 * ex.multiprocessors()), threads, false, bytes}.early(), n, keys,
        value, values, counts, wanted);
  } else {
    auto const bytes = sizeof(unsigned) * static_cast<std::size_t>((values + 1) / 2);
    ex.launch_sharing<detail::count_values_kernel<K, Value>>(
        grid{std::min(busy, ex.multiprocessors()), threads, false, bytes}.early(), n, keys, value,
        values, counts, wanted);
  }
}

}  // namespace ravel::inline v0::gpu
