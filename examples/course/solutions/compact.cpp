/// Lesson 6: compaction by a scan of the flags.
#include "exercise.hpp"

namespace exercise {

namespace {

/// The sums up to each flag, by the sweeps of lesson 4.
flags sums_of(flags x) {
  index d = 1;
  for (; 2 * d <= x.size(); d *= 2) {
    for_all(x.size() / (2 * d),
            [&](index k) { x[2 * d * (k + 1) - 1] += x[2 * d * (k + 1) - 1 - d]; });
  }
  for (d /= 2; d > 0; d /= 2) {
    for_all((x.size() / d - 1) / 2,
            [&](index k) { x[2 * d * (k + 1) - 1 + d] += x[2 * d * (k + 1) - 1]; });
  }
  return x;
}

}  // namespace

values compact(values x, flags keep) {
  if (x.empty()) return {};
  flags const through = sums_of(keep);
  values out(static_cast<index>(through.back()));
  for_all(x.size(), [&](index i) {
    if (keep[i]) out[static_cast<index>(through[i] - 1)] = x[i];
  });
  return out;
}

}  // namespace exercise
