#pragma once

/// The description of a visit of the elements of numbered segments.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

struct balance_family;

/// visit(i, s, rank) for each i of [0, n), with its segment s and its rank there.
template <class Segments, class Visit>
struct balance_call {
  static_assert(Segments::numbered, "for_each_in_segments: the segments have numbers");
  using family = balance_family;
  index_t n;
  Segments segments;
  Visit visit;
};

}  // namespace ravel::inline v0
