#pragma once

/// All pairs in each cluster, and a histogram of each segment.

#include <ravel/flatten/flatten.hpp>

namespace ravel::examples {

/// The number of occurrences of each of 0, ..., k - 1 in each segment.
inline constexpr auto histograms = [](auto segments, auto k) {
  return each(segments, [&](auto s) { return histogram(s, k); });
};

/// The nearest other point of the same cluster for each point.  No distance is stored.
inline constexpr auto nearest = [](auto clusters) {
  return each(clusters, [](auto points) {
    return each(points, indices(points), [&](auto p, auto i) {
      return min_index(each(points, indices(points), [&](auto q, auto j) {
        auto const dx = fst(p) - fst(q);
        auto const dy = snd(p) - snd(q);
        return select(i == j, 1e300, dx * dx + dy * dy);
      }));
    });
  });
};

}  // namespace ravel::examples
