#pragma once

/// @file
/// Histogram on the host: counts of each stretch, added up.
///
/// The steps count tiles that fit a cache, and add counts that nobody else may touch
/// meanwhile: of 256 bins that takes four times as long as counting, and of more each
/// element is such an addition.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cpu/stretch_counts.hpp>
#include <ravel/primitives/histogram.hpp>

#include <algorithm>
#include <concepts>

namespace ravel::inline v0::cpu {

/// As ravel::histogram_on.
template <host_executor Ex, class Bin, class Counts>
void histogram_on(Ex const& ex, index_t n, Bin bin, Counts&& counts) {
  using C = element_t<Counts>;
  constexpr index_t few = 4 * 4096;  // which threads leave to their caller
  auto const to = view_of(counts);
  index_t const bins = to.size();
  index_t const stretches = div_up(n, detail::stretch_of_split(n, detail::threads_of(ex)));
  if (n >= few && bins <= n / 8 / stretches) {
    ravel::detail::bin_or_last<Bin> const or_last{bin, static_cast<int>(bins)};
    detail::stretch_counts<Ex> const of_stretches(ex, n, bins + 1, or_last);
    for (index_t k = 0; k < bins; ++k) to.data()[k] = static_cast<C>(of_stretches.total(k));
    return;
  }
  if (n >= few && !std::same_as<Ex, sequential>) {
    ravel::histogram_on(ex, n, bin, counts);
    return;
  }
  std::fill_n(to.data(), bins, C(0));
  if (n == 0) return;
  auto const there = ravel::detail::on_tile(bin, {0, 0, n});
  for (index_t i = 0; i < n; ++i) {
    index_t const k = there(i);
    if (0 <= k && k < bins) ++to.data()[k];
  }
}

}  // namespace ravel::inline v0::cpu
