#pragma once

/// @file
/// Histogram on the host: few elements are counted where the counts are.
///
/// The steps count each tile on its own and add its counts, which nobody else may
/// touch meanwhile: of a tile or two, that takes longer than counting.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/histogram.hpp>

#include <algorithm>
#include <concepts>

namespace ravel::inline v0::cpu {

/// As ravel::histogram_on.
template <host_executor Ex, class Bin, class Counts>
void histogram_on(Ex const& ex, index_t n, Bin bin, Counts&& counts) {
  constexpr index_t few = 4 * 4096;  // which threads leave to their caller
  if (n >= few && !std::same_as<Ex, sequential>) {
    ravel::histogram_on(ex, n, bin, counts);
    return;
  }
  auto const to = view_of(counts);
  std::fill_n(to.data(), to.size(), 0);
  if (n == 0) return;
  auto const there = ravel::detail::on_tile(bin, {0, 0, n});
  for (index_t i = 0; i < n; ++i) {
    index_t const k = there(i);
    if (0 <= k && k < to.size()) ++to.data()[k];
  }
}

}  // namespace ravel::inline v0::cpu
