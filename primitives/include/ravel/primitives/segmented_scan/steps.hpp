#pragma once

/// Segmented scan on any executor: a scan of values with head flags, by the lifted monoid.

#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan/call.hpp>
#include <ravel/primitives/scan/steps.hpp>
#include <ravel/primitives/segmented_scan/call.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The load of that scan: each value with its head flag.  It combines the seed with the first
/// element of a segment, or backward with its last.
template <class T, class Load, class Segments, class M, class Seed, bool Backward>
struct read_flagged {
  Load load;
  Segments segments;
  M m;
  Seed seed;

  RAVEL_HD auto on(tile t) const {
    return read_flagged<T, on_tile_t<Load>, on_tile_t<Segments>, M, Seed, Backward>{
        on_tile(load, t), on_tile(segments, t), m, seed};
  }
  RAVEL_HD flagged<T> operator()(index_t i) const {
    T const x = T(load(i));
    if constexpr (Backward) {
      return segments.tail(i) ? flagged<T>{m(x, T(seed())), true} : flagged<T>{x, false};
    } else {
      return segments.head(i) ? flagged<T>{m(T(seed()), x), true} : flagged<T>{x, false};
    }
  }
};

/// The visit for a call that needs inclusive prefixes only.
template <class Visit>
struct visit_value {
  static constexpr bool only_through = true;
  Visit visit;
  RAVEL_HD auto on(tile t) const { return visit_value<on_tile_t<Visit>>{on_tile(visit, t)}; }
  template <class T>
  RAVEL_HD void operator()(index_t i, flagged<T> const& before, flagged<T> const& through) const {
    visit(i, before.value, through.value);
  }
};
/// The visit for a call that needs both prefixes.  The exclusive prefix of a segment's first
/// element is the seed.
template <class Visit, class Segments, class Seed, bool Backward>
struct visit_in_segment {
  Visit visit;
  Segments segments;
  Seed seed;

  RAVEL_HD auto on(tile t) const {
    return visit_in_segment<on_tile_t<Visit>, on_tile_t<Segments>, Seed, Backward>{
        on_tile(visit, t), on_tile(segments, t), seed};
  }
  template <class T>
  RAVEL_HD void operator()(index_t i, flagged<T> const& before, flagged<T> const& through) const {
    bool const first = Backward ? segments.tail(i) : segments.head(i);
    visit(i, first ? T(seed()) : before.value, through.value);
  }
};

/// A segmented scan as a scan of values with head flags.
template <bool Backward, class Load, class Segments, class Visit, class M, class Seed>
auto scan_of_flagged(segmented_scan_call<Backward, Load, Segments, Visit, M, Seed> const& c) {
  read_flagged<carrier_t<M>, Load, Segments, M, Seed, Backward> const load{c.load, c.segments, c.m,
                                                                           c.seed};
  auto const visit = [&] {
    if constexpr (only_through<Visit>) {
      return visit_value<Visit>{c.visit};
    } else {
      return visit_in_segment<Visit, Segments, Seed, Backward>{c.visit, c.segments, c.seed};
    }
  }();
  if constexpr (Backward) {
    using lifted = segmented<flipped<M>>;
    return describe_mirrored_scan(c.n, load, visit, lifted{{c.m}}, seed_identity<lifted>{{{c.m}}},
                                  no_total{});
  } else {
    using lifted = segmented<M>;
    return describe_scan_on(c.n, load, visit, lifted{c.m}, seed_identity<lifted>{{c.m}});
  }
}

}  // namespace detail

struct segmented_scan_by_flags {
  static constexpr auto name = "by_flags";
  static constexpr auto why =
      "A scan of values with head flags, by the monoid lifted to drop its left operand where a "
      "segment starts.";
  static void run(auto const& ex, auto const& c) { run_call(ex, detail::scan_of_flagged(c)); }
  static void passes_on(auto const& c, auto const& machine, auto const& f) {
    f(machine, detail::scan_of_flagged(c));
  }
};

struct segmented_scan_no_elements {
  static constexpr auto name = "no_elements";
  static constexpr auto why = "There is nothing to be written.";
  static constexpr auto now(auto const& c, auto const&) {
    return needs(need{c.n == 0, "no elements"});
  }
  static void run(auto const&, auto const&) {}
};

/// The family of calls of segmented scans.
struct segmented_scan_family : call_family<segmented_scan_by_flags> {};

template <class Machine>
struct form_table<segmented_scan_family, same_order<Machine>>
    : forms<on_own_executor_in_any_order, segmented_scan_by_flags> {};

}  // namespace ravel::inline v0
