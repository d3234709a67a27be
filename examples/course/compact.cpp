/// Lesson 6: compaction by a scan of the flags.

#include "exercise.hpp"

namespace exercise {

values compact(values x, flags keep) {
  // your turn: how many of the flags before each are 1?
  return keep.empty() ? x : values{};
}

}  // namespace exercise
