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
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/relay.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/scan.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace ravel::inline v0::detail {

template <class Out>
struct write_value;  // of a segmented scan

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0::cpu {
namespace detail {

/// Elements of a tile: 128 KiB of a second cache, which may be of 256.
template <class T>
inline constexpr index_t scan_width = std::max<index_t>(131072 / sizeof(T), 1024);

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

/// Asks for the line of memory that element i is loaded from, if that is known: a load
/// that reads memory at one place may say where, as address(i).
template <class T>
void fetch(ravel::detail::read<T> const& load, index_t i) {
  __builtin_prefetch(load.from + i, 0, 2);
}
template <class Load>
void fetch([[maybe_unused]] Load const& load, [[maybe_unused]] index_t i) {
  if constexpr (requires { load.address(i); }) __builtin_prefetch(load.address(i), 0, 2);
}

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

/// Where a load reads its elements, if that is known.
template <class T>
void const* source(ravel::detail::read<T> const& load) {
  return load.from;
}
template <class Load>
void const* source(Load const&) {
  return nullptr;
}

/// Whether n results of a scan should be streamed: they are many, and are not
/// written where the elements were, which is in the cache.
template <class T, class Visit>
bool streams(void const* from, Visit const& visit, index_t n) {
  if constexpr (requires {
                  { visit.to } -> std::convertible_to<T const*>;
                }) {
    return n >= beyond_caches / index_t{sizeof(T)} && from != visit.to;
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

/// Values and heads of elements [i, i + n): the values where they are, or in
/// `room`.  Whoever knows a better way for his load specialises this.
template <class T, class Load>
struct read_segmented {
  Load load;

  T const* operator()(index_t i, index_t n, T* room, std::uint64_t* heads) const {
    unsigned char head[batch<T>];
    for (index_t k = 0; k < n; ++k) {
      flagged<T> const x = load(i + k);
      room[k] = x.value;
      head[k] = x.head;
    }
    flag_words<nonzero<unsigned char>> const words{{head}};
    for (index_t k = 0; k < n; k += 64) heads[k / 64] = words(k, std::min<index_t>(64, n - k));
    return room;
  }
  void fetch(index_t) const {}
  void const* source() const { return nullptr; }
};

/// The same of segments of numbers.
template <class M, class Load, class Visit>
struct scan_of_segments {
  using T = carrier_t<M>;
  segmented<M> m;
  Load load_all;
  Visit visit_all;
  bool streaming;

  /// Only what comes after the last head counts, so it is looked for from behind.
  flagged<T> total(tile t) const {
    auto const load = ravel::detail::on_tile(load_all, t);
    read_segmented<T, std::remove_const_t<decltype(load)>> const read{load};
    T room[batch<T>];
    std::uint64_t heads[batch<T> / 64];
    T sum = m.m.identity();
    for (index_t k = div_up(t.end - t.begin, batch<T>) - 1; k >= 0; --k) {
      index_t const i = t.begin + k * batch<T>;
      index_t const n = std::min(batch<T>, t.end - i);
      T const* const in = read(i, n, room, heads);
      for (index_t w = div_up(n, 64) - 1; w >= 0; --w) {
        if (heads[w] == 0) continue;
        index_t const head = 64 * w + 63 - std::countl_zero(heads[w]);
        return {m.m(simd::reduce(m.m, in + head, n - head), sum), true};
      }
      sum = m.m(simd::reduce(m.m, in, n), sum);
    }
    return {sum, false};
  }

  flagged<T> scan(tile t, flagged<T> carry, tile next) const {
    auto const load = ravel::detail::on_tile(load_all, t);
    auto const visit = ravel::detail::on_tile(visit_all, t);
    read_segmented<T, std::remove_const_t<decltype(load)>> const read{load};
    using visitor = std::remove_const_t<decltype(visit)>;
    constexpr bool keeps_value = std::same_as<visitor, ravel::detail::write_value<T>>;
    T room[batch<T>];
    T through[batch<T> + 1];
    std::uint64_t heads[batch<T> / 64];
    for (index_t i = t.begin; i < t.end; i += batch<T>) {
      index_t const n = std::min(batch<T>, t.end - i);
      T const* const in = read(i, n, room, heads);
      index_t const there = next.begin + (i - t.begin);
      auto const ask_for_next = [&](index_t k) { read.fetch(there + k); };
      through[0] = carry.value;
      T* out = through + 1;
      if constexpr (keeps_value) {
        if (!streaming) out = visit.to + i;
      }
      carry.value = simd::segmented_scan(m.m, in, heads, out, n, carry.value, ask_for_next);
      if constexpr (keeps_value) {
        if (streaming) stream(out, visit.to + i, n);
      } else {
        for (index_t k = 0; k < n; ++k) {
          bool const seen = carry.head;
          carry.head = seen || (heads[k / 64] >> k % 64 & 1) != 0;
          visit(i + k, flagged<T>{through[k], seen}, flagged<T>{through[k + 1], carry.head});
        }
      }
    }
    if (streaming) stream_fence();
    return carry;
  }
};

#endif

/// Whether `M` is segmented, and on what.
template <class M>
struct as_segmented {
  static constexpr bool fast = false;
};
template <class M>
struct as_segmented<segmented<M>> {
  using on = M;
  static constexpr bool fast = simd::of<M>::known && sizeof(carrier_t<M>) >= 4;
};

/// Of several forms the one for this monoid.
template <class M, class Load, class Visit>
auto scan_of(M m, Load load, Visit visit, [[maybe_unused]] index_t n) {
#ifdef RAVEL_SIMD
  if constexpr (simd::of<M>::known) {
    return scan_of_numbers<M, Load, Visit>{m, load, visit,
                                           streams<carrier_t<M>>(source(load), visit, n)};
  } else if constexpr (as_segmented<M>::fast) {
    using on = typename as_segmented<M>::on;
    return scan_of_segments<on, Load, Visit>{
        m, load, visit,
        streams<carrier_t<on>>(read_segmented<carrier_t<on>, Load>{load}.source(), visit, n)};
  } else
#endif
  {
    return scan_of_any<M, Load, Visit>{m, load, visit};
  }
}

/// A thread's part in a scan.
template <class T, class Scan, class Total>
struct scan_tiles {
  Scan of;
  index_t width, n;
  Total give_total;

  T total(index_t t) const { return of.total(nth_tile(t, width, n)); }
  void visit(index_t t, T const& ahead, index_t next) const {
    tile const here = nth_tile(t, width, n);
    T const through = of.scan(here, ahead, nth_tile(next, width, n));
    if (here.end == n) give_total(through);
  }
};

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
  auto of = detail::scan_of(m, load, visit, n);
  if (n == 0) {
    total(T(seed()));
  } else if (std::same_as<Ex, sequential> || n < 4 * width) {
    total(of.scan({0, 0, n}, T(seed()), {0, 0, n}));
  } else {
    relay(ex, div_up(n, width), T(seed()), m,
          detail::scan_tiles<T, decltype(of), Total>{of, width, n, total});
  }
}

}  // namespace ravel::inline v0::cpu
