#pragma once

/// Sort and merge of a tile of rows by one thread block, in shared memory.
///
/// Each thread first sorts its consecutive rows in registers by an odd-even transposition network,
/// which is stable because only neighbours are exchanged.  Then pairs of runs are merged: each
/// thread searches the merge path for its place and merges its own rows.

#include <ravel/algorithms/comparison_sort/steps.hpp>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/merge.cuh>
#include <ravel/primitives/cuda/merge_block.cuh>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0::gpu::detail {

template <class K, class V, class Before, int Threads = digit_policy::merging_threads>
struct merge_block : merging_block<K, rows<K, V>::has_values, Threads,
                                   digit_policy::merged_items(sizeof(K)), Before> {
  static constexpr bool has_values = rows<K, V>::has_values;
  using base = merging_block<K, has_values, Threads, digit_policy::merged_items(sizeof(K)), Before>;
  using base::before, base::in, base::items, base::keys, base::meets_next, base::put, base::threads,
      base::width;
  using typename base::room;
  static constexpr std::size_t bytes = sizeof(room);

  /// As merging_block::merge, and also returns which row each key came from (`in.source`, in shared
  /// memory).
  __device__ auto merge(shared_run<K> a, shared_run<K> b, int diagonal, K (&x)[items],
                        std::uint16_t (&source)[items]) const {
    return base::merge(a, b, diagonal, x, source, [this](int slot) { return in.source[slot]; });
  }

  /// Sorts the first `own_rows` of a thread's rows by an odd-even transposition network.
  __device__ void sort_in_registers(int own_rows, K (&x)[items],
                                    std::uint16_t (&source)[items]) const {
#pragma unroll
    for (int round = 0; round < items; ++round) {
#pragma unroll
      for (int k = round % 2; k + 1 < items; k += 2) {
        if (k + 1 < own_rows && before(x[k + 1], x[k])) {
          K const y = x[k];
          x[k] = x[k + 1];
          x[k + 1] = y;
          std::uint16_t const f = source[k];
          source[k] = source[k + 1];
          source[k + 1] = f;
        }
      }
    }
  }

  /// Sorts the first `count` rows of the tile in shared memory.  If `before` is not a strict weak
  /// order it returns false in all threads, and leaves the rows unspecified.
  __device__ bool sort(int count) const {
    int const first = static_cast<int>(threadIdx.x) * items;
    int const own_rows = count - first < items ? count - first : items;
    K x[items];
    std::uint16_t source[items];
    if (own_rows > 0) {  // only this thread reads or writes its rows here, so no barrier is needed
#pragma unroll
      for (int k = 0; k < items; ++k) {
        x[k] = keys()[first + k];
        source[k] = static_cast<std::uint16_t>(first + k);
      }
      sort_in_registers(own_rows, x, source);
      put(x, source);
    }
    __syncthreads();
    bool meet = true;
    for (int run = items; run < count; run *= 2) {
      int const begin = first / (2 * run) * (2 * run);
      auto const rest = [&](int at) { return count - at < 0 ? 0 : ::min(count - at, run); };
      shared_run<K> const a{keys() + begin, rest(begin)};
      shared_run<K> const b{keys() + begin + run, rest(begin + run)};
      typename base::steps steps{0, 0, true};
      if (own_rows > 0) steps = merge(a, b, ::min(first - begin, a.count + b.count), x, source);
      __syncthreads();
      if (own_rows > 0) put(x, source);
      meet &= meets_next(steps);
      __syncthreads();
    }
    return __syncthreads_count(!meet) == 0;
  }

  /// How many rows are padded and read for a tile of `count` rows: all of every thread that has a
  /// row.
  __device__ static int filled(int count) { return (count + items - 1) / items * items; }

  /// Sorts the `count` rows from `begin` on to the same places of `out`, which may be rows_in.  If
  /// `before` is no strict weak order, they may stay unsorted.
  __device__ void sort_tile(rows<K const, V const> const& rows_in, rows<K, V> const& out,
                            index_t begin, int count) const {
    // Pads the tile with copies of the last row, on which no comparison of other rows depends.
    for (int i = threadIdx.x; i <= filled(count); i += threads) {
      keys()[i] = rows_in.keys[begin + (i < count ? i : count - 1)];
    }
    __syncthreads();
    if (!sort(count)) {  // no strict weak order: the rows stay in place
      for (int i = threadIdx.x; i < count; i += threads) {
        keys()[i] = rows_in.keys[begin + i];
        if constexpr (has_values) in.source[i] = static_cast<std::uint16_t>(i);
      }
      __syncthreads();
    }
    // Threads load all values before they store any, as the output may be the input.
    V held[has_values ? items : 1];
    if constexpr (has_values) {
      for (int k = 0; k < items; ++k) {
        int const i = k * threads + static_cast<int>(threadIdx.x);
        if (i < count) held[k] = rows_in.values[begin + in.source[i]];
      }
      __syncthreads();
    }
    for (int k = 0; k < items; ++k) {
      int const i = k * threads + static_cast<int>(threadIdx.x);
      if (i >= count) break;
      out.keys[begin + i] = keys()[i];
      if constexpr (has_values) out.values[begin + i] = held[k];
    }
  }

  /// Writes `count` rows of the tile; the row in place i came from index at(source[i]) of the
  /// input.
  template <class At>
  __device__ void write(rows<K const, V const> const& rows_in, rows<K, V> const& out, index_t begin,
                        int count, At at) const {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      int const i = k * threads + static_cast<int>(threadIdx.x);
      if (count == width || i < count) {
        out.keys[begin + i] = keys()[i];
        if constexpr (has_values) out.values[begin + i] = rows_in.values[at(in.source[i])];
      }
    }
  }

  /// Merges part of a pair of runs: `count` rows of the result, from `begin` on.  They come from
  /// rows `entered` to `left` of the first run, and otherwise from the second.  Returns whether the
  /// thread's merge ends where the next thread's begins, as it does if `before` is a strict weak
  /// order; if it is not, some rows may be written twice, or all stay in place.
  __device__ bool merge_part(rows<K const, V const> const& rows_in, rows<K, V> const& out,
                             index_t begin, int count, ravel::detail::pair_of_runs const& pair,
                             index_t entered, index_t left) const {
    auto const [first, middle, end] = pair;
    index_t const many_of_a = left - entered, ahead = begin - first;
    // The merge would read outside of the runs: the order is inconsistent, or offsets of segments
    // descend.
    bool const is_out = (many_of_a < 0) | (many_of_a > count) | (entered > ahead) |
                        (left > middle - first) | (ahead + count - left > end - middle);
    if (is_out) {
      for (int i = threadIdx.x; i < count; i += threads) out.set(begin + i, rows_in, begin + i);
      return false;
    }
    int const of_a = static_cast<int>(many_of_a), thread = static_cast<int>(threadIdx.x);
    index_t const from_a = first + entered, from_b = middle + (ahead - entered);
    K const* const a = rows_in.keys + from_a;
    K const* const b = rows_in.keys + from_b - of_a;
    K x[items];
#pragma unroll
    for (int k = 0; k < items; ++k) {
      int const i = k * threads + thread;
      if (count == width || i < count) x[k] = (i < of_a ? a : b)[i];
    }
#pragma unroll
    for (int k = 0; k < items; ++k) {
      int const i = k * threads + thread;
      if (count == width || i < count) {
        keys()[i] = x[k];
        if constexpr (has_values) in.source[i] = static_cast<std::uint16_t>(i);
      }
    }
    __syncthreads();
    std::uint16_t source[items];
    auto const steps = merge({keys(), of_a}, {keys() + of_a, count - of_a},
                             ::min(thread * items, count), x, source);
    __syncthreads();
    put(x, source);
    bool const meets = meets_next(steps);
    __syncthreads();
    write(rows_in, out, begin, count,
          [&](int i) { return i < of_a ? from_a + i : from_b + (i - of_a); });
    return meets;
  }

  /// Searches the merge path for a part's begin and end, one warp each: how many rows of the first
  /// run precede them.
  struct on_path {
    index_t entered, left;
  };
  __device__ on_path find_part(K const* data, index_t begin, int count,
                               ravel::detail::pair_of_runs const& pair) const {
    __shared__ index_t found[2];
    int const warp = static_cast<int>(threadIdx.x) / warp_size;
    if (warp < 2) {
      view<K const> const a(data + pair.begin, pair.middle - pair.begin);
      view<K const> const b(data + pair.middle, pair.end - pair.middle);
      index_t const ahead = begin - pair.begin + (warp == 0 ? 0 : count);
      index_t const point = merge_path_point_by_warp(a, b, ahead, before);
      if (threadIdx.x % warp_size == 0) found[warp] = point;
    }
    __syncthreads();
    return {found[0], found[1]};
  }

  /// Merges a part, as one block in a pass.  `of_tiles` has where tiles begin on the merge path; if
  /// it is null, the block searches for itself.
  __device__ void merge_tile(rows<K const, V const> const& rows_in, rows<K, V> const& out,
                             index_t begin, int count, ravel::detail::pair_of_runs const& pair,
                             index_t const* of_tiles, ravel::detail::merge_pass const& pass) const {
    bool const is_off = pass.is_off();  // loaded early and used late, to hide its latency
    auto const [entered, left] =
        of_tiles ? on_path{begin == pair.begin ? 0 : of_tiles[begin / width],
                           begin + count == pair.end ? pair.middle - pair.begin
                                                     : of_tiles[(begin + count) / width]}
                 : find_part(rows_in.keys, begin, count, pair);
    if (is_off) return;
    if (!merge_part(rows_in, out, begin, count, pair, entered, left)) pass.fail();
  }
};

}  // namespace ravel::inline v0::gpu::detail
