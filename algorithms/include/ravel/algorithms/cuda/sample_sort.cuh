#pragma once

/// Sample sort on a device, by any order: rows are distributed to buckets between splitters
/// (sample_distribution.cuh), in at most two levels, and a block sorts each bucket.  Where a merge
/// sort moves 2^28 rows 17 times, this moves them 3 times.

#include <ravel/algorithms/comparison_sort/cuda.hpp>
#include <ravel/algorithms/comparison_sort/steps.hpp>
#include <ravel/algorithms/cuda/merge_tile.cuh>
#include <ravel/algorithms/cuda/sample_distribution.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

struct begin_and_end {
  index_t n;
  word64* begins;
  RAVEL_HD void operator()(index_t i) const { begins[i] = i == 0 ? 0 : static_cast<word64>(n); }
};

/// The logarithm of the number of buckets.  A bucket of twice the average size has at most `width`
/// rows, which a block sorts at once.
constexpr int bits_of_buckets(index_t n, index_t width) {
  int bits = 2;
  while (bits < 2 * sampled_level::most_bits && n >> bits > width / 2) ++bits;
  return bits;
}

/// Where the buckets of a distribution begin, and which of them hold equivalent rows only.
struct sampled_buckets {
  word64 const* starts;
  bool const* repeated;
  index_t count;

  __device__ index_t begin(index_t b) const { return static_cast<index_t>(starts[b]); }
  /// The number of rows of bucket b that need sorting: 0 if all are equivalent.
  __device__ index_t unsorted(index_t b) const {
    bool const all_equal = b + 1 < count && repeated[b + 1];
    return all_equal ? 0 : begin(b + 1) - begin(b);
  }
};

template <class K, class V, class Before>
__global__ void __launch_bounds__(digit_policy::bucket_threads, digit_policy::bucket_blocks)
    sort_buckets_kernel(rows<K, V> out, sampled_buckets buckets, Before before) {
  using block_t = sample_block<K, V, Before>;
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  index_t const b = blockIdx.x, n = buckets.unsorted(b);
  if (n < 2 || n > block_t::width) return;
  block_t{{room, before}}.sort_tile(out.read(), out, buckets.begin(b), static_cast<int>(n));
}

/// Sorts a bucket of more rows than a block holds: the block sorts it in tiles, and merges these.
template <class K, class V, class Before>
struct large_bucket_sorter {
  using block_t = sample_block<K, V, Before>;
  rows<K, V> out, spare;
  Before before;

  __device__ void run(block_t const& block, index_t begin, index_t n) const {
    for (index_t at = 0; at < n; at += block_t::width) {
      auto const count = static_cast<int>(::min(n - at, index_t{block_t::width}));
      block.sort_tile(out.read(), out, begin + at, count);
      __syncthreads();
    }
    rows<K, V> src = out, dst = spare;
    for (index_t run = block_t::width; run < n; run *= 2) {
      merge_runs(block, begin, ravel::detail::equal_runs{n, run}, src.read(), dst);
      rows<K, V> const merged = dst;
      dst = src;
      src = merged;
    }
    if (src.keys != out.keys) copy(begin, n, src.read(), out);
  }

 private:
  static __device__ void copy(index_t begin, index_t n, rows<K const, V const> const& src,
                              rows<K, V> const& dst) {
    for (index_t i = begin + threadIdx.x; i < begin + n; i += block_t::threads) dst.set(i, src, i);
    __syncthreads();
  }

  /// One merge pass over the bucket; copies all rows if `before` turns out to be inconsistent.
  __device__ void merge_runs(block_t const& block, index_t begin,
                             ravel::detail::equal_runs const& runs,
                             rows<K const, V const> const& src, rows<K, V> const& dst) const {
    bool ordered = true;
    for (index_t at = 0; at < runs.n;) {
      auto const [first, middle, end] = runs.around(at);
      auto const count = static_cast<int>(::min(end - at, index_t{block_t::width}));
      ravel::detail::pair_of_runs const pair{begin + first, begin + middle, begin + end};
      auto const [entered, left] = block.find_part(src.keys, begin + at, count, pair);
      ordered &= block.merge_part(src, dst, begin + at, count, pair, entered, left);
      __syncthreads();
      at += count;
    }
    if (__syncthreads_count(!ordered) > 0) copy(begin, runs.n, src, dst);
  }
};

