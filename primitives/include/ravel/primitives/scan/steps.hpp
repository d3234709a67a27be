#pragma once

/// Scan by steps that run on any executor, also on one that wraps another.

#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/reduce/steps.hpp>
#include <ravel/primitives/scan/call.hpp>
#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The downsweep: scans each tile, from the scanned total of the preceding tiles.
template <class T, class Load, class Visit, class M, class Seed, class Total>
struct downsweep {
  Load load;
  Visit visit;
  T const* totals;
  index_t n;
  M m;
  Seed seed;
  Total total;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    T const before = t.id > 0 ? T(m(T(seed()), totals[t.id - 1])) : T(seed());
    T const through = team.scan(t, on_tile(load, t), on_tile(visit, t), m, before);
    if (t.end == n && team.leads()) total(through);
  }
};

/// Passes on the total of a scan of no elements: the seed.
template <class T, class Ex, class Seed, class Total>
void scan_none(Ex const& ex, Seed seed, Total total) {
  if constexpr (!ignores_none<Total>) {
    ex.for_each_tile(1, total_of_none<T, Seed, Total>{seed, total});
  }
}

}  // namespace detail

struct scan_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor, load, visit and monoid: a total for each tile, the scan of the totals, and "
      "the scan of each tile.  Loads twice.";
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    using T = typename Call::value_type;
    using Load = decltype(c.load);
    using M = decltype(c.m);
    index_t const tiles = ex.tile_count(c.n);
    if (tiles == 0) return detail::scan_none<T>(ex, c.seed, c.total);
    auto const totals = ex.template scratch<T>(tiles > 1 ? tiles : 0);
    if (tiles > 1) {
      ex.for_each_tile(c.n, detail::upsweep<T, Load, M>{c.load, totals.data(), c.m});
      run(ex, describe_scan_on(tiles, contiguous<T>{totals.data()}, write_through<T>{totals.data()},
                               c.m, detail::seed_identity<M>{c.m}));
    }
    ex.for_each_tile(
        c.n, detail::downsweep<T, Load, decltype(c.visit), M, decltype(c.seed), decltype(c.total)>{
                 c.load, c.visit, totals.data(), c.n, c.m, c.seed, c.total});
  }
};

struct scan_no_elements {
  static constexpr auto name = "no_elements";
  static constexpr auto why = "There is a total to be written, or nothing.";
  static constexpr auto now(auto const& c, auto const&) {
    return needs(need{c.n == 0, "no elements"});
  }
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    detail::scan_none<typename Call::value_type>(ex, c.seed, c.total);
  }
};

/// The family of calls of scans and linear recurrences.
struct scan_family : call_family<scan_by_steps> {};

template <class Machine>
struct form_table<scan_family, same_order<Machine>>
    : forms<on_own_executor_in_any_order, scan_by_steps> {};

}  // namespace ravel::inline v0
