#pragma once

/// Counting sort on a device: integers of few distinct values are counted, and each value is
/// written as often as it occurs.
///
/// Cost     O(n + values) work.  Reads each key once and writes it once, whatever the
///          values are.  Scratch for a count of each value.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/count_values.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The order of integers: maps a value of U to its rank among all values, and a rank to its value.
template <class U>
struct by_value {
  U flip;
  RAVEL_HD unsigned operator()(U x) const { return static_cast<U>(x ^ flip); }
  RAVEL_HD U of(unsigned v) const { return static_cast<U>(static_cast<U>(v) ^ flip); }
};

/// Warp-wide 32-ary search: the number of elements of starts[0], ..., starts[m - 1], which ascend,
/// that are not greater than x.
inline __device__ int count_not_above(word64 const* starts, int m, word64 x) {
  int const lane = threadIdx.x % warp_size;
  int first = 0, last = m;  // the result is in [first, last]
  while (first < last) {
    int const step = (last - first + warp_size - 1) / warp_size;
    int const at = first + lane * step;
    bool const is_counted = at < last && starts[at] <= x;
    int const below = __popc(__ballot_sync(whole_warp, is_counted));
    last = ::min(first + below * step, last);
    if (below > 0) first += (below - 1) * step + 1;
  }
  return first;
}

/// Writes the sorted result: out[i] is the value v with starts[v] <= i < starts[v + 1].
template <int Threads, int Each, class U>
__global__ void __launch_bounds__(Threads)
    write_values_kernel(index_t n, word64 const* starts, int values, by_value<U> order, U* out) {
  constexpr int per_vector = 16 / static_cast<int>(sizeof(U));
  constexpr index_t width = index_t{Threads} * Each * per_vector;
  struct alignas(16) vector {
    U x[per_vector];
  };
  __shared__ int bounds[2];
  index_t const begin = blockIdx.x * width;
  index_t const end = begin + width < n ? begin + width : n;
  int const warp = threadIdx.x / warp_size;
  if (warp < 2) {
    index_t const at = warp == 0 ? begin : end - 1;
    int const v = count_not_above(starts, values, static_cast<word64>(at)) - 1;
    if (threadIdx.x % warp_size == 0) bounds[warp] = v;
  }
  __syncthreads();
  int const lowest = bounds[0], highest = bounds[1];
#pragma unroll
  for (int k = 0; k < Each; ++k) {
    index_t const i = begin + (index_t{k} * Threads + threadIdx.x) * per_vector;
    if (i >= end) break;
    int v = lowest, above = highest + 1;  // starts[v] <= i < starts[above]
    while (above - v > 1) {
      int const middle = (v + above) / 2;
      (starts[middle] <= static_cast<word64>(i) ? v : above) = middle;
    }
    auto const end_of = [&](int w) {
      return w < highest ? static_cast<index_t>(starts[w + 1]) : end;
    };
    vector y;
    index_t until = end_of(v);
#pragma unroll
    for (int j = 0; j < per_vector; ++j) {
      while (until <= i + j && v < highest) until = end_of(++v);
      y.x[j] = order.of(static_cast<unsigned>(v));
    }
    if (i + per_vector <= end && reinterpret_cast<std::uintptr_t>(out + i) % 16 == 0) {
      *reinterpret_cast<vector*>(out + i) = y;
    } else {
      for (int j = 0; j < per_vector && i + j < end; ++j) out[i + j] = y.x[j];
    }
  }
}

}  // namespace detail

/// Sorts unsigned integers of 1 or 2 bytes by x ^ flip.  `out` may be `in`.
///
/// Cost     O(n + values) work.  Reads each key once and writes it once.
template <class U>
void counting_sort(executor const& ex, index_t n, U const* in, U* out, U flip) {
  if (n == 0) return;
  constexpr int values = 1 << 8 * sizeof(U);
  constexpr int threads = digit_policy::writing_threads, per_thread = 4;
  detail::by_value<U> const order{flip};
  auto const starts = ex.scratch<unsigned long long>(values);
  ex.clear(starts);
  count_values(ex, n, in, order, values, starts.data());
  exclusive_scan(ex, starts, starts);
  ex.launch({div_up(n, index_t{threads} * per_thread * 16 / index_t{sizeof(U)}), threads},
            detail::write_values_kernel<threads, per_thread, U>, n, starts.data(), values, order,
            out);
}

}  // namespace ravel::inline v0::gpu
