#pragma once

/// @file
/// Comparison sort on a device: blocks sort tiles in shared memory, then pairs of runs
/// are merged, one tile of the result by each block.
///
/// A thread sorts its consecutive rows in registers by an odd-even transposition network, which is
/// stable
/// because only neighbours are exchanged.
///
/// Source   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path - Parallel Merging Made
///          Simple", IPDPSW 2012; Baxter, "Modern GPU", 2013: the merge of a tile in
///          shared memory.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/merge.cuh>
#include <ravel/primitives/cuda/merge_block.cuh>

#include <concepts>
#include <cstdint>

namespace ravel::inline v0::gpu {
namespace detail {

template <class K, class V, class Before>
struct merge_block : merging_block<K, rows<K, V>::has_values, digit_policy::merging_threads,
                                   digit_policy::merged_items(sizeof(K)), Before> {
  static constexpr bool has_values = rows<K, V>::has_values;
  using base = merging_block<K, has_values, digit_policy::merging_threads,
                             digit_policy::merged_items(sizeof(K)), Before>;
  using base::before, base::in, base::items, base::keys, base::meets_next, base::put, base::threads,
      base::width;
  using typename base::room;
  static constexpr std::size_t bytes = sizeof(room);

  /// As merging_block, with the sources of rows as they are in shared memory.
  __device__ auto merge(shared_run<K> a, shared_run<K> b, int diagonal, K (&x)[items],
                        std::uint16_t (&from)[items]) const {
    return base::merge(a, b, diagonal, x, from, [this](int slot) { return in.source[slot]; });
  }

  /// Sorts the first `count` rows of the tile in shared memory.  Returns false to all threads if
  /// `before` is not a strict weak order: the rows are then unspecified.
  __device__ bool sort(int count) const {
    int const first = static_cast<int>(threadIdx.x) * items;
    int const mine = count - first < items ? count - first : items;
    K x[items];
    std::uint16_t from[items];
#pragma unroll
    for (int k = 0; k < items; ++k) {
      x[k] = keys()[first + k];
      from[k] = static_cast<std::uint16_t>(first + k);
    }
#pragma unroll
    for (int round = 0; round < items; ++round) {
#pragma unroll
      for (int k = round % 2; k + 1 < items; k += 2) {
        if (k + 1 < mine && before(x[k + 1], x[k])) {
          K const y = x[k];
          x[k] = x[k + 1];
          x[k + 1] = y;
          std::uint16_t const f = from[k];
          from[k] = from[k + 1];
          from[k + 1] = f;
        }
      }
    }
    __syncthreads();
    put(x, from);
    __syncthreads();
    bool meet = true;
    for (int run = items; run < count; run *= 2) {
      int const begin = first / (2 * run) * (2 * run);
      auto const rest = [&](int at) { return count - at < 0 ? 0 : ::min(count - at, run); };
      shared_run<K> const a{keys() + begin, rest(begin)};
      shared_run<K> const b{keys() + begin + run, rest(begin + run)};
      auto const steps = merge(a, b, ::min(first - begin, a.count + b.count), x, from);
      __syncthreads();
      put(x, from);
      meet &= meets_next(steps);
      __syncthreads();
    }
    return __syncthreads_count(!meet) == 0;
  }

  /// Writes `count` rows of the tile; the row in place i was at index at(source[i]).
  template <class At>
  __device__ void write(rows<K const, V const> const& rows_in, rows<K, V> const& out, index_t begin,
                        int count, At at) const {
    for (int i = threadIdx.x; i < count; i += threads) {
      out.keys[begin + i] = keys()[i];
      if constexpr (has_values) out.values[begin + i] = rows_in.values[at(in.source[i])];
    }
  }

  /// Merges the `count` rows of the result of a pair of runs that begin at `begin`.
  __device__ void merge_tile(rows<K const, V const> const& rows_in, rows<K, V> const& out,
                             index_t begin, int count, ravel::detail::pair_of_runs const& pair,
                             ravel::detail::merge_pass const& pass) const {
    auto const [first, middle, end] = pair;
    index_t const entered = begin == first ? 0 : pass.entered[begin / width];
    index_t const left =
        begin + count == end ? middle - first : pass.entered[(begin + count) / width];
    index_t const many_of_a = left - entered, ahead = begin - first;
    // Out of range if the order is inconsistent or offsets of segments do not ascend.  Without
    // short-circuit evaluation, so that all loads are issued together.
    bool const is_off = pass.is_off();
    bool const is_out = (many_of_a < 0) | (many_of_a > count) | (entered > ahead) |
                        (left > middle - first) | (ahead + count - left > end - middle);
    if (is_off | is_out) {
      if (is_off) return;
      pass.fail();  // copies the rows, so that later passes read initialised ones
      for (int i = threadIdx.x; i < count; i += threads) {
        out.set(begin + i, rows_in, begin + i);
      }
      return;
    }
    int const of_a = static_cast<int>(many_of_a);
    index_t const from_a = first + entered;
    index_t const from_b = middle + (begin - first - entered);
    auto const source = [&](int i) { return i < of_a ? from_a + i : from_b + (i - of_a); };
    // Several keys of a thread are loaded before the first is stored: not all, for their addresses
    // would take registers, and so blocks.
    constexpr int together = sizeof(K) < 24 ? static_cast<int>(24 / sizeof(K)) : 1;
#pragma unroll
    for (int k = 0; k < items; k += together) {
      K held[together];
#pragma unroll
      for (int j = 0; j < together; ++j) {
        int const i = (k + j) * threads + static_cast<int>(threadIdx.x);
        if (k + j < items && i < count) held[j] = rows_in.keys[source(i)];
      }
#pragma unroll
      for (int j = 0; j < together; ++j) {
        int const i = (k + j) * threads + static_cast<int>(threadIdx.x);
        if (k + j >= items || i >= count) continue;
        keys()[i] = held[j];
        if constexpr (has_values) in.source[i] = static_cast<std::uint16_t>(i);
      }
    }
    __syncthreads();
    K x[items];
    std::uint16_t from[items];
    int const diagonal = static_cast<int>(threadIdx.x) * items;
    auto const steps =
        merge({keys(), of_a}, {keys() + of_a, count - of_a}, ::min(diagonal, count), x, from);
    __syncthreads();
    put(x, from);
    if (!meets_next(steps)) pass.fail();
    __syncthreads();
    write(rows_in, out, begin, count, source);
  }
};

template <class K, class V, class Before>
__global__ void __launch_bounds__(merge_block<K, V, Before>::threads)
    sort_tiles_kernel(index_t n, rows<K const, V const> in, rows<K, V> out, Before before) {
  using block_t = merge_block<K, V, Before>;
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  block_t const block{{room, before}};
  index_t const begin = index_t{blockIdx.x} * block_t::width;
  int const count = static_cast<int>(n - begin < block_t::width ? n - begin : block_t::width);
  // Pads the tile with copies of the last row, on which no comparison of other rows depends.
  for (int i = threadIdx.x; i <= block_t::width; i += block_t::threads) {
    block.keys()[i] = in.keys[begin + (i < count ? i : count - 1)];
  }
  __syncthreads();
  if (!block.sort(count)) {  // the rows stay in place
    for (int i = threadIdx.x; i < count; i += block_t::threads) {
      block.keys()[i] = in.keys[begin + i];
      if constexpr (block_t::has_values) room.source[i] = static_cast<std::uint16_t>(i);
    }
    __syncthreads();
  }
  if constexpr (block_t::has_values) {
    // All values are loaded before any is stored, as the output may be the input.
    V held[block_t::items];
    for (int k = 0; k < block_t::items; ++k) {
      int const i = k * block_t::threads + static_cast<int>(threadIdx.x);
      if (i < count) held[k] = in.values[begin + room.source[i]];
    }
    __syncthreads();
    for (int k = 0; k < block_t::items; ++k) {
      int const i = k * block_t::threads + static_cast<int>(threadIdx.x);
      if (i < count) {
        out.keys[begin + i] = block.keys()[i];
        out.values[begin + i] = held[k];
      }
    }
  } else {
    block.write(in, out, begin, count, [](int) { return index_t{0}; });
  }
}

template <class K, class V, class Before>
__global__ void __launch_bounds__(merge_block<K, V, Before>::threads)
    merge_tiles_kernel(index_t n, rows<K const, V const> in, rows<K, V> out,
                       ravel::detail::equal_runs runs, Before before,
                       ravel::detail::merge_pass pass) {
  using block_t = merge_block<K, V, Before>;
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  index_t const begin = index_t{blockIdx.x} * block_t::width;
  block_t{{room, before}}.merge_tile(in, out, begin,
                                     static_cast<int>(::min(n - begin, index_t{block_t::width})),
                                     runs.around(begin), pass);
}

/// A block merges the parts of pairs of runs, of any lengths, that are in its tile, one after the
/// other.
template <class K, class V, class Runs, class Before>
__global__ void __launch_bounds__(merge_block<K, V, Before>::threads)
    merge_parts_kernel(index_t n, rows<K const, V const> in, rows<K, V> out, Runs runs,
                       Before before, ravel::detail::merge_pass pass) {
  using block_t = merge_block<K, V, Before>;
  __shared__ ravel::detail::pair_of_runs around;
  if (pass.is_off()) return;
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  index_t const stop = ::min((index_t{blockIdx.x} + 1) * block_t::width, n);
  for (index_t begin = index_t{blockIdx.x} * block_t::width; begin < stop;) {
    if (threadIdx.x == 0) around = runs.around(begin);
    __syncthreads();
    auto const pair = around;
    int const count = static_cast<int>(::min(pair.end, stop) - begin);
    block_t{{room, before}}.merge_tile(in, out, begin, count, pair, pass);
    begin += count;
    __syncthreads();  // shared memory is reused for the next part
  }
}

/// One merge pass by blocks.
template <class K, class V, class Runs, class Before>
void merge_by_blocks(executor const& ex, index_t n, rows<K const, V const> from, rows<K, V> to,
                     Runs runs, Before before, index_t* failed, int pass) {
  using block = merge_block<K, V, Before>;
  index_t const tiles = div_up(n, index_t{block::width});
  auto const entered = ex.scratch<index_t>(tiles);
  ravel::detail::merge_pass const now{failed, pass, block::width, entered.data()};
  for_each_search(ex, tiles,
                  ravel::detail::enter_tile<K, Runs, Before>{from.keys, runs, before, now});
  grid const of{tiles, block::threads, false, block::bytes};
  if constexpr (std::same_as<Runs, ravel::detail::equal_runs>) {  // a tile is within one pair
    ex.launch_sharing<merge_tiles_kernel<K, V, Before>>(of, n, from, to, runs, before, now);
  } else {
    ex.launch_sharing<merge_parts_kernel<K, V, Runs, Before>>(of, n, from, to, runs, before, now);
  }
}

}  // namespace detail

/// The merge passes: by blocks once the runs of most pairs are at least as long as tiles.
template <class K, class V, class RunsOf, class Before>
void merge_passes_on(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                     rows<K, V> other, int passes, RunsOf runs_of, Before before) {
  using block = detail::merge_block<K, V, Before>;
  if (passes == 0) return;
  auto const failed = ex.scratch<index_t>(passes + 1);
  ravel::detail::in_turns(passes, in, out, other, [&](int p, auto const& from, auto const& to) {
    auto const runs = runs_of(p);
    if constexpr (std::same_as<decltype(runs), ravel::detail::equal_runs const>) {
      detail::merge_by_blocks(ex, n, from, to, runs, before, failed.data(), p);
    } else {
      if constexpr (block::bytes <= 96 << 10) {
        if (runs.pairs() * block::width <= n) {
          return detail::merge_by_blocks(ex, n, from, to, runs, before, failed.data(), p);
        }
      }
      ravel::detail::merge_by_walks(ex, n, from, to, runs, before, failed.data(), p);
    }
  });
  for_each_if(ex, n, failed.data() + passes,
              ravel::detail::restore_row<K, V>{failed.data() + passes, passes, in, out, other});
}

/// The merge sort.
template <class K, class V, class Before>
void merge_sort_on(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                   Before before) {
  using block = detail::merge_block<K, V, Before>;
  static_assert(block::bytes <= 96 << 10, "comparison_sort: an element is too large for a block");
  index_t const tiles = div_up(n, index_t{block::width});
  int const passes = ravel::detail::doublings(n, block::width);
  auto const spare_keys = ex.scratch<K>(passes > 0 ? n : 0);
  auto const spare_values = ex.scratch<V>(passes > 0 && block::has_values ? n : 0);
  rows<K, V> const spare{spare_keys.data(), spare_values.data()};
  rows<K, V> const here = passes % 2 == 0 ? out : spare;
  ex.launch_sharing<detail::sort_tiles_kernel<K, V, Before>>(
      {tiles, block::threads, false, block::bytes}, n, in, here, before);
  merge_passes_on(ex, n, here.read(), out, spare, passes,
                  ravel::detail::doubling_runs{n, block::width}, before);
}

}  // namespace ravel::inline v0::gpu
