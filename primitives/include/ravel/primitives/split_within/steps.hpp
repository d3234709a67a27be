#pragma once

/// @file
/// Split within segments on any executor: counts each digit in each segment, and then splits all
/// elements together.

#include <ravel/core/atomic.hpp>
#include <ravel/core/checked.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/scan_on.hpp>
#include <ravel/primitives/segment_visits.hpp>
#include <ravel/primitives/split.hpp>

namespace ravel::inline v0 {

namespace detail {

template <int Ways, class Segments, class Visit>
constexpr void expect_split_within() {
  static_assert(1 <= Ways && Ways <= 256, "split_within_on: the ways are from 1 to 256");
  static_assert(Segments::numbered, "split_within_on: the segments are by offsets or uniform");
  static_assert(visits_split<Visit>,
                "split_within_on: the visit has of_segment, load, digit and store");
}

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
    index_t const to = distances[s * Ways + d] + place;
    if (is_index_below(to, n)) visit.store(x, d, to);  // false only if offsets descend
  }
};

}  // namespace detail

/// Orders the elements of each segment by digit, stably: for each i of [0, n) it calls
/// `visit.store` with the new position of the element.  It calls `begins` with the position where
/// each digit of each segment begins.  In segment s, with of = visit.of_segment(s, begin(s)) and
/// x = visit.load(of, i),
///
///     d = visit.digit(of, x)                      in [0, Ways)
///     visit.store(x, d, begin(s, d) + #{j < i : segment(j) = s, digit(j) = d})
///     begins(d, s, begin(s, d))                   for each segment s and each d, and
///     begins(0, segments.count(), n)
///
/// with begin(s, d) = begin(s) + #{j : segment(j) = s, digit(j) < d}, for the segment s of i.
///
/// Shapes   Segments of n elements, by offsets or uniform.  n may be 0.
/// Order    Calls are made in any order, for segments that have elements.  load and digit may be
///          called any number of times, and must return the same each time: no load reads what a
///          store writes.
/// Cost     O(n + Ways k) work for k segments, O(log n) span, and 16 Ways bytes of scratch for each
///          segment; on a device 8 bytes for each, and 8 Ways bytes for each tile of long segments.
///          Loads each element two or three times; on a device once in segments of up to 256
///          elements.
/// Source   Ashkiani, Davidson, Meyer and Owens, "GPU Multisplit", PPoPP 2016, for each segment.
/// See also segmented_split_on, with an output for each digit.
template <int Ways, executor Ex, class Segments, class Visit, class Begins>
void split_within_on(Ex const& ex, index_t n, Segments segments, Visit visit, Begins begins) {
  detail::expect_split_within<Ways, Segments, Visit>();
  index_t const count = segments.count();
  auto const counts = ex.template scratch<index_t>(Ways * count);
  auto const places = ex.template scratch<index_t>(Ways * count);
  distribute(ex, index_t{0}, counts);
  for_each_in_segments(ex, n, segments, detail::count_within<Ways, Visit>{visit, counts.data()});
  scan_on(ex, Ways * count, contiguous<index_t>{counts.data()},
          detail::keep_begins<Ways, Begins>{begins, places.data()}, plus<index_t>{},
          detail::seed_identity<plus<index_t>>{{}}, detail::pass_end<Begins>{begins, count});
  scan_on(ex, Ways * count, detail::count_by_digit<Ways>{counts.data(), count},
          detail::keep_distance<Ways>{places.data(), count}, plus<index_t>{},
          detail::seed_identity<plus<index_t>>{{}}, detail::no_total{});
  split_on<Ways>(ex, n, detail::digit_within<Segments, Visit>{segments, visit},
                 detail::place_within<Ways, Segments, Visit>{segments, visit, places.data(), n},
                 no_starts{});
}

/// The overload for a checked executor, which has nothing to verify here.
template <int Ways, executor Ex, class Segments, class Visit, class Begins>
void split_within_on(checked_executor<Ex> const& ex, index_t n, Segments segments, Visit visit,
                     Begins begins) {
  split_within_on<Ways>(ex.own(), n, segments, visit, begins);
}

}  // namespace ravel::inline v0
