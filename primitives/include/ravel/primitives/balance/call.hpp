#pragma once

/// The description of a visit of the elements of segments.

#include <ravel/primitives/options.hpp>

namespace ravel::inline v0 {

struct balance_family;

/// visit(i, s, rank) for each i of [0, n), with its segment s and its rank there; and total(k) with the
/// number of segments, if they have no numbers.
template <class Segments, class Visit, class Total = detail::no_total>
struct balance_call {
  using family = balance_family;
  index_t n;
  Segments segments;
  Visit visit;
  Total total{};
};

}  // namespace ravel::inline v0
