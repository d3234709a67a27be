#pragma once

/// @file
/// From which size on one way to do a thing is the better one.

#include <ravel/core/tile.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ravel::examples {

/// Seconds that both take at a size.
struct timing_of_both {
  index_t size;
  double as_short, as_long;
};

/// The size that was measured, or `beyond`, from which on to take the form for long inputs, and below
/// it the other, so that the product of all times is least; of several the least.
///
///     size        1   2   4   8
///     as_short    3   4   9  20
///     as_long     4   5   8  10          4
inline index_t crossover(std::vector<timing_of_both> const& measured, index_t beyond) {
  double gained = 0, most = 0;  // by the form for long inputs, from a size on; logarithms
  index_t best = beyond;
  for (auto at = measured.rbegin(); at != measured.rend(); ++at) {
    gained += std::log(at->as_short / at->as_long);
    if (gained >= most) {
      most = gained;
      best = at->size;
    }
  }
  return best;
}

}  // namespace ravel::examples
