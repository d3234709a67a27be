#pragma once

/// Segmented reduce on any executor: a segmented scan that keeps the last result of each segment.

#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan/call.hpp>
#include <ravel/primitives/scan/steps.hpp>
#include <ravel/primitives/segmented_reduce/call.hpp>
#include <ravel/primitives/segmented_scan/steps.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The step that visits empty segments, whose result is the seed.
template <class T, class Segments, class Seed, class Visit>
struct visit_empty {
  Segments segments;
  Seed seed;
  Visit visit;
  RAVEL_HD void operator()(index_t s) const {
    if (segments.begin(s) == segments.begin(s + 1)) visit(s, T(seed()));
  }
};

/// The visit for segments with numbers: the last element of each finds the number of its segment.
template <class Visit, class Cursor>
struct visit_at_tail {
  static constexpr bool only_through = true;
  Visit visit;
  Cursor segments;

  RAVEL_HD auto on(tile t) const {
    return visit_at_tail<Visit, on_tile_t<Cursor>>{visit, on_tile(segments, t)};
  }
  template <class T>
  RAVEL_HD void operator()(index_t i, flagged<T> const&, flagged<T> const& through) const {
    if (segments.tail(i)) visit(segments.segment(i), through.value);
  }
};

/// The load for segments without numbers: with each value a count of heads, summed by the same
/// scan.
template <class Load>
struct read_counted {
  Load load;
  RAVEL_HD auto on(tile t) const { return read_counted<on_tile_t<Load>>{on_tile(load, t)}; }
  RAVEL_HD auto operator()(index_t i) const {
    auto const x = load(i);
    return paired<std::remove_cvref_t<decltype(x)>, index_t>{x, x.head ? 1 : 0};
  }
};
template <class Visit, class Cursor>
struct visit_at_count {
  static constexpr bool only_through = true;
  Visit visit;
  Cursor segments;

  template <class P>
  RAVEL_HD void operator()(index_t i, P const&, P const& through) const {
    if (segments.tail(i)) visit(through.second - 1, through.first.value);
  }
};

/// A segmented reduction as a scan: of values with head flags, and where segments have no numbers,
/// of the number of heads too.
template <class Load, class Segments, class M, class Seed, class Visit, class Total>
auto scan_to_reduce(segmented_reduce_call<Load, Segments, M, Seed, Visit, Total> const& c) {
  using flagged_load = read_flagged<carrier_t<M>, Load, Segments, M, Seed, false>;
  flagged_load const load{c.load, c.segments, c.m, c.seed};
  segmented<M> const lifted{c.m};
  if constexpr (Segments::numbered) {
    return describe_scan_on(c.n, load, visit_at_tail<Visit, Segments>{c.visit, c.segments}, lifted,
                            seed_identity<segmented<M>>{lifted});
  } else {
    using Counted = pair_of<segmented<M>, plus<index_t>>;
    Counted const counted{lifted, {}};
    return describe_scan_on(c.n, read_counted<flagged_load>{load},
                            visit_at_count<Visit, Segments>{c.visit, c.segments}, counted,
                            seed_identity<Counted>{counted}, second_of(c.total));
  }
}

}  // namespace detail

struct segmented_reduce_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor: a scan of values with head flags, of which the last element of each segment "
      "gives its result.  Empty segments are visited before; heads are counted by the same scan.";
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    using Segments = std::remove_const_t<decltype(c.segments)>;
    if constexpr (Segments::numbered) {
      for_each_index(
          ex, c.segments.count(),
          detail::visit_empty<typename Call::value_type, Segments,
                              std::remove_const_t<decltype(c.seed)>,
                              std::remove_const_t<decltype(c.visit)>>{c.segments, c.seed, c.visit});
    }
    run_call(ex, detail::scan_to_reduce(c));
  }
  static void passes_on(auto const& c, auto const& machine, auto const& f) {
    f(machine, detail::scan_to_reduce(c));
  }
};

/// The family of calls of segmented reductions.
struct segmented_reduce_family : call_family<segmented_reduce_by_steps> {};

template <class Machine>
struct form_table<segmented_reduce_family, same_order<Machine>>
    : forms<on_own_executor_in_any_order, segmented_reduce_by_steps> {};

}  // namespace ravel::inline v0
