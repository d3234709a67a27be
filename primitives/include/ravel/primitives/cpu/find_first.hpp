#pragma once

/// @file
/// Find first on the host: the predicate is evaluated for 64 elements at once, and tiles after the
/// first match are skipped.

#include <ravel/core/atomic.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cpu/pack.hpp>
#include <ravel/primitives/find_first.hpp>

#include <algorithm>
#include <atomic>
#include <bit>

namespace ravel::inline v0::cpu {
namespace detail {

/// The first i of [begin, end) for which the predicate is true, or n.
template <bool Prefetches, class Holds>
index_t first_in(flag_words<Holds> const& words, index_t begin, index_t end, index_t n) {
  for (index_t i = begin; i < end; i += 64) {
    if constexpr (Prefetches) prefetch_operands<true>(words.flag, i);
    if (auto const word = words(i, std::min<index_t>(64, end - i))) {
      return i + std::countr_zero(word);
    }
  }
  return n;
}

/// The same, one by one.  Not inlined, where g++ would know that elements are few, and make a copy of the
/// predicate for each.
template <class Holds>
[[gnu::noinline]] index_t first_in_turn(Holds const& holds, index_t n) {
  index_t i = 0;
  while (i < n && !holds(i)) ++i;
  return i;
}

}  // namespace detail

/// ravel::find_first_on on the host.
template <host_executor Ex, class Holds, class Found>
void find_first_on(Ex const& ex, index_t n, Holds holds, Found found) {
  constexpr index_t few = 16, width = 8192, many = beyond_caches / 8;  // more than the caches hold
  if (n < few) {
    found(detail::first_in_turn(holds, n));
    return;
  }
  flag_words<Holds> const words{holds};
  if (n <= width) {
    found(detail::first_in<false>(words, 0, n, n));
    return;
  }
  index_t first = n;
  ex.for_each_tile_of(width, n, [&](worker, tile t) {
    if (std::atomic_ref<index_t>(first).load(std::memory_order_relaxed) < t.begin) return;
    constexpr bool prefetches = detail::has_known_operands<Holds>;
    index_t const here = n < many ? detail::first_in<false>(words, t.begin, t.end, n)
                                  : detail::first_in<prefetches>(words, t.begin, t.end, n);
    if (here < n) keep_least(&first, here);
  });
  found(first);
}

}  // namespace ravel::inline v0::cpu
