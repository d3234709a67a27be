#pragma once

/// Reduce by steps that run on any executor, also on one that wraps another.

#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/reduce/call.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The upsweep: each tile stores its total.
template <class T, class Load, class M>
struct upsweep {
  Load load;
  T* totals;
  M m;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    T const total = team.reduce(t, on_tile(load, t), m, T(m.identity()));
    if (team.leads()) totals[t.id] = total;
  }
};

/// The last step: reduces the only tile, and passes on its total.
template <class T, class Load, class M, class Seed, class Total>
struct finish {
  Load load;
  M m;
  Seed seed;
  Total total;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    T const sum = team.reduce(t, on_tile(load, t), m, T(seed()));
    if (team.leads()) total(sum);
  }
};

/// The step for no elements: passes the seed on as the total.
template <class T, class Seed, class Total>
struct total_of_none {
  Seed seed;
  Total total;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile) const {
    if (team.leads()) total(T(seed()));
  }
};

}  // namespace detail

struct reduce_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor, load and monoid: a total for each tile, and the reduction of the totals.";
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    using T = typename Call::value_type;
    using Load = decltype(c.load);
    using M = decltype(c.m);
    using Seed = decltype(c.seed);
    using Total = decltype(c.total);
    index_t const tiles = ex.tile_count(c.n);
    if (tiles == 0) {
      ex.for_each_tile(1, detail::total_of_none<T, Seed, Total>{c.seed, c.total});
    } else if (tiles == 1) {
      ex.for_each_tile(c.n, detail::finish<T, Load, M, Seed, Total>{c.load, c.m, c.seed, c.total});
    } else {
      auto const totals = ex.template scratch<T>(tiles);
      ex.for_each_tile(c.n, detail::upsweep<T, Load, M>{c.load, totals.data(), c.m});
      run_call(ex, describe_reduce_on(tiles, contiguous<T>{totals.data()}, c.m, c.seed, c.total));
    }
  }
};

/// The family of calls of reductions.
struct reduce_family : call_family<reduce_by_steps> {};

template <class Machine>
struct form_table<reduce_family, same_order<Machine>>
    : forms<on_own_executor_in_any_order, reduce_by_steps> {};

}  // namespace ravel::inline v0
