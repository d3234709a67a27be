#pragma once

/// @file
/// Merges of pairs of runs on a device, of any lengths: a block merges the parts of pairs that are
/// in its tile, one after the other, in shared memory.

#include <ravel/algorithms/cuda/comparison_sort.cuh>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>

namespace ravel::inline v0::cuda {
namespace detail {

template <class K, class V, class Runs, class Before>
__global__ void __launch_bounds__(merge_block<K, V, Before>::threads)
    merge_parts_kernel(index_t n, rows<K const, V const> in, rows<K, V> out, Runs runs,
                       Before before, index_t const* ahead) {
  using block_t = merge_block<K, V, Before>;
  __shared__ ravel::detail::pair_of_runs around;
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  index_t const stop = min((index_t{blockIdx.x} + 1) * block_t::width, n);
  for (index_t begin = index_t{blockIdx.x} * block_t::width; begin < stop;) {
    if (threadIdx.x == 0) around = runs.around(begin);
    __syncthreads();
    auto const pair = around;
    int const count = static_cast<int>(min(pair.end, stop) - begin);
    block_t{room, before}.merge_tile(in, out, begin, count, pair, ahead);
    begin += count;
    __syncthreads();  // all have read what the next part is written over
  }
}

}  // namespace detail

/// As ravel::detail::merge_pairs_of_runs.  Where a tile has many pairs, which are shorter than it,
/// each row finds its place by itself.
template <class K, class V, class Runs, class Before>
void merge_pairs_of_runs(executor const& ex, index_t n, rows<K const, V const> from, rows<K, V> to,
                         Runs runs, Before before) {
  using block = detail::merge_block<K, V, Before>;
  index_t const pairs = div_up(runs.count, index_t{2} << runs.level);
  if constexpr (block::bytes <= 96 << 10) {
    if (pairs * block::width <= n) {
      index_t const tiles = div_up(n, index_t{block::width});
      auto const ahead = ex.scratch<index_t>(tiles);
      detail::enter_tiles(
          ex, tiles,
          detail::enter_tile<K, Runs, Before>{from.keys, runs, before, block::width, ahead.data()});
      return ex.launch_sharing<detail::merge_parts_kernel<K, V, Runs, Before>>(
          {tiles, block::threads, false, block::bytes}, n, from, to, runs, before, ahead.data());
    }
  }
  ravel::detail::merge_pairs_of_runs<executor>(ex, n, from, to, runs, before);
}

}  // namespace ravel::inline v0::cuda
