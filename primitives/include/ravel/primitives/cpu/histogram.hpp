#pragma once

/// Histogram on the host: each thread has private counts, which are summed at the end.
///
/// The generic steps count tiles that fit in cache and add their counts atomically.  For 256 bins
/// that takes four times as long as counting, and for more bins each element costs an atomic
/// addition.

#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/primitives/cpu/chunk_counts.hpp>
#include <ravel/primitives/histogram/call.hpp>
#include <ravel/primitives/histogram/steps.hpp>

#include <atomic>

namespace ravel::inline v0::cpu::detail {

/// Counts bins serially.
template <class Bin, class C>
[[gnu::always_inline]] inline void count_in_turn(index_t n, Bin const& bin, C* counts,
                                                 index_t bins) {
  std::fill_n(counts, bins, C(0));
  if (n <= 0) return;
  auto const bin_of = ravel::detail::on_tile(bin, {0, 0, n});
  auto const count = [&](index_t i) {
    // a negative bin becomes a large number, which is not counted
    auto const k = static_cast<std::uint64_t>(index_t{bin_of(i)});
    if (k < static_cast<std::uint64_t>(bins)) ++counts[k];
  };
  index_t i = 0;
  for (; i + 3 < n; i += 4) {  // unrolled: loop overhead costs as much as the bounds test
    count(i), count(i + 1), count(i + 2), count(i + 3);
  }
  for (; i < n; ++i) count(i);
}

/// The number of bins if every element is known to fall into one, so that no bounds test is needed;
/// otherwise more than any number of bins.
template <class Bin>
inline constexpr index_t bins_of_all = std::numeric_limits<index_t>::max();
template <std::unsigned_integral K>
requires(sizeof(K) <= 2) inline constexpr index_t
    bins_of_all<ravel::detail::bin_of_element<K, by_value>> = index_t{1} << 8 * sizeof(K);

/// Whether one thread counts n elements faster in several tables, since most may fall into one bin.
inline bool pays_for_tables(index_t n, index_t bins) {
  return digit_counts::has_four(bins + 1) && n >= 64 * bins;
}

inline constexpr index_t fewest_to_count_by_threads = index_t{1} << 15;

/// The number of threads to count n elements with, where n >= fewest_to_count_by_threads.
index_t threads_that_count(auto const& ex, index_t n) {
  return threads_worth_waking([&] { return threads_of(ex); }, nanoseconds{n / 2});
}

/// Counts the digits of all elements in several rows of `counts`, and returns the number of rows;
/// the result is their sum.  Each thread has its own row, and takes the next tile when it is free
/// (dynamic scheduling), so threads do not wait for each other.
index_t count_by_threads(auto const& ex, index_t cap, index_t n, index_t ways, auto const& digit,
                         index_t* counts) {
  index_t const width = ravel::detail::clamped(n / (64 * cap), index_t{1} << 12, index_t{1} << 18);
  index_t const tiles = div_up(n, width);
  std::atomic<index_t> next = 0, rows = 0;
  ex.on_each_thread(cap, [&] {
    index_t t = next++;
    if (t >= tiles) return;
    try {
      digit_counts tally(ways);
      for (; t < tiles; t = next++) tally.add(nth_tile(t, width, n), digit);
      index_t* const row = counts + ways * rows++;
      for (index_t d = 0; d < ways; ++d) row[d] = tally[d];
    } catch (...) {
      next = tiles;  // stops the other threads
      throw;
    }
  });
  return rows;
}

void histogram_of_many(auto const& ex, index_t threads, auto const& c) {
  using Bin = decltype(c.bin);
  using C = std::remove_pointer_t<decltype(c.counts)>;
  // threads whose atomic additions are together as fast as one thread with private counts
  constexpr index_t at_once = 8;
  index_t const bins = c.bins;
  // All threads, unless summing their counts would take longer than counting.
  index_t const sharing = std::min(threads, c.n / 8 / std::max<index_t>(bins, 1));
  if (sharing >= std::min<index_t>(threads, 2)) {
    bool const each_has_one = bins >= bins_of_all<Bin>;
    index_t const ways = each_has_one ? bins : bins + 1;
    auto const counts = ex.template scratch<index_t>(sharing * ways);
    ravel::detail::bin_or_last<Bin> const or_last{c.bin, static_cast<int>(bins)};
    index_t const rows = each_has_one
                             ? count_by_threads(ex, sharing, c.n, ways, c.bin, counts.data())
                             : count_by_threads(ex, sharing, c.n, ways, or_last, counts.data());
    ex.for_each_tile(bins, [=, partial = counts.data(), out = c.counts](worker, tile t) {
      for (index_t k = t.begin; k < t.end; ++k) {
        index_t sum = 0;
        for (index_t r = 0; r < rows; ++r) sum += partial[r * ways + k];
        out[k] = static_cast<C>(sum);
      }
    });
  } else if (threads >= at_once) {
    run_call_by<histogram_by_steps>(ex, c);
  } else {
    count_in_turn(c.n, c.bin, c.counts, bins);
  }
}

}  // namespace ravel::inline v0::cpu::detail
