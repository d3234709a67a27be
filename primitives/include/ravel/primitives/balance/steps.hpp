#pragma once

/// Load balancing on any executor: each element searches for its segment in those of its tile, or segments
/// are numbered by a scan.

#include <ravel/primitives/balance/call.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0 {
namespace detail {

/// For segments without numbers: the last head so far, and the number of heads.
using heads_so_far = pair_of<maximum<index_t>, plus<index_t>>;

template <class Segments>
struct read_heads_so_far {
  Segments segments;
  RAVEL_HD paired<index_t, index_t> operator()(index_t i) const {
    if (segments.head(i)) return {i, 1};
    return {0, 0};
  }
};
template <class Visit>
struct visit_in_counted {
  Visit visit;
  RAVEL_HD auto on(tile t) const { return visit_in_counted<on_tile_t<Visit>>{on_tile(visit, t)}; }
  template <class P>
  RAVEL_HD void operator()(index_t i, P const&, P const& through) const {
    visit(i, through.second - 1, i - through.first);
  }
};

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

/// The first form of all tables.
struct balance_by_heads {
  static constexpr auto name = "by_heads";
  static constexpr auto why =
      "A scan numbers the segments and finds the head of each element's segment.";
  template <class Call>
  static constexpr auto types = needs(need{!decltype(Call::segments)::numbered,
                                           "segments by heads, bits or keys"});
  template <class Ex, class Segments, class Visit, class Total>
  static void run(Ex const& ex, balance_call<Segments, Visit, Total> const& c) {
    using heads = detail::heads_so_far;
    scan_on(ex, c.n, detail::read_heads_so_far<Segments>{c.segments},
            detail::visit_in_counted<Visit>{c.visit}, heads{}, detail::seed_identity<heads>{{}},
            detail::second_of(c.total));
  }
};

struct balance_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: each element searches in the segments of its tile.";
  template <class Ex, class Segments, class Visit>
  static void run(Ex const& ex, balance_call<Segments, Visit> const& c) {
    for_each_index(ex, c.n, detail::visit_in_numbered<Visit, Segments>{c.visit, c.segments});
  }
};

/// The family of visits of the elements of segments.
struct balance_family : call_family_with_devices<balance_by_heads, balance_by_steps> {};

}  // namespace ravel::inline v0
