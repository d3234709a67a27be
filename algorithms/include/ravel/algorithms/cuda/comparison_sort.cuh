#pragma once

/// Comparison sort on a device: blocks sort tiles in shared memory, then pairs of runs
/// are merged, one tile of the result by each block.
///
/// Source   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path - Parallel Merging Made
///          Simple", IPDPSW 2012; Baxter, "Modern GPU", 2013: the merge of a tile in
///          shared memory.

#include <ravel/algorithms/comparison_sort/cuda.hpp>
#include <ravel/algorithms/comparison_sort/steps.hpp>
#include <ravel/algorithms/cuda/merge_tile.cuh>
#include <ravel/algorithms/cuda/sample_sort.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/primitives/cuda/merge.cuh>

#include <cstdint>

namespace ravel::inline v0::gpu {
namespace detail {

template <class K, class V, class Before>
__global__ void __launch_bounds__(merge_block<K, V, Before>::threads)
    sort_tiles_kernel(index_t n, rows<K const, V const> in, rows<K, V> out, Before before,
                      index_t* failed) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *failed = 0;  // no merge pass, so far
  using block_t = merge_block<K, V, Before>;
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  index_t const begin = index_t{blockIdx.x} * block_t::width;
  block_t{{room, before}}.sort_tile(in, out, begin,
                                    static_cast<int>(::min(n - begin, index_t{block_t::width})));
}

/// The number of blocks that are resident on a multiprocessor in a merge of keys: with five, a
/// thread has 48 registers.
template <class K, class V>
inline constexpr int merging_blocks = rows<K, V>::has_values || sizeof(K) > 8 ? 1 : 5;

/// One block merges one tile of the result, which lies within one pair of runs.
template <class K, class V, class Runs, class Before>
__global__ void __launch_bounds__(merge_block<K, V, Before>::threads, merging_blocks<K, V>)
    merge_tiles_kernel(index_t n, rows<K const, V const> in, rows<K, V> out, Runs runs,
                       Before before, index_t const* of_tiles, ravel::detail::merge_pass pass) {
  using block_t = merge_block<K, V, Before>;
  await_preceding_kernel();
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  index_t const begin = index_t{blockIdx.x} * block_t::width;
  block_t{{room, before}}.merge_tile(in, out, begin,
                                     static_cast<int>(::min(n - begin, index_t{block_t::width})),
                                     runs.around(begin), of_tiles, pass);
}

/// One block merges one tile of the result.  Runs have any lengths, so the tile may hold parts of
/// several pairs of runs; the block merges them one after another.
template <class K, class V, class Runs, class Before>
__global__ void __launch_bounds__(merge_block<K, V, Before>::threads,
                                  1024 / merge_block<K, V, Before>::threads)
    merge_parts_kernel(index_t n, rows<K const, V const> in, rows<K, V> out, Runs runs,
                       Before before, index_t const* of_tiles, ravel::detail::merge_pass pass) {
  using block_t = merge_block<K, V, Before>;
  await_preceding_kernel();
  __shared__ ravel::detail::pair_of_runs around;
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  index_t const stop = ::min((index_t{blockIdx.x} + 1) * block_t::width, n);
  for (index_t begin = index_t{blockIdx.x} * block_t::width; begin < stop;) {
    if (threadIdx.x == 0) around = runs.around(begin);
    __syncthreads();
    auto const pair = around;
    int const count = static_cast<int>(::min(pair.end, stop) - begin);
    block_t{{room, before}}.merge_tile(in, out, begin, count, pair, of_tiles, pass);
    begin += count;
    __syncthreads();  // shared memory is reused for the next part
  }
}

/// The search for where a tile begins on the merge path of its pair of runs.
template <class K, class Runs, class Before>
struct enter_tile_of_runs : ravel::detail::enter_tile<K, Runs, Before> {
  using base = ravel::detail::enter_tile<K, Runs, Before>;
  using base::entered, base::width;
  __device__ void find(index_t t) const {
    index_t const at = t * width;
    auto const pair = this->runs_at(at);
    index_t const point = merge_path_point_by_warp(pair.a, pair.b, at - pair.begin, base::before);
    if (threadIdx.x % warp_size == 0) entered[t] = point;
  }
  /// The same, between the known points of tiles `first` and `last`, if these are of the same pair.
  __device__ void find_between(index_t t, index_t first, index_t last) const {
    index_t const at = t * width;
    auto const pair = this->runs_at(at);
    index_t const low = first * width >= pair.begin ? entered[first] : 0;
    index_t const high = last * width < pair.end ? entered[last] : pair.a.size();
    entered[t] = merge_path_point_between(pair.a, pair.b, at - pair.begin, low, high, base::before);
  }
};

/// One merge pass by blocks.  For up to 1,024 tiles each block searches the merge path for its own
/// tile, which saves a launch.  For more tiles preceding kernels do, mostly with a thread for each
/// search: blocks would wait for the latency of their searches while memory bandwidth is idle.
template <class K, class V, class Runs, class Before>
void merge_by_blocks(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                     Runs runs, Before before, ravel::detail::merge_pass pass) {
  using block = merge_block<K, V, Before>;
  if constexpr (!Runs::hold_tiles) {
    if (runs.pairs() == 1) return merge_by_blocks(ex, n, in, out, runs.last(n), before, pass);
  }
  constexpr index_t few = 1024;
  index_t const tiles = div_up(n, index_t{block::width});
  auto const entered = ex.scratch<index_t>(tiles > few ? tiles : 0);
  index_t const* const of_tiles = tiles > few ? entered.data() : nullptr;
  if (of_tiles) {
    ravel::detail::enter_tile<K, Runs, Before> const enter{in.keys, runs, before, block::width,
                                                           entered.data()};
    if constexpr (Runs::hold_tiles) {
      for_each_tile_search(ex, tiles, enter_tile_of_runs<K, Runs, Before>{enter});
    } else {
      for_each_search(ex, tiles, enter);
    }
  }
  grid const blocks = grid{tiles, block::threads, false, block::bytes}.early();
  if constexpr (Runs::hold_tiles) {
    ex.launch_sharing<merge_tiles_kernel<K, V, Runs, Before>>(blocks, n, in, out, runs, before,
                                                              of_tiles, pass);
  } else {
    ex.launch_sharing<merge_parts_kernel<K, V, Runs, Before>>(blocks, n, in, out, runs, before,
                                                              of_tiles, pass);
  }
}

/// Merge passes: by blocks where pairs of runs have on average at least as many rows as a tile,
/// otherwise by threads that merge a few rows each.  *failed is 0, and becomes one more than the
/// number of a pass in which the order is inconsistent.
template <class K, class V, class RunsOf, class Before>
void merge_passes_checked(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                          rows<K, V> spare, int passes, RunsOf runs_of, Before before,
                          index_t* failed) {
  using block = merge_block<K, V, Before>;
  ravel::detail::in_turns(passes, in, out, spare, [&](int p, auto const& src, auto const& dst) {
    auto const runs = runs_of(p);
    ravel::detail::merge_pass const pass{failed, p};
    if constexpr (decltype(runs)::hold_tiles) {
      merge_by_blocks(ex, n, src, dst, runs, before, pass);
    } else {
      if constexpr (block::bytes <= 96 << 10) {
        if (runs.pairs() * block::width <= n) {
          return merge_by_blocks(ex, n, src, dst, runs, before, pass);
        }
      }
      ravel::detail::merge_by_walks(ex, n, src, dst, runs, before, pass);
    }
  });
  for_each_if(ex, n, failed, ravel::detail::restore_row<K, V>{failed, passes, in, out, spare});
}

}  // namespace detail

