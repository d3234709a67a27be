/// Two sweeps.  Lengths of powers of two are right.
#include "exercise.hpp"

namespace exercise {

values inclusive_scan(values x) {
  index d = 1;
  for (; 2 * d <= x.size(); d *= 2) {
    for_all(x.size() / (2 * d), [&](index k) {
      index const right = 2 * d * (k + 1) - 1;
      x[right] = combine(x[right - d], x[right]);
    });
  }
  for (d /= 2; d > 0; d /= 2) {
    for_all(x.size() / (2 * d) - 1, [&](index k) {
      index const left = 2 * d * (k + 1) - 1;
      x[left + d] = combine(x[left], x[left + d]);
    });
  }
  return x;
}

}  // namespace exercise
