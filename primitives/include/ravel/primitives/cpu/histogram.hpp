#pragma once

/// @file
/// Histogram on the host: counts of each thread, added up.
///
/// The steps count tiles that fit a cache, and add counts that nobody else may touch
/// meanwhile: of 256 bins that takes four times as long as counting, and of more each
/// element is such an addition.

#include <ravel/core/cpu/waking.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cpu/stretch_counts.hpp>
#include <ravel/primitives/histogram.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <limits>
#include <mutex>

namespace ravel::inline v0::cpu {
namespace detail {

/// Counts bins one by one.
template <class Bin, class C>
[[gnu::always_inline]] inline void count_in_turn(index_t n, Bin const& bin, C* counts,
                                                 index_t bins) {
  std::fill_n(counts, bins, C(0));
  if (n == 0) return;
  auto const there = ravel::detail::on_tile(bin, {0, 0, n});
  for (index_t i = 0; i < n; ++i) {
    auto const k = static_cast<std::uint64_t>(index_t{there(i)});  // of none if it is negative
    if (k < static_cast<std::uint64_t>(bins)) ++counts[k];
  }
}

/// Of so many bins each element has one, if that is known: then none is asked whether it has.
template <class Bin>
inline constexpr index_t bins_of_all = std::numeric_limits<index_t>::max();
template <std::unsigned_integral K>
requires(sizeof(K) <= 2) inline constexpr index_t
    bins_of_all<ravel::detail::bin_of_element<K, by_value>> = index_t{1} << 8 * sizeof(K);

/// Whether one thread should count n elements.
template <class Ex>
bool alone_counts(Ex const& ex, index_t n) {
  constexpr index_t few = index_t{1} << 15;
  return n < few || !worth_sharing([&] { return threads_of(ex); }, nanoseconds{n / 2});
}

/// Adds how many elements have each digit to `totals`.  Each thread has counts of its own, and takes
/// the next elements when it is free: so none waits for another's last.
template <class Ex, class Digit>
void count_by_threads(Ex const& ex, index_t most, index_t n, index_t ways, Digit const& digit,
                      index_t* totals) {
  index_t const width = std::clamp(n / (64 * most), index_t{1} << 12, index_t{1} << 18);
  std::atomic<index_t> next = 0;
  std::mutex guard;
  ex.on_each_thread(most, [&] {
    try {
      digit_counts mine(ways);
      for (index_t t; (t = next.fetch_add(1)) < div_up(n, width);) {
        mine.add(nth_tile(t, width, n), digit);
      }
      std::lock_guard const lock(guard);
      for (index_t d = 0; d < ways; ++d) totals[d] += mine[d];
    } catch (...) {
      next = n;  // the others need not go on
      throw;
    }
  });
}

/// Apart from what counts few elements, so that that is compiled into its caller.
template <class Ex, class Bin, class Counts>
[[gnu::noinline]] void histogram_of_many(Ex const& ex, index_t n, Bin bin, Counts const& to) {
  using C = element_t<Counts>;
  constexpr index_t at_once = 8;  // threads that add to counts of all as fast as one to its own
  index_t const bins = to.size(), threads = threads_of(ex);
  // All threads, unless to add up their counts would take longer.
  index_t const most = std::min(threads, n / 8 / std::max<index_t>(bins, 1));
  if (most >= std::min<index_t>(threads, 2)) {
    auto const totals = ex.template scratch<index_t>(bins + 1);
    std::fill_n(totals.data(), bins + 1, 0);
    if (bins >= bins_of_all<Bin>) {
      count_by_threads(ex, most, n, bins, bin, totals.data());
    } else {
      ravel::detail::bin_or_last<Bin> const or_last{bin, static_cast<int>(bins)};
      count_by_threads(ex, most, n, bins + 1, or_last, totals.data());
    }
    for (index_t k = 0; k < bins; ++k) to.data()[k] = static_cast<C>(totals[k]);
  } else if (threads >= at_once) {
    ravel::histogram_on(ex, n, bin, to);
  } else {
    count_in_turn(n, bin, to.data(), bins);
  }
}

}  // namespace detail

/// As ravel::histogram_on.
template <host_executor Ex, class Bin, class Counts>
void histogram_on(Ex const& ex, index_t n, Bin bin, Counts&& counts) {
  auto const to = view_of(counts);
  if (detail::alone_counts(ex, n)) {
    detail::count_in_turn(n, bin, to.data(), to.size());
  } else {
    detail::histogram_of_many(ex, n, bin, to);
  }
}

}  // namespace ravel::inline v0::cpu
