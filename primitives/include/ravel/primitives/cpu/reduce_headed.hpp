#pragma once

/// @file
/// Segmented reduce on the host where segments have no numbers: a loop that counts heads.
///
/// The steps carry a head flag and a count with every element through a scan.  Here a thread
/// looks at the heads of a tile 64 at once, for how many there are and where the last is, hands on
/// what that leaves open, and then goes from head to head.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/either.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/relay.hpp>
#include <ravel/core/cpu/waking.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>

namespace ravel::inline v0::cpu {
namespace detail {

/// The segment that some elements leave open: behind all of them, or of a tile by itself, where
/// number and begin are those of no segment if it found the segment begun.
template <class T>
struct open_segment {
  index_t number;  // how many heads there were, less one
  index_t begin;
  T value;
};

template <class M>
struct join_open {
  M m;
  using T = carrier_t<M>;
  open_segment<T> operator()(open_segment<T> const& ahead, open_segment<T> const& of_tile) const {
    index_t const number = ahead.number + of_tile.number + 1;
    if (of_tile.begin >= 0) return {number, of_tile.begin, of_tile.value};
    return {number, ahead.begin, m(ahead.value, of_tile.value)};
  }
};

/// Whether a visit says of itself that it only writes what it is told of a segment, and may be told
/// anew.  Then it is told with each element: nobody branches on where segments end.
template <class Visit>
concept overwrites = bool{Visit::overwrites};

/// A thread's part.  visit(s, value, begin) is told of each segment.
template <class Load, class Segments, class M, class Seed, class Visit, class Total>
struct reduce_headed_tiles {
  static constexpr index_t width = index_t{1} << 14;
  using T = carrier_t<M>;
  using state = open_segment<T>;

  index_t n;
  Load load_all;
  Segments segments;
  M m;
  Seed seed;
  Visit visit_segment;
  Total give_total;

  state total(index_t t) const {
    tile const here = nth_tile(t, width, n);
    auto const load = ravel::detail::on_tile(load_all, here);
    flag_words<Segments> const words{segments};
    index_t heads = 0, last = -1;
    for (index_t i = here.begin; i < here.end; i += 64) {
      std::uint64_t const word = words(i, std::min<index_t>(64, here.end - i));
      if (word != 0) last = i + 63 - std::countl_zero(word);
      heads += std::popcount(word);
    }
    index_t const first = std::max(last, here.begin);
    T const start = last >= 0 ? T(m(T(seed()), T(load(first)))) : T(load(first));
    return {heads - 1, last, worker::reduce({t, first + 1, here.end}, load, m, start)};
  }

  void visit(index_t t, state const& ahead, index_t) const { walk(nth_tile(t, width, n), ahead); }

  /// All elements as one tile.
  void visit_all() const { walk({0, 0, n}, nothing()); }
  state nothing() const { return {-1, -1, T(m.identity())}; }

 private:
  void walk(tile here, state open) const {
    auto const load = ravel::detail::on_tile(load_all, here);
    if constexpr (word<T> && overwrites<Visit>) {
      index_t end = here.end;  // what is open behind it another tile tells of
      if (end < n) {
        do {
          --end;
        } while (end > here.begin && !segments.head(end));
      }
      if (open.number >= 0 && segments.head(here.begin)) {
        visit_segment(open.number, open.value, open.begin);
      }
      for (index_t i = here.begin; i < end; ++i) {
        bool const head = segments.head(i);
        T const before = either(head, T(seed()), open.value);
        open = {open.number + head, either(head, i, open.begin), m(before, T(load(i)))};
        visit_segment(open.number, open.value, open.begin);
      }
    } else {
      for (index_t i = here.begin; i < here.end; ++i) {
        T const x = T(load(i));
        if (segments.head(i)) {
          if (open.number >= 0) visit_segment(open.number, open.value, open.begin);
          open = {open.number + 1, i, m(T(seed()), x)};
        } else {
          open.value = m(open.value, x);
        }
      }
      if (here.end == n && open.number >= 0) visit_segment(open.number, open.value, open.begin);
    }
    if (here.end == n) give_total(open.number + 1);
  }
};

/// Apart from what is done alone, which is compiled into its caller, and of a `work` of its own, so that
/// none need be in memory there.
template <class Ex, class Tiles, class M>
[[gnu::noinline]] void reduce_headed_by_tiles(Ex const& ex, Tiles const& work, M m) {
  relay(ex, div_up(work.n, Tiles::width), work.nothing(), join_open<M>{m}, work,
        nanoseconds{work.n});
}

template <class Ex, class Load, class Segments, class M, class Seed, class Visit, class Total>
void reduce_headed(Ex const& ex, index_t n, Load load, Segments segments, M m, Seed seed,
                   Visit visit, Total total) {
  using tiles = reduce_headed_tiles<Load, Segments, M, Seed, Visit, Total>;
  if (std::same_as<Ex, sequential> || n < 4 * tiles::width) {  // done before others are awake
    tiles{n, load, segments, m, seed, visit, total}.visit_all();
  } else {
    tiles const work{n, load, segments, m, seed, visit, total};
    reduce_headed_by_tiles(ex, work, m);
  }
}

template <class Visit>
struct visit_without_begin {
  static constexpr bool overwrites = detail::overwrites<Visit>;
  Visit visit;
  template <class T>
  void operator()(index_t s, T const& value, index_t) const {
    visit(s, value);
  }
};

}  // namespace detail

/// As the steps of segmented reduce where segments have no numbers.
template <host_executor Ex, class Load, class Segments, class M, class Seed, class Visit,
          class Total>
void reduce_headed_on(Ex const& ex, index_t n, Load load, Segments segments, M m, Seed seed,
                      Visit visit, Total total) {
  detail::reduce_headed(ex, n, load, segments, m, seed, detail::visit_without_begin<Visit>{visit},
                        total);
}

}  // namespace ravel::inline v0::cpu
