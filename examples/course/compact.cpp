/// Lesson 6: compaction by a scan of the flags: the x[i] with keep[i] = 1, in order.
/// Allowed are 7 n + 4 operations, in 3 log2 n + 4 steps: scan by the sweeps of lesson 4.

#include "exercise.hpp"

namespace exercise {

values compact(values x, flags keep) {
  // your turn: how many of the flags before each are 1?
  return keep.empty() ? x : values{};
}

}  // namespace exercise
