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
/// Which operands are combined with which is fixed by n, so a floating-point result is
/// the same for any number of threads, and on all processors.
///
/// Source   Zhang, Wang and Ross, "Parallel Prefix Sum with SIMD", 2023, for tiles
///          of the cache's size; docs/decisions/0008 and 0017.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/relay.hpp>
#include <ravel/core/cpu/waking.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cpu/scan_mirrored.hpp>
#include <ravel/primitives/cpu/scan_numbers.hpp>
#include <ravel/primitives/cpu/scan_segments.hpp>
#include <ravel/primitives/cpu/scan_strided.hpp>
#include <ravel/primitives/scan.hpp>

#include <algorithm>
#include <concepts>

namespace ravel::inline v0::cpu {
namespace detail {

/// Elements of a tile: 128 KiB of a second cache, which may be of 256.
template <class T>
inline constexpr index_t scan_width = std::max<index_t>(131072 / sizeof(T), 1024);

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
  T scan(tile t, T const& ahead, tile) const { return scan_in_turn(t, load, visit, m, ahead); }
};

/// Whether `M` is segmented, and on what.
template <class M>
struct as_segmented {
  static constexpr bool fast = false;
};
template <class M>
struct as_segmented<segmented<M>> {
  using on = M;
  static constexpr bool fast = loops::known_of_segments<M>;
};

/// Whether a scan is of tuples of numbers, and on what.
template <class M, class Load, class Visit>
struct as_tuples {
  static constexpr bool fast = false;
};
template <class M, int S, class Load, class Visit>
struct as_tuples<ravel::detail::tuple_monoid<M, S>, ravel::detail::load_tuple<S, Load, M>,
                 ravel::detail::visit_tuple<S, Visit>> {
  static constexpr bool fast = loops::known_of_strides<M>;
  /// Up to 128 words of four bytes, or 256 of eight, are as fast in S chains as in vectors.
  static constexpr index_t few = std::max<index_t>(16, 32 * sizeof(carrier_t<M>) / S);
  static auto of(ravel::detail::load_tuple<S, Load, M> const& load,
                 ravel::detail::visit_tuple<S, Visit> const& visit) {
    return scan_of_tuples<M, S, Load, Visit>{
        {load.load, visit.visit, streams<carrier_t<M>>(source(load.load), visit.visit, load.n)},
        load.n};
  }
};

/// Of several forms the one for this monoid.
template <class M, class Load, class Visit>
auto scan_of(M m, Load load, Visit visit, [[maybe_unused]] index_t n) {
  if constexpr (loops::known<M>) {
    return scan_of_numbers<M, Load, Visit>{m, load, visit,
                                           streams<carrier_t<M>>(source(load), visit, n)};
  } else if constexpr (as_segmented<M>::fast) {
    using on = typename as_segmented<M>::on;
    return scan_of_segments<on, Load, Visit>{
        m, load, visit,
        streams<carrier_t<on>>(read_segmented<carrier_t<on>, Load>{load}.source(), visit, n)};
  } else if constexpr (as_tuples<M, Load, Visit>::fast) {
    return as_tuples<M, Load, Visit>::of(load, visit);
  } else {
    return scan_of_any<M, Load, Visit>{m, load, visit};
  }
}

/// A scan of segments that have numbers, one after another, where a load knows how.
template <class Load>
struct as_numbered {
  static constexpr bool are = false;
};

/// So few elements, or tuples of them, are scanned one by one, for which nothing need be made
/// ready.
template <class M, class Load, class Visit>
constexpr index_t few_of_scan() {
  if constexpr (loops::known<M>) {
    return scan_of_numbers<M, Load, Visit>::is_plain || !groups_freely<M> ? 40 : 96;
  } else if constexpr (as_tuples<M, Load, Visit>::fast) {
    return as_tuples<M, Load, Visit>::few;
  } else {
    return as_segmented<M>::fast ? 32 : 64;  // more heads than that nobody foresees
  }
}

template <class Load>
bool is_mostly_empty(Load const& load, index_t n) {
  return load.segments.count() > 4 * n;
}

/// Whether n elements are so few.  Of segments that have numbers one tile has also those that are
/// mostly empty, through which it takes longer to go than to look for heads, and short ones that
/// are not scanned in vectors, which take loops no longer than heads take to be found.
template <class M, class Load, class Visit>
bool goes_one_by_one([[maybe_unused]] Load const& load, index_t n) {
  if (n < few_of_scan<M, Load, Visit>()) return true;
  if constexpr (as_numbered<Load>::are) {
    if (n > 4096) return false;
    return as_segmented<M>::fast ? is_mostly_empty(load, n) : 8 * load.segments.count() > n;
  } else {
    return false;
  }
}
template <class M, class Load, class Visit, class T>
T scan_few(M m, Load const& load, Visit const& visit, index_t n, T ahead) {
  if constexpr (as_tuples<M, Load, Visit>::fast) {
    return as_tuples<M, Load, Visit>::of(load, visit).scan_few(ahead);
  } else {
    if constexpr (as_numbered<Load>::are) {
      if (!is_mostly_empty(load, n)) return as_numbered<Load>::scan(load, visit, n, ahead);
    }
    return scan_of_any<M, Load, Visit>{m, load, visit}.scan({0, 0, n}, ahead, {});
  }
}

/// Whether a scan is in vectors, and not one by one.
template <class M, class Load, class Visit>
inline constexpr bool in_vectors =
    loops::known<M> || as_segmented<M>::fast || as_tuples<M, Load, Visit>::fast;

/// Whether a scan makes the total of a tile too, in the order that it has by itself.
template <class M>
inline constexpr bool totals_meanwhile = loops::known<M> && !groups_freely<M>;

/// So many tiles are scanned as one.  Where that groups operands in another way it depends on n alone:
/// those of numbers in registers are done before another thread is awake.  So it does where a tile's
/// total takes as long as its scan, for which a few threads are as fast as one.
template <class M, class Load, class Visit>
constexpr index_t tiles_of_one() {
  if (!in_vectors<M, Load, Visit>) return 4;
  return groups_freely<M> && !as_tuples<M, Load, Visit>::fast ? 2 : 8;
}

/// Threads of which one alone is as fast: what a tile of integer tuples comes to takes as long as to
/// scan it, and one makes no totals.
template <class M, class Load, class Visit>
inline constexpr int alone_as_fast_of_scan =
    as_tuples<M, Load, Visit>::fast&& groups_freely<M> ? 2 : 0;

/// A thread's part in a scan.
template <class M, class Scan, class Total>
struct scan_tiles {
  using T = carrier_t<M>;
  Scan of;
  index_t width, n;
  Total give_total;

