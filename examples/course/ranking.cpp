/// Lesson 8: list ranking by pointer jumping: how many nodes precede each.  next[i] is the link of
/// node i; the last node links to itself.
/// Allowed are n (5 + 2 log2 n) + 4 operations, in 2 log2 n + 4 steps.

#include "exercise.hpp"

namespace exercise {

indices list_ranks(indices next) {
  // your turn: first the node before each, then log2 n rounds of jumps
  return next;
}

}  // namespace exercise
