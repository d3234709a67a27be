#pragma once

/// Split within segments on any executor: counts each digit in each segment, and then splits all
/// elements together.

#include <ravel/core/atomic.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/scan_on.hpp>
#include <ravel/primitives/segment_visits.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_within/call.hpp>

namespace ravel::inline v0 {

namespace detail {

/// The step that counts, for each segment, the elements of each digit.
template <int Ways, class Visit>
struct count_within {
  Visit visit;
  index_t* counts;
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    auto const opened = visit.of_segment(s, i - rank);
    fetch_add(counts + s * Ways + visit.digit(opened, visit.load(opened, i)), index_t{1});
  }
};

/// Stores where each digit of each segment begins, and passes it to `begins`.
template <int Ways, class Begins>
struct keep_begins {
  Begins begins;
  index_t* kept;
  RAVEL_HD void operator()(index_t i, index_t before, index_t) const {
    kept[i] = before;
    begins(static_cast<int>(i % Ways), i / Ways, before);
  }
};
template <class Begins>
struct pass_end {
  Begins begins;
  index_t count;
  RAVEL_HD void operator()(index_t n) const { begins(0, count, n); }
};

/// The load of the scan over counts, ordered by digit: the counts of digit 0 of all segments, then
/// those of digit 1, and so on.
template <int Ways>
struct count_by_digit {
  index_t const* counts;
  index_t segments;
  RAVEL_HD index_t operator()(index_t i) const {
    return counts[i % segments * Ways + i / segments];
  }
};
/// The sink of that scan: stores the distance from an element's position in the split of all
/// segments together to its final position.
template <int Ways>
struct keep_distance {
  index_t* begins;
  index_t segments;
  RAVEL_HD void operator()(index_t i, index_t before, index_t) const {
    begins[i % segments * Ways + i / segments] -= before;
  }
};

template <class Segments, class Visit>
struct digit_within {
  Segments segments;
  Visit visit;
  RAVEL_HD auto on(tile t) const {
    return digit_within<on_tile_t<Segments>, Visit>{on_tile(segments, t), visit};
  }
  RAVEL_HD int operator()(index_t i) const {
    index_t const s = segments.segment(i);
    auto const opened = visit.of_segment(s, segments.begin(s));
    return visit.digit(opened, visit.load(opened, i));
  }
};
template <int Ways, class Segments, class Visit>
struct place_within {
  Segments segments;
  Visit visit;
  index_t const* distances;
  index_t n;
  RAVEL_HD auto on(tile t) const {
    return place_within<Ways, on_tile_t<Segments>, Visit>{on_tile(segments, t), visit, distances,
                                                          n};
  }
  RAVEL_HD void operator()(index_t i, int d, index_t place) const {
    index_t const s = segments.segment(i);
    auto const x = visit.load(visit.of_segment(s, segments.begin(s)), i);
    index_t const target = distances[s * Ways + d] + place;
    if (is_index_below(target, n)) visit.store(x, d, target);  // false only if offsets descend
  }
};

}  // namespace detail

struct split_within_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: counts within segments, and a split of all elements.";
  template <class Ex, int Ways, class Segments, class Visit, class Begins>
  static void run(Ex const& ex, split_within_call<Ways, Segments, Visit, Begins> const& c) {
    index_t const count = c.segments.count();
    auto const counts = ex.template scratch<index_t>(Ways * count);
    auto const places = ex.template scratch<index_t>(Ways * count);
    distribute(ex, index_t{0}, counts);
    for_each_in_segments(ex, c.n, c.segments,
                         detail::count_within<Ways, Visit>{c.visit, counts.data()});
    scan_on(ex, Ways * count, contiguous<index_t>{counts.data()},
            detail::keep_begins<Ways, Begins>{c.begins, places.data()}, plus<index_t>{},
            detail::seed_identity<plus<index_t>>{{}}, detail::pass_end<Begins>{c.begins, count});
    scan_on(ex, Ways * count, detail::count_by_digit<Ways>{counts.data(), count},
            detail::keep_distance<Ways>{places.data(), count}, plus<index_t>{},
            detail::seed_identity<plus<index_t>>{{}}, detail::no_total{});
    split_on<Ways>(
        ex, c.n, detail::digit_within<Segments, Visit>{c.segments, c.visit},
        detail::place_within<Ways, Segments, Visit>{c.segments, c.visit, places.data(), c.n},
        no_starts{});
  }
};

/// The family of calls of splits within segments.
struct split_within_family : call_family_with_devices<split_within_by_steps> {};

}  // namespace ravel::inline v0
