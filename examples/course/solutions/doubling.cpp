/// Lesson 2: an inclusive scan by step doubling.
#include "exercise.hpp"

#include <cmath>

namespace exercise {

// n log2 n, where the best scans need 2 n.
double allowed_work(double n) { return n * std::ceil(std::log2(n)); }

values inclusive_scan(values x) {
  for (index d = 1; d < x.size(); d *= 2) {
    x = tabulate(x.size(), [&](index i) { return i < d ? x[i] : combine(x[i - d], x[i]); });
  }
  return x;
}

}  // namespace exercise
