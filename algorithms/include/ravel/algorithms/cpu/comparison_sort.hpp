#pragma once

/// @file
/// Comparison sort on the host: each thread sorts some runs, and pairs of runs are merged, cut into
/// as many parts as there are tiles.
///
/// Of two runs either may have the next row, so that a branch on it is mispredicted every second
/// time.  Here nobody branches: the answer is added to the places that are read next.  Halves of a
/// run are merged from both ends at once, which are two chains of such steps.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/merge.hpp>

#include <algorithm>
#include <utility>

namespace ravel::inline v0::cpu {
namespace detail {

/// yes ? a : b, of which compilers make a branch if they may.
[[gnu::always_inline]] inline index_t either(bool yes, index_t a, index_t b) {
  return b ^ ((a ^ b) & -index_t{yes});
}

/// Sorts the rows of a tile where they are, by way of as much room: halves first (von Neumann's
/// merge sort), whose rows go to and fro between the two.
template <class K, class V, class Before>
struct sort_tile {
  static constexpr index_t few = 8;  // are inserted one by one
  rows<K, V> at, room;
  Before before;

  void operator()(auto const&, tile t) const { sort(t.begin, t.end, true); }

 private:
  void sort(index_t begin, index_t end, bool stays) const {
    if (end - begin <= few) {
      insert(begin, end);
      for (index_t k = begin; k < end && !stays; ++k) room.set(k, at.read(), k);
      return;
    }
    index_t const middle = begin + (end - begin) / 2;
    sort(begin, middle, !stays);
    sort(middle, end, !stays);
    if (stays) {
      merge(room.read(), at, begin, middle, end);
    } else {
      merge(at.read(), room, begin, middle, end);
    }
  }

  void insert(index_t begin, index_t end) const {
    for (index_t i = begin + 1; i < end; ++i) {
      if (!before(std::as_const(at.keys[i]), std::as_const(at.keys[i - 1]))) continue;
      K const key = at.keys[i];
      index_t k = i;
      if constexpr (rows<K, V>::has_values) {
        V const value = at.values[i];
        for (; k > begin && before(key, std::as_const(at.keys[k - 1])); --k) {
          at.set(k, at.read(), k - 1);
        }
        at.values[k] = value;
      } else {
        for (; k > begin && before(key, std::as_const(at.keys[k - 1])); --k) {
          at.set(k, at.read(), k - 1);
        }
      }
      at.keys[k] = key;
    }
  }

  /// Merges [begin, middle) and [middle, end), which has as many rows or one more: so none of as
  /// many steps from either side looks beyond a run.
  void merge(rows<K const, V const> from, rows<K, V> to, index_t begin, index_t middle,
             index_t end) const {
    if (!before(from.keys[middle], from.keys[middle - 1])) {  // in order
      for (index_t k = begin; k < end; ++k) to.set(k, from, k);
      return;
    }
    index_t i = begin, j = middle, last_i = middle - 1, last_j = end - 1;
    for (index_t k = 0; k < middle - begin; ++k) {
      bool const second = before(from.keys[j], from.keys[i]);
      to.set(begin + k, from, either(second, j, i));
      j += second;
      i += !second;
      bool const first = before(from.keys[last_j], from.keys[last_i]);
      to.set(end - 1 - k, from, either(first, last_i, last_j));
      last_i -= first;
      last_j -= !first;
    }
    if ((end - begin) % 2 != 0) to.set(middle, from, i <= last_i ? i : j);
  }
};

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
  ex.for_each_tile_of(run, n, detail::sort_tile<K, V, Before>{here, there, before});
  using Runs = ravel::detail::equal_runs;
  for (index_t length = run; length < n; length *= 2) {
    ex.for_each_tile_of(
        tile_width, n,
        detail::merge_tile<K, V, Runs, Before>{here.read(), there, {n, length}, before});
    std::swap(here, there);
  }
}

}  // namespace ravel::inline v0::cpu