/// Overload of merge_passes_on for a device.
template <class K, class V, class RunsOf, class Before>
void merge_passes_on(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                     rows<K, V> spare, int passes, RunsOf runs_of, Before before) {
  if (passes == 0) return;
  auto const failed = ex.scratch<index_t>(1);
  ex.clear(failed);
  detail::merge_passes_checked(ex, n, in, out, spare, passes, runs_of, before, failed.data());
}

template <class K, class V, class Before>
void launch_form(comparison_sort_by_tiles, executor const& ex,
                 comparison_sort_call<K, V, Before> const& c) {
  index_t const n = c.n;
  using block = detail::merge_block<K, V, Before>;
  static_assert(block::bytes <= 96 << 10, "comparison_sort: an element is too large for a block");
  index_t const tiles = div_up(n, index_t{block::width});
  int const passes = ravel::detail::doublings(n, block::width);
  auto const spare_keys = ex.scratch<K>(passes > 0 ? n : 0);
  auto const spare_values = ex.scratch<V>(passes > 0 && block::has_values ? n : 0);
  rows<K, V> const spare{spare_keys.data(), spare_values.data()};
  rows<K, V> const sorted = passes % 2 == 0 ? c.out : spare;
  auto const failed = ex.scratch<index_t>(1);
  ex.launch_sharing<detail::sort_tiles_kernel<K, V, Before>>(
      {tiles, block::threads, false, block::bytes}, n, c.in, sorted, c.before, failed.data());
  if (passes == 0) return;
  detail::merge_passes_checked(ex, n, sorted.read(), c.out, spare, passes,
                               ravel::detail::doubling_runs{n, block::width}, c.before,
                               failed.data());
}

}  // namespace ravel::inline v0::gpu
