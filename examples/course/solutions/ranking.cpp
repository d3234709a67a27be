/// Lesson 8: list ranking by pointer jumping.
#include "exercise.hpp"

namespace exercise {

indices list_ranks(indices next) {
  struct node {
    index before, distance;
  };
  auto nodes = tabulate(next.size(), [](index i) { return node{i, 0}; });
  for_all(next.size(), [&](index i) {
    if (next[i] != i) nodes[next[i]] = {i, 1};
  });
  for (index d = 1; d < next.size(); d *= 2) {
    nodes = tabulate(next.size(), [&](index i) {
      node const far = nodes[nodes[i].before];
      return node{far.before, far.distance + nodes[i].distance};
    });
  }
  return tabulate(next.size(), [&](index i) { return nodes[i].distance; });
}

}  // namespace exercise
