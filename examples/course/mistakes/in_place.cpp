/// Step doubling in one array.  A loop over the processors, from the first to the last, is right.
#include "exercise.hpp"

#include <cmath>

namespace exercise {

double allowed_work(double n) { return n * std::ceil(std::log2(n)); }

values inclusive_scan(values x) {
  for (index d = 1; d < x.size(); d *= 2) {
    for_all(x.size() - d, [&](index k) {
      index const i = x.size() - 1 - k;
      x[i] = combine(x[i - d], x[i]);
    });
  }
  return x;
}

}  // namespace exercise
