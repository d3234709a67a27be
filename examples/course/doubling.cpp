/// Lesson 2: an inclusive scan by step doubling: out[i] = x[0] * ... * x[i].
/// Allowed are n log2 n operations, in 2 log2 n + 4 steps.

#include "exercise.hpp"

#include <cmath>

namespace exercise {

// n log2 n, where the best scans need 2 n.
double allowed_work(double n) { return n * std::ceil(std::log2(n)); }

values inclusive_scan(values x) {
  // your turn: for distances d = 1, 2, 4, ...
  return x;
}

}  // namespace exercise
