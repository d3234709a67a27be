#pragma once

/// Load balancing on the host: a loop over the segments of each tile, and an inner loop over the
/// elements of each segment.
///
/// The generic steps search for the segment of every element.  Here a thread finds it once per
/// segment.  A visit with a member run(i, end, s, rank), which visits elements [i, end) of one
/// segment, can copy them as a block.

#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/balance/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// The segment of the first element of t.  Out of line: the next segment usually follows directly, and
/// a search is needed only at the first element of a tile and after many empty segments.
[[gnu::noinline]] index_t segment_at(auto const& segments, tile t) {
  return ravel::detail::on_tile(segments, t).segment(t.begin);
}

template <class Visit, class Segments>
struct visit_segments {
  Visit visit_all;
  Segments segments;

  void operator()(worker, tile t) const {
    auto const visit = ravel::detail::on_tile(visit_all, t);
    // validates all offsets of the tile at once
    auto const here = ravel::detail::within(segments, t.end);
    index_t s = t.begin > 0 ? segment_at(segments, t) : 0;
    index_t rank = t.begin - segments.begin(s);
    for (index_t i = t.begin; i < t.end; ++s, rank = 0) {
      index_t end = here.begin(s + 1);
      for (int empty = 0; end <= i; end = here.begin(s + 1)) {
        s = ++empty < 8 ? s + 1 : std::max(s + 1, segment_at(segments, {t.id, i, t.end}));
      }
      if constexpr (std::same_as<Segments, uniform_segments>) end = std::min(end, t.end);
      if constexpr (requires { visit.run(i, end, t.end, s, rank); }) {
        visit.run(i, end, t.end, s, rank);
        i = end;
      } else if constexpr (requires { visit.run(i, end, s, rank); }) {
        visit.run(i, end, s, rank);
        i = end;
      } else {
        for (; i < end; ++i) visit(i, s, rank++);
      }
    }
  }
};

}  // namespace detail

struct balance_by_segments {
  static constexpr auto name = "by_segments";
  static constexpr auto why =
      "A loop over the segments of a tile, and one over the elements of each: a search for each "
      "tile.";
  template <class Ex, class Segments, class Visit>
  static void run(Ex const& ex, balance_call<Segments, Visit> const& c) {
    ex.for_each_tile(c.n, detail::visit_segments<Visit, Segments>{c.visit, c.segments});
  }
};

}  // namespace cpu

template <>
struct form_table<balance_family, cpu::host> : forms<balance_by_heads, cpu::balance_by_segments> {};

}  // namespace ravel::inline v0
