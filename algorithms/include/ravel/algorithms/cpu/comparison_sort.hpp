#pragma once

/// @file
/// Comparison sort on the host: each thread sorts some runs, and pairs of runs are merged, cut into
/// as many parts as there are tiles.
///
/// Nobody branches on which of two runs has the next row, as in cpu/sort_tile.hpp.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/algorithms/cpu/sort_tile.hpp>
#include <ravel/core/cpu/either.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/waking.hpp>
#include <ravel/primitives/merge.hpp>

#include <algorithm>
#include <utility>

namespace ravel::inline v0::cpu {
namespace detail {

/// Writes a tile of what pairs of runs merge to.
template <class K, class V, class Runs, class Before>
struct merge_tile {
  rows<K const, V const> from;
  rows<K, V> to;
  Runs runs;
  Before before;
  void operator()(auto const&, tile t) const {
    for (index_t d = t.begin; d < t.end;) {
      auto const [begin, middle, end] = runs.around(d);
      view<K const> const a(from.keys + begin, middle - begin), b(from.keys + middle, end - middle);
      index_t i = begin + merge_path_point(a, b, d - begin, before);
      index_t j = middle + (d - i);
      for (index_t const stop = std::min(end, t.end); d < stop;) {
        // So many steps look beyond neither run, and have no branches.
        index_t const steps = std::min({middle - i, end - j, stop - d});
        for (index_t const until = d + steps; d < until; ++d) {
          bool const second = before(from.keys[j], from.keys[i]);
          to.set(d, from, either(second, j, i));
          j += second;
          i += !second;
        }
        if (i < middle && j < end) continue;
        for (; d < stop; ++d) to.set(d, from, i == middle ? j++ : i++);
      }
    }
  }
};

}  // namespace detail

/// As the steps of merge sort.
template <class Ex, class K, class V, class Before>
requires(std::same_as<Ex, sequential> || std::same_as<Ex, threads>) void merge_sort_on(
    Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out, Before before) {
  int workers = 1;
  if constexpr (std::same_as<Ex, threads>) workers = ex.concurrency();
  // A power of two of runs for each thread, so that the merges are of equal runs.
  int passes = 0;
  while ((1 << passes) < 4 * workers && workers > 1) ++passes;
  index_t const run = div_up(div_up(n, index_t{1} << passes), tile_width) * tile_width;
  passes = ravel::detail::doublings(n, run);

  auto const spare_keys = ex.template scratch<K>(n);
  auto const spare_values = ex.template scratch<V>(rows<K, V>::has_values ? n : 0);
  rows<K, V> here = out, there{spare_keys.data(), spare_values.data()};
  if (passes % 2 == 1) std::swap(here, there);
  if (in.keys != here.keys || in.values != here.values) {
    for_each_index(ex, n, ravel::detail::copy_row<K, V>{in, here});
  }
  ex.for_each_tile_of(run, n, detail::sort_tile<K, V, Before>{here, there, before},
                      detail::nanoseconds{10 * n});
  using Runs = ravel::detail::equal_runs;
  for (index_t length = run; length < n; length *= 2) {
    ex.for_each_tile_of(
        tile_width, n,
        detail::merge_tile<K, V, Runs, Before>{here.read(), there, {n, length}, before},
        detail::nanoseconds{n});
    std::swap(here, there);
  }
}

}  // namespace ravel::inline v0::cpu
