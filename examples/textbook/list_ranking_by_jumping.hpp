#pragma once

/// List ranking by pointer jumping: each node doubles the distance that it knows.
///
///     ranks[i] = 0 for a head, and ranks[next[i]] = ranks[i] + 1; the last node links to itself
///
///     node       0  1  2  3  4              the list 3 -> 0 -> 4 -> 1 -> 2
///     next       4  2  2  0  1
///     before     3  4  1  3  0              the head too links to itself,
///     sum        1  1  1  0  1              with sum 0
///     round 1    3  0  4  3  3              before[before[i]]
///                1  2  2  0  2              sum[i] + sum[before[i]]
///     round 2    3  3  3  3  3
///                1  3  4  0  2              and a third round for five nodes changes nothing
///
/// Work     n (ceil(log2 n) + 3)
/// Steps    ceil(log2 n) + 3
/// Source   Wyllie, "The Complexity of Parallel Computations", Cornell University TR 79-387, 1979.

#include "machine.hpp"

namespace textbook {

struct node {
  size_t before, sum;
};

/// The sum of each node and of all before it; a head is before itself and has sum 0.
inline void jump_to_heads(std::vector<node>& nodes) {
  for (size_t d = 1; d < nodes.size(); d *= 2) {
    nodes = tabulate(nodes.size(), [&](size_t i) {
      node const far = nodes[nodes[i].before];
      return node{far.before, far.sum + nodes[i].sum};
    });
  }
}

inline std::vector<size_t> rank_by_jumping(std::vector<size_t> const& next) {
  auto nodes = tabulate(next.size(), [](size_t i) { return node{i, 0}; });
  for_all(next.size(), [&](size_t i) {
    if (next[i] != i) nodes[next[i]] = {i, 1};
  });
  jump_to_heads(nodes);
  return tabulate(next.size(), [&](size_t i) { return nodes[i].sum; });
}

}  // namespace textbook