  T total(index_t t) const { return of.total(nth_tile(t, width, n)); }
  auto visit(index_t t, T const& ahead, index_t next) const {
    tile const here = nth_tile(t, width, n);
    T const through = of.scan(here, ahead, nth_tile(next, width, n));
    if (here.end == n) give_total(through);
    if constexpr (groups_freely<M>) return through;
  }
  /// The same, and ahead * total(t) of whole tiles, which takes less than to make the total by itself.
  T visit_alone(index_t t, T const& ahead, index_t next) const requires totals_meanwhile<M> {
    T all = M{}.identity();
    tile const here = nth_tile(t, width, n);
    T const through = of.scan(here, ahead, nth_tile(next, width, n), &all);
    if (here.end == n) give_total(through);
    return M{}(ahead, all);
  }
};

/// Apart from what scans few elements, so that that is compiled into its caller.
template <class Ex, class Load, class Visit, class M, class Seed, class Total>
[[gnu::noinline]] void scan_many(Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                                 Total total) {
  using T = carrier_t<M>;
  constexpr index_t width = scan_width<T>;
  auto of = scan_of(m, load, visit, n);
  constexpr index_t serial_below = width * tiles_of_one<M, Load, Visit>();
  if (n == 0) {
    total(T(seed()));
  } else if (std::same_as<Ex, sequential> || n < serial_below ||
             threads_of(ex) <= alone_as_fast_of_scan<M, Load, Visit>) {
    total(of.scan({0, 0, n}, T(seed()), {0, n, n}));
    fence_results(n);
  } else {
    relay(ex, div_up(n, width), T(seed()), m,
          scan_tiles<M, decltype(of), Total>{of, width, n, total},
          in_vectors<M, Load, Visit> ? at_least(n) : nanoseconds{n});
  }
}

}  // namespace detail

/// As ravel::scan_on.  `sequential` goes from the first element to the last.  To group sums of
/// floating-point numbers as `threads` does it would have to keep totals of tiles: scans of 2.4 MB would
/// take it a tenth longer (EPYC).
template <host_executor Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_on(Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed, Total total) {
  using T = carrier_t<M>;
  if constexpr (sizeof(T) > 1024) {  // a tile would not fit the second cache
    ravel::scan_on(ex, n, load, visit, m, seed, total);
  } else if (n > 0 && detail::goes_one_by_one<M, Load, Visit>(load, n)) {
    total(detail::scan_few(m, load, visit, n, T(seed())));
  } else {
    detail::scan_many(ex, n, load, visit, m, seed, total);
  }
}

}  // namespace ravel::inline v0::cpu
