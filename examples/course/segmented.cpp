/// Lesson 7: a segmented scan, as a scan of pairs of a flag and a value: out[i] = x[s] * ... * x[i],
/// for s the last place up to i with heads[s] = 1, or 0.
/// Allowed are 6 n + 4 operations, in 3 log2 n + 4 steps: scan by the sweeps of lesson 4.

#include "exercise.hpp"

namespace exercise {

values segmented_scan(values x, flags heads) {
  // your turn: two elements are joined unless the right one is a head
  return heads.empty() ? x : values{};
}

}  // namespace exercise
