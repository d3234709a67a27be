#pragma once

/// @file
/// Split on any executor: counts the digits of each tile, scans the counts, and processes each tile
/// again.

#include <ravel/core/checked.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_on.hpp>

namespace ravel::inline v0 {

/// The receiver of the starts of parts that ignores them.
struct no_starts {
  RAVEL_HD void operator()(int, index_t) const {}
};

namespace detail {

/// The number of elements with each of `Many` digits.
template <int Many>
struct digit_counts {
  index_t of[Many];
};
template <int Many>
struct add_digit_counts {
  static RAVEL_HD digit_counts<Many> identity() { return {}; }
  RAVEL_HD digit_counts<Many> operator()(digit_counts<Many> const& x,
                                         digit_counts<Many> const& y) const {
    digit_counts<Many> sum;
    for (int d = 0; d < Many; ++d) sum.of[d] = x.of[d] + y.of[d];
    return sum;
  }
};

/// The first step: counts each digit in a tile.  The matrix of counts has a row for each digit, so
/// that its scan gives each tile the first position of each digit.
template <int Ways, class Digit>
struct count_digits {
  Digit digit;
  index_t* counts;
  index_t tiles;

  struct put_count {
    index_t* column;
    index_t tiles;
    RAVEL_HD void operator()(int d, index_t count) const { column[d * tiles] = count; }
  };
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.template count<Ways>(t, on_tile(digit, t), put_count{counts + t.id, tiles});
  }
};

/// The last step: visits each tile again, with its first position of each digit.
template <int Ways, class Digit, class Visit>
struct place_digits {
  Digit digit;
  Visit visit;
  index_t const* starts;
  index_t tiles;

  struct get_start {
    index_t const* column;
    index_t tiles;
    RAVEL_HD index_t operator()(int d) const { return column[d * tiles]; }
  };
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.template rank<Ways>(t, on_tile(digit, t), get_start{starts + t.id, tiles},
                             on_tile(visit, t));
  }
};

/// The sink of the scan of counts: stores the positions, and passes on where each part begins,
/// which is the position of tile 0.
template <class Starts>
struct write_starts {
  index_t* counts;
  index_t tiles;
  Starts starts;
  RAVEL_HD void operator()(index_t i, index_t before, index_t) const {
    counts[i] = before;
    if (i % tiles == 0) starts(static_cast<int>(i / tiles), before);
  }
};
template <int Ways, class Starts>
struct write_end {
  Starts starts;
  RAVEL_HD void operator()(index_t n) const { starts(Ways, n); }
};
template <int Ways, class Starts>
auto end_of(Starts starts) {
  if constexpr (std::same_as<Starts, no_starts>) {
    return no_total{};
  } else {
    return write_end<Ways, Starts>{starts};
  }
}
template <class Starts>
struct start_of_none {
  Starts starts;
  RAVEL_HD void operator()(index_t d) const { starts(static_cast<int>(d), index_t{0}); }
};

template <class T, class Digit>
struct digit_of_element {
  T const* from;
  Digit digit;
  RAVEL_HD int operator()(index_t i) const { return static_cast<int>(digit(from[i])); }
};
template <class T>
struct digit_of_flag {
  T const* flags;
  RAVEL_HD int operator()(index_t i) const { return flags[i] ? 1 : 0; }
};

/// The visit that moves each element to its position.
template <class In, class Out>
struct place_element {
  In const* from;
  Out* to;
  RAVEL_HD void operator()(index_t i, int, index_t place) const {
    to[place] = static_cast<Out>(from[i]);
  }
};
template <class T>
struct store_starts {
  T* to;
  RAVEL_HD void operator()(int d, index_t start) const { to[d] = static_cast<T>(start); }
};

}  // namespace detail

template <int Many>
inline constexpr bool commutes<detail::add_digit_counts<Many>> = true;

/// Visits each element of [0, n) with its position in the stable order of digits.
///
/// For each i, calls visit(i, d, place) once, in any order, with
///
///     d     = digit(i), in [0, Ways)
///     place = #{j : digit(j) < d} + #{j < i : digit(j) = d}
///
/// and starts(d, #{j : digit(j) < d}) for each d in [0, Ways], so that part d is [start(d), start(d
/// + 1)).  Each digit(i) is called twice and must return the same both times: visit(i, ...) must
/// not overwrite what it reads.  If a digit or a visit has a member on(tile), each tile uses its
/// result instead.
///
/// Cost     O(n + Ways tiles) work, O(log n) span, and 8 Ways bytes of scratch for each tile.
///          Reads the input of `digit` twice.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990, for the split; Zagha and
///          Blelloch, "Radix Sort for Vector Multiprocessors", Supercomputing 1991, for many ways
///          at once, with a tile in place of a processor.
template <int Ways, executor Ex, class Digit, class Visit, class Starts>
void split_on(Ex const& ex, index_t n, Digit digit, Visit visit, Starts starts) {
  static_assert(1 <= Ways && Ways <= 256, "split_on: the ways are from 1 to 256");
  index_t const tiles = ex.tile_count(n);
  if (tiles == 0) {
    if constexpr (!std::same_as<Starts, no_starts>) {
      for_each_index(ex, Ways + 1, detail::start_of_none<Starts>{starts});
    }
    return;
  }
  auto const counts = ex.template scratch<index_t>(Ways * tiles);
  ex.for_each_tile(n, detail::count_digits<Ways, Digit>{digit, counts.data(), tiles});
  scan_on(ex, Ways * tiles, contiguous<index_t>{counts.data()},
          detail::write_starts<Starts>{counts.data(), tiles, starts}, plus<index_t>{},
          detail::seed_identity<plus<index_t>>{}, detail::end_of<Ways>(starts));
  ex.for_each_tile(n, detail::place_digits<Ways, Digit, Visit>{digit, visit, counts.data(), tiles});
}

/// The overload for a checked executor, which has nothing to verify here.
template <int Ways, executor Ex, class Digit, class Visit, class Starts>
void split_on(checked_executor<Ex> const& ex, index_t n, Digit digit, Visit visit, Starts starts) {
  split_on<Ways>(ex.own(), n, digit, visit, starts);
}

}  // namespace ravel::inline v0
