/// A segmented scan by two sweeps, which restarts at each head.  Up to three elements it is right.
#include "exercise.hpp"

namespace exercise {

values segmented_scan(values x, flags heads) {
  auto const join = [&](index left, index right) {
    if (!heads[right]) x[right] = combine(x[left], x[right]);
  };
  index d = 1;
  for (; 2 * d <= x.size(); d *= 2) {
    for_all(x.size() / (2 * d),
            [&](index k) { join(2 * d * (k + 1) - 1 - d, 2 * d * (k + 1) - 1); });
  }
  for (d /= 2; d > 0; d /= 2) {
    for_all((x.size() / d - 1) / 2,
            [&](index k) { join(2 * d * (k + 1) - 1, 2 * d * (k + 1) - 1 + d); });
  }
  return x;
}

}  // namespace exercise
