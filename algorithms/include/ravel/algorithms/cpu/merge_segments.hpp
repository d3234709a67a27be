#pragma once

/// @file
/// Merges of pairs of runs on the host, of any lengths: a worker walks along what they merge to.

#include <ravel/algorithms/cpu/comparison_sort.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/waking.hpp>

namespace ravel::inline v0::cpu {

/// As ravel::detail::merge_pairs_of_runs.
template <class Ex, class K, class V, class Runs, class Before>
requires(std::same_as<Ex, sequential> || std::same_as<Ex, threads>) void merge_pairs_of_runs(
    Ex const& ex, index_t n, rows<K const, V const> from, rows<K, V> to, Runs runs, Before before) {
  ex.for_each_tile_of(tile_width, n, detail::merge_tile<K, V, Runs, Before>{from, to, runs, before},
                      detail::nanoseconds{n});
}

}  // namespace ravel::inline v0::cpu
