/// Lesson 7: a segmented scan, as a scan of pairs of a flag and a value.

#include "exercise.hpp"

namespace exercise {

values segmented_scan(values x, flags heads) {
  // your turn: two elements are joined unless the right one is a head
  return heads.empty() ? x : values{};
}

}  // namespace exercise
