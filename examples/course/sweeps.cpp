/// Lesson 4: an inclusive scan by two sweeps, without the swap: out[i] = x[0] * ... * x[i].
/// Allowed are 2 n + 4 operations, in 2 log2 n + 4 steps.

#include "exercise.hpp"

namespace exercise {

values inclusive_scan(values x) {
  // your turn: up as in lesson 3, but keep the sums of subtrees where they are; then down
  return x;
}

}  // namespace exercise
