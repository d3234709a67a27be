#pragma once

/// The description of a split within segments.

#include <ravel/primitives/segment_visits.hpp>

namespace ravel::inline v0 {

struct split_within_family;

/// visit.store(x, d, place) for each element, with its place in its segment by the digits d, and
/// begins(d, s, place) for each segment s and d: see split_within_on.
template <int Ways, class Segments, class Visit, class Begins>
struct split_within_call {
  static_assert(1 <= Ways && Ways <= 256, "split_within_on: the ways are from 1 to 256");
  static_assert(Segments::numbered, "split_within_on: the segments are by offsets or uniform");
  static_assert(visits_split<Visit>,
                "split_within_on: the visit has of_segment, load, digit and store");
  using family = split_within_family;
  using of_segment = decltype(std::declval<Visit const&>().of_segment(index_t{}, index_t{}));
  using value_type = std::remove_cvref_t<decltype(std::declval<Visit const&>().load(
      std::declval<of_segment const&>(), index_t{}))>;
  static constexpr int ways = Ways;
  index_t n;
  Segments segments;
  Visit visit;
  Begins begins;
};

/// The call of split_within_on with the same arguments.
template <int Ways, class Segments, class Visit, class Begins>
auto describe_split_within_on(index_t n, Segments segments, Visit visit, Begins begins) {
  return split_within_call<Ways, Segments, Visit, Begins>{n, segments, visit, begins};
}

}  // namespace ravel::inline v0
