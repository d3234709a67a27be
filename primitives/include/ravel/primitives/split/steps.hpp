#pragma once

/// Split on any executor: counts the digits of each tile, scans the counts, and processes each tile
/// again.

#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_on.hpp>
#include <ravel/primitives/split/call.hpp>

namespace ravel::inline v0 {

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

}  // namespace detail

template <int Many>
inline constexpr bool commutes<detail::add_digit_counts<Many>> = true;

struct split_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor, digit and visit: counts the digits of each tile, scans the counts, and goes "
      "over each tile again.";
  template <class Ex, class Digit, class Visit, class Starts, int Ways>
  static void run(Ex const& ex, split_call<Ways, Digit, Visit, Starts> const& c) {
    index_t const tiles = ex.tile_count(c.n);
    if (tiles == 0) {
      if constexpr (!std::same_as<Starts, no_starts>) {
        for_each_index(ex, Ways + 1, detail::start_of_none<Starts>{c.starts});
      }
      return;
    }
    auto const counts = ex.template scratch<index_t>(Ways * tiles);
    ex.for_each_tile(c.n, detail::count_digits<Ways, Digit>{c.digit, counts.data(), tiles});
    scan_on(ex, Ways * tiles, contiguous<index_t>{counts.data()},
            detail::write_starts<Starts>{counts.data(), tiles, c.starts}, plus<index_t>{},
            detail::seed_identity<plus<index_t>>{}, detail::end_of<Ways>(c.starts));
    ex.for_each_tile(
        c.n, detail::place_digits<Ways, Digit, Visit>{c.digit, c.visit, counts.data(), tiles});
  }
};

/// The family of calls of splits.
struct split_family : call_family_with_devices<split_by_steps> {};

}  // namespace ravel::inline v0
