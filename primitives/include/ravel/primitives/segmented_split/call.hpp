#pragma once

/// The description of a segmented split, with an output for each digit.

#include <ravel/primitives/segment_visits.hpp>

namespace ravel::inline v0 {

struct segmented_split_family;

/// visit.store(x, d, place) for each element, with its place among those of its digit d, and
/// begins(d, s, place) for each d and segment s: see segmented_split_on.
template <int Ways, class Segments, class Visit, class Begins>
struct segmented_split_call {
  static_assert(2 <= Ways && Ways <= 8, "segmented_split_on: the ways are from 2 to 8");
  static_assert(Segments::numbered, "segmented_split_on: the segments are by offsets or uniform");
  static_assert(visits_split<Visit>,
                "segmented_split_on: the visit has of_segment, load, digit and store");
  using family = segmented_split_family;
  static constexpr int ways = Ways;
  index_t n;
  Segments segments;
  Visit visit;
  Begins begins;
};

/// The call of segmented_split_on with the same arguments.
template <int Ways, class Segments, class Visit, class Begins>
auto describe_segmented_split_on(index_t n, Segments segments, Visit visit, Begins begins) {
  return segmented_split_call<Ways, Segments, Visit, Begins>{n, segments, visit, begins};
}

}  // namespace ravel::inline v0
