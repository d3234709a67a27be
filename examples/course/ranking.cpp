/// Lesson 8: list ranking by pointer jumping.

#include "exercise.hpp"

namespace exercise {

indices list_ranks(indices next) {
  // your turn: first the node before each, then log2 n rounds of jumps
  return next;
}

}  // namespace exercise
