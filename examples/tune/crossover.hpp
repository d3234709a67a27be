#pragma once

/// The size from which on one of two forms is faster.

#include <ravel/core/tile.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ravel::examples {

/// Seconds of both forms at a size.
struct timing_of_both {
  index_t size;
  double as_short, as_long;
};

/// The size, of those measured and `beyond`, from which on to take the form for long inputs, such
/// that the product of all times is least; the least such size.
///
///     size        1   2   4   8
///     as_short    3   4   9  20
///     as_long     4   5   8  10          4
inline index_t crossover(std::vector<timing_of_both> const& measured, index_t beyond) {
  double gained = 0, most = 0;  // logarithms: gain of the form for long inputs from a size on
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
