#pragma once

/// @file
/// From which size on one way to do a thing is the faster one.

#include <ravel/core/tile.hpp>

#include <vector>

namespace ravel::examples {

/// Seconds that both take at a size.
struct timing_of_both {
  index_t size;
  double as_short, as_long;
};

/// The least size that was measured from which on the form for long inputs is never more than a
/// hundredth slower; `beyond` if there is none.  `measured` is by ascending size.
///
///     size        1   2   4   8
///     as_short    3   4   9  20
///     as_long     2   5   8  10          4
inline index_t crossover(std::vector<timing_of_both> const& measured, index_t beyond) {
  index_t from = beyond;
  for (auto each = measured.rbegin(); each != measured.rend(); ++each) {
    if (each->as_long > 1.01 * each->as_short) break;
    from = each->size;
  }
  return from;
}

}  // namespace ravel::examples
