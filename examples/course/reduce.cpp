/// Lesson 3: a reduction of any number of elements, without padding: x[0] * ... * x[n - 1].
/// Allowed are n operations, in 2 log2 n + 4 steps.

#include "exercise.hpp"

namespace exercise {

double allowed_work(double n) { return n; }

value reduce(values x) {
  if (x.empty()) return {};
  // your turn
  return x[0];
}

}  // namespace exercise
