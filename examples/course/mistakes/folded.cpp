/// A reduction that folds the right half onto the left one.  Sums and maxima are right.
#include "exercise.hpp"

namespace exercise {

value reduce(values x) {
  if (x.empty()) return {};
  for (index n = x.size(); n > 1; n = (n + 1) / 2) {
    for_all(n / 2, [&](index k) { x[k] = combine(x[k], x[k + (n + 1) / 2]); });
  }
  return x[0];
}

}  // namespace exercise
