/// Lesson 3: a reduction of any number of elements, without padding.
#include "exercise.hpp"

namespace exercise {

double allowed_work(double n) { return n; }

value reduce(values x) {
  if (x.empty()) return {};
  for (index d = 1; d < x.size(); d *= 2) {
    // Those that have a partner d places after them.
    for_all((x.size() - d + 2 * d - 1) / (2 * d),
            [&](index k) { x[2 * d * k] = combine(x[2 * d * k], x[2 * d * k + d]); });
  }
  return x[0];
}

}  // namespace exercise