/// Each thread tests the size of one bucket; the block then sorts the large ones, one after
/// another.
template <class K, class V, class Before>
__global__ void __launch_bounds__(digit_policy::bucket_threads)
    sort_large_buckets_kernel(large_bucket_sorter<K, V, Before> sorter, sampled_buckets buckets) {
  using block_t = sample_block<K, V, Before>;
  __shared__ unsigned large[digit_policy::bucket_threads];
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  index_t const b = index_t{threadIdx.x} * gridDim.x + blockIdx.x;
  if (b < buckets.count && buckets.unsorted(b) > block_t::width) {
    large[atomicAdd(&count, 1u)] = static_cast<unsigned>(b);
  }
  __syncthreads();
  block_t const block{{*reinterpret_cast<typename block_t::room*>(shared_bytes()), sorter.before}};
  for (unsigned i = 0; i < count; ++i) {
    sorter.run(block, buckets.begin(large[i]), buckets.unsorted(large[i]));
    __syncthreads();
  }
}

}  // namespace detail

/// Sorts rows to `out`, which may be `in`, by any order, stably.
///
/// Cost     O(n log n) work.  Reads keys five times and writes rows three times, for up to 2^16
///          buckets; a block sorts each.  Scratch for n rows, and at most 2 n bytes.
template <class K, class V, class Before>
void launch_form(comparison_sort_by_samples, executor const& ex,
                 comparison_sort_call<K, V, Before> const& c) {
  using namespace detail;
  index_t const n = c.n;
  rows<K const, V const> in = c.in;
  rows<K, V> const out = c.out;
  Before const& before = c.before;
  using block = sample_block<K, V, Before>;
  int const bits = bits_of_buckets(n, block::width);
  int const levels = bits > sampled_level::most_bits ? 2 : 1;
  int const bits_above = bits / levels;
  auto const spare_keys = ex.scratch<K>(n);
  auto const spare_values = ex.scratch<V>(rows<K, V>::has_values ? n : 0);
  rows<K, V> const spare{spare_keys.data(), spare_values.data()};
  if (levels == 1 && share_memory(in, out)) {
    for_each_index(ex, n, ravel::detail::copy_row<K, V>{in, spare});
    in = spare.read();
  }

  auto const whole = ex.scratch<word64>(2);
  for_each_index(ex, 2, begin_and_end{n, whole.data()});
  sampled_level level{whole.data(), nullptr, 1, levels == 1 ? bits : bits_above};
  distribution<K, V, Before> by_samples(ex, n, 1 << bits_above, before);
  index_t const parts = level.ways();
  auto const begins = ex.scratch<word64>(parts + digit_plan::ways);
  auto const equal_parts = ex.scratch<bool>(parts);
  by_samples.run(level, in, levels == 1 ? out : spare, begins, equal_parts);
  index_t const buckets = index_t{1} << bits;
  auto const starts = ex.scratch<word64>(levels == 1 ? 0 : buckets + digit_plan::ways);
  auto const equal = ex.scratch<bool>(levels == 1 ? 0 : buckets);
  if (levels == 2) {
    level = {begins.data(), nullptr, level.ways(), bits - bits_above};
    by_samples.run(level, spare.read(), out, starts, equal);
  }
  sampled_buckets const sampled{(levels == 1 ? begins : starts).data(),
                                (levels == 1 ? equal_parts : equal).data(), buckets};
  ex.launch_sharing<sort_buckets_kernel<K, V, Before>>(
      {buckets, block::threads, false, block::bytes}, out, sampled, before);
  ex.launch_sharing<sort_large_buckets_kernel<K, V, Before>>(
      {div_up(buckets, index_t{block::threads}), block::threads, false, block::bytes},
      large_bucket_sorter<K, V, Before>{out, spare, before}, sampled);
}

}  // namespace ravel::inline v0::gpu
