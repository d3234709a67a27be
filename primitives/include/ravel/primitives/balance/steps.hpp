#pragma once

/// Load balancing on any executor: each element searches for its segment in those of its tile.

#include <ravel/core/table.hpp>
#include <ravel/primitives/balance/call.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace detail {

/// For segments with numbers: each element finds its own segment.
template <class Visit, class Cursor>
struct visit_in_numbered {
  Visit visit;
  Cursor segments;

  RAVEL_HD auto on(tile t) const {
    return visit_in_numbered<on_tile_t<Visit>, on_tile_t<Cursor>>{on_tile(visit, t),
                                                                  on_tile(segments, t)};
  }
  RAVEL_HD void operator()(index_t i) const {
    index_t const s = segments.segment(i);
    visit(i, s, i - segments.begin(s));
  }
};

}  // namespace detail

struct balance_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: each element searches in the segments of its tile.";
  template <class Ex, class Segments, class Visit>
  static void run(Ex const& ex, balance_call<Segments, Visit> const& c) {
    for_each_index(ex, c.n, detail::visit_in_numbered<Visit, Segments>{c.visit, c.segments});
  }
};

/// The family of visits of the elements of numbered segments.
struct balance_family : call_family_with_devices<balance_by_steps> {};

}  // namespace ravel::inline v0
