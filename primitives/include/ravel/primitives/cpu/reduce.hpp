#pragma once

/// @file
/// Reduce on the host, of numbers, in vector registers.
///
/// A serial floating-point sum waits four cycles for each addition.  Here a tile is reduced in the
/// order of scans (core/cpu/loops.hpp), and the totals of tiles in the same way, so that the result
/// is the same for any number of threads, and on all processors.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cpu/scan_numbers.hpp>
#include <ravel/primitives/reduce.hpp>

#include <concepts>

namespace ravel::inline v0::cpu {

namespace detail {

/// Out of line, so that the path for few elements inlines into the caller, and saves no registers.
template <class Load, class M, class Seed, class Total>
[[gnu::noinline]] void reduce_some(index_t n, Load load, M m, Seed seed, Total total) {
  total(combined(m, load, {0, 0, n}, carrier_t<M>(seed())));
}
template <class Ex, class Load, class M, class Seed, class Total>
[[gnu::noinline]] void reduce_many(Ex const& ex, index_t n, Load load, M m, Seed seed,
                                   Total total) {
  using T = carrier_t<M>;
  constexpr index_t width = 65536 / sizeof(T);
  // Prefetch distance: a page, which takes longer to reduce than the memory latency; or, if
  // elements are loaded to a buffer first, the next of those loads; data in caches arrives soon
  // enough.
  constexpr bool is_plain = std::same_as<Load, contiguous<T>>;
  constexpr index_t ahead = is_plain ? 4096 / index_t{sizeof(T)} : batch<T>;
  bool const prefetches = n >= beyond_caches / 2 / index_t{sizeof(T)};
  auto const reduced = [&](tile t, T carry) {
    if (!prefetches) return combined(m, load, t, carry);
    return combined(m, load, t, carry, prefetch_range_of(load, t.begin + ahead, t.end + ahead));
  };
  if (n <= width) {
    total(reduced({0, 0, n}, T(seed())));
    return;
  }
  auto const totals = ex.template scratch<T>(div_up(n, width));
  auto const reduce_tile = [&](worker, tile t) { totals[t.id] = reduced(t, T(m.identity())); };
  ex.for_each_tile_of(width, n, reduce_tile);
  reduce_many(ex, totals.size(), contiguous<T>{totals.data()}, m, seed, total);
}

}  // namespace detail

/// ravel::reduce_on, for loads without on(tile).
template <host_executor Ex, class Load, class M, class Seed, class Total>
requires(loops::known<M> && !requires(Load l, tile t) {
  l.on(t);
}) void reduce_on(Ex const& ex, index_t n, Load load, M m, Seed seed, Total total) {
  using T = carrier_t<M>;
  // The same order (any order for integers), without the overhead for large inputs.
  constexpr index_t few = (std::integral<T> ? 4 : 1) * loops::small_group_width<T>;
  if (n < few) {
    total(worker::reduce({0, 0, n}, load, m, T(seed())));
  } else if (n > loops::group_width<T>) {
    detail::reduce_many(ex, n, load, m, seed, total);
  } else if constexpr (std::integral<T>) {  // the reduction takes so much longer than the call
    detail::reduce_some(n, load, m, seed, total);
  } else {
    total(detail::combined(m, load, {0, 0, n}, T(seed())));
  }
}

}  // namespace ravel::inline v0::cpu
