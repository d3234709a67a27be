#pragma once

/// Visits of elements in segments, by steps of which one is done once for each segment.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

/// A visit in three steps.  Devices do the first once for each segment, and the second for many
/// elements before the third:
///
///     visit(i, s, r) = visit.store(of, i, visit.load(of, i))     of = visit.of_segment(s, i - r)
///
/// No load reads what a store writes.
template <class Visit>
concept visits_segments = requires(Visit const& visit, index_t i) {
  visit.store(visit.of_segment(i, i), i, visit.load(visit.of_segment(i, i), i));
};

/// A visit of a segmented split.  Data common to all elements of a segment is computed once where
/// possible:
///
///     of = visit.of_segment(s, begin(s))       x = visit.load(of, i)
///     visit.digit(of, x)                       visit.store(x, d, place)
///
/// No load reads what a store writes.
template <class Visit>
concept visits_split = requires(Visit const& visit, index_t i, int d) {
  {
    visit.digit(visit.of_segment(i, i), visit.load(visit.of_segment(i, i), i))
    } -> std::convertible_to<int>;
  visit.store(visit.load(visit.of_segment(i, i), i), d, i);
};

}  // namespace ravel::inline v0
