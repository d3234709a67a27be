#pragma once

/// Pack by steps that run on any executor, also on one that wraps another.

#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack/call.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The load of the scan that counts: 1 for each kept element, else 0.
template <class Keep>
struct count_kept {
  Keep keep;
  RAVEL_HD auto on(tile t) const { return count_kept<on_tile_t<Keep>>{on_tile(keep, t)}; }
  RAVEL_HD index_t operator()(index_t i) const { return keep(i) ? 1 : 0; }
};

/// The visit of that scan: moves each kept element to its position, the number kept before it.
template <class Visit>
struct visit_kept {
  Visit visit;
  RAVEL_HD auto on(tile t) const { return visit_kept<on_tile_t<Visit>>{on_tile(visit, t)}; }
  RAVEL_HD void operator()(index_t i, index_t before, index_t through) const {
    if (before < through) visit(i, before);
  }
};

}  // namespace detail

struct pack_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor, keep and visit: the sum of ones before what is kept is its place, so this is "
      "a scan.";
  static void run(auto const& ex, auto const& c) {
    using sum = plus<index_t>;
    scan_on(ex, c.n, detail::count_kept<decltype(c.keep)>{c.keep},
            detail::visit_kept<decltype(c.visit)>{c.visit}, sum{}, detail::seed_identity<sum>{{}},
            c.total);
  }
};

/// The family of calls of packs, filters and unique.
struct pack_family : call_family<pack_by_steps> {};

template <class Machine>
struct form_table<pack_family, same_order<Machine>> : forms<on_own_executor> {};

}  // namespace ravel::inline v0
