#pragma once

/// @file
/// Scan on the host, past memory once, and several numbers at once.
///
/// The steps read every element twice from memory and combine one at a time.
/// Here a thread takes a tile that its second cache holds, combines it, hands what
/// is through it to the thread of the next tile, and scans it from the cache.
/// Sums, minima, maxima and bit operations of numbers are scanned in vector
/// registers.
///
/// Which operands are combined with which is fixed by n and the width of a
/// vector, so a floating-point result is the same for any number of threads.
///
/// Source   Zhang, Wang and Ross, "Parallel Prefix Sum with SIMD", 2023, for tiles
///          of the cache's size; docs/decisions/0008.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/relay.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/scan.hpp>

#include <algorithm>

namespace ravel::inline v0::cpu {
namespace detail {

/// Elements of a tile: 64 KiB of a second cache, which may be of 256.
template <class T>
inline constexpr index_t scan_width = std::max<index_t>(65536 / sizeof(T), 1024);

/// Elements that are loaded ahead of being scanned, and scanned ahead of being
/// visited, unless that is not needed: 8 KiB of the first cache.
template <class T>
inline constexpr index_t batch = 8192 / sizeof(T);

/// Where the elements [i, i + n) are, of type T: where a plain read finds them,
/// or else in `room`.
template <class T>
T const* loaded(ravel::detail::read<T> const& load, index_t i, index_t, T*) {
  return load.from + i;
}
template <class T, class Load>
T const* loaded(Load const& load, index_t i, index_t n, T* room) {
  for (index_t k = 0; k < n; ++k) room[k] = T(load(i + k));
  return room;
}

/// Asks for the line of memory that element i is loaded from, if that is known.
template <class T>
void fetch(ravel::detail::read<T> const& load, index_t i) {
  __builtin_prefetch(load.from + i, 0, 2);
}
template <class Load>
void fetch(Load const&, index_t) {}

/// What one thread does to a tile, one element at a time, for any monoid.
template <class M, class Load, class Visit>
struct scan_of_any {
  using T = carrier_t<M>;
  M m;
  Load load;
  Visit visit;

  T total(tile t) const {
    return worker::reduce(t, ravel::detail::on_tile(load, t), m, T(m.identity()));
  }
  T scan(tile t, T const& ahead, tile) const {
    return worker::scan(t, ravel::detail::on_tile(load, t), ravel::detail::on_tile(visit, t), m,
                        ahead);
  }
};

#ifdef RAVEL_SIMD

/// Whether the results of a scan should be streamed: they are many, and are not
/// written where the elements were, which is in the cache.
template <class T, class Load, class Visit>
bool streams(Load const& load, Visit const& visit, index_t n) {
  if constexpr (requires {
                  { visit.to } -> std::convertible_to<T const*>;
                }) {
    if constexpr (std::same_as<Load, ravel::detail::read<T>>) {
      if (load.from == visit.to) return false;
    }
    return n >= beyond_caches / index_t{sizeof(T)};
  } else {
    return false;
  }
}

/// The same in vectors of numbers.
template <class M, class Load, class Visit>
struct scan_of_numbers {
  using T = carrier_t<M>;
  M m;
  Load load_all;
  Visit visit_all;
  bool streaming;

  T total(tile t) const {
    auto const load = ravel::detail::on_tile(load_all, t);
    T room[batch<T>];
    T carry = m.identity();
    for (index_t i = t.begin; i < t.end; i += batch<T>) {
      index_t const n = std::min(batch<T>, t.end - i);
      carry = m(carry, simd::reduce(m, loaded<T>(load, i, n, room), n));
    }
    return carry;
  }

  T scan(tile t, T carry, tile next) const {
    auto const load = ravel::detail::on_tile(load_all, t);
    auto const visit = ravel::detail::on_tile(visit_all, t);
    using visitor = std::remove_const_t<decltype(visit)>;
    constexpr bool keeps_through = std::same_as<visitor, ravel::detail::write_through<T>>;
    constexpr bool keeps_before = std::same_as<visitor, ravel::detail::write_before<T>>;
    T room[batch<T>];
    T through[batch<T> + 1];
    for (index_t i = t.begin; i < t.end; i += batch<T>) {
      index_t const n = std::min(batch<T>, t.end - i);
      T const* const in = loaded<T>(load, i, n, room);
      index_t const there = next.begin + (i - t.begin);
      auto const ask_for_next = [&](index_t k) { fetch(load, there + k); };
      if constexpr (keeps_through) {
        if (!streaming) {
          carry = simd::scan(m, in, visit.to + i, n, carry, ask_for_next);
          continue;
        }
      }
      through[0] = carry;
      carry = simd::scan(m, in, through + 1, n, carry, ask_for_next);
      if constexpr (keeps_through || keeps_before) {
        if (streaming) {
          stream(through + keeps_through, visit.to + i, n);
          continue;
        }
      }
      for (index_t k = 0; k < n; ++k) visit(i + k, through[k], through[k + 1]);
    }
    if (streaming) stream_fence();
    return carry;
  }
};

#endif

/// Of several forms the one for this monoid.
template <class M, class Load, class Visit>
auto scan_of(M m, Load load, Visit visit, [[maybe_unused]] index_t n) {
#ifdef RAVEL_SIMD
  if constexpr (simd::of<M>::known) {
    return scan_of_numbers<M, Load, Visit>{m, load, visit, streams<carrier_t<M>>(load, visit, n)};
  } else
#endif
  {
    return scan_of_any<M, Load, Visit>{m, load, visit};
  }
}

}  // namespace detail

/// As ravel::scan_on.  `sequential` goes from the first element to the last.
template <host_executor Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_on(Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed, Total total) {
  using T = carrier_t<M>;
  constexpr index_t width = detail::scan_width<T>;
  if constexpr (sizeof(T) > 1024) {  // a tile would not fit the second cache
    ravel::scan_on(ex, n, load, visit, m, seed, total);
    return;
  }
  auto const of = detail::scan_of(m, load, visit, n);
  if (n == 0) {
    total(T(seed()));
  } else if (std::same_as<Ex, sequential> || n < 4 * width) {
    total(of.scan({0, 0, n}, T(seed()), {0, 0, n}));
  } else {
    relay(
        ex, div_up(n, width), T(seed()), m,
        [&](index_t t) { return of.total(nth_tile(t, width, n)); },
        [&](index_t t, T const& ahead, index_t next) {
          tile const here = nth_tile(t, width, n);
          T const through = of.scan(here, ahead, nth_tile(next, width, n));
          if (here.end == n) total(through);
        });
  }
}

}  // namespace ravel::inline v0::cpu
