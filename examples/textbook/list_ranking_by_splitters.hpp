#pragma once

/// List ranking by splitters: one processor walks from each splitter to the next; the sublists,
/// which are few, are ranked by pointer jumping.
///
///     ranks[i] = 0 for a head, and ranks[next[i]] = ranks[i] + 1; the last node links to itself
///
///     node       0  1  2  3  4              the list 3 -> 0 -> 4 -> 1 -> 2
///     next       4  2  2  0  1
///     starts     1  0  1  1  0              splitters: 0 and 2, for a spacing of 2, and the head 3
///     sublists   0 -> 4 -> 1,  2,  3        number 0, 1 and 2
///     ranks      0  2  0  0  1              within the sublist
///     sums       1  4  0                    nodes before sublist 0, 1 and 2
///     ranks      1  3  4  0  2
///
/// Work     4 n + 2 (m - 1) + s (log2 t + 1), for s splitters, and m and t = n and s rounded up to
///          powers of two: O(n) if s is at most n / log2 n
/// Steps    2 log2 m + log2 t + 4, and the length of the longest sublist: for nodes in random order
///          O(spacing log n) with high probability
/// Source   Wei and JaJa, "Optimization of Linked List Prefix Computations on Multithreaded GPUs
///          Using CUDA", IPDPS 2010, who choose splitters at random; Helman and JaJa, "Designing
///          Practical Efficient Algorithms for Symmetric Multiprocessors", ALENEX 1999.

#include "exclusive_scan_by_sweeps.hpp"
#include "list_ranking_by_jumping.hpp"

#include <functional>

namespace textbook {

inline std::vector<size_t> rank_by_splitters(std::vector<size_t> const& next, size_t spacing) {
  size_t const n = next.size();
  std::vector<size_t> starts(n, 1), owner(n), ranks(n);
  for_all(n, [&](size_t i) {
    if (next[i] != i) starts[next[i]] = next[i] % spacing == 0;
  });
  auto const number = exclusive_scan_by_sweeps(starts, 0, std::plus{});
  std::vector<size_t> splitters(n == 0 ? 0 : number.back() + starts.back());
  for_all(n, [&](size_t i) {
    if (starts[i]) splitters[number[i]] = i;
  });
  auto sublists = tabulate(splitters.size(), [](size_t k) { return node{k, 0}; });
  for_all(splitters.size(), [&](size_t k) {
    size_t v = splitters[k], length = 1;
    owner[v] = k;
    for (; next[v] != v && !starts[next[v]]; ++length) {
      tick();
      v = next[v];
      owner[v] = k;
      ranks[v] = length;
    }
    if (next[v] != v) sublists[number[next[v]]] = {k, length};
  });
  jump_to_heads(sublists);
  return tabulate(n, [&](size_t i) { return sublists[owner[i]].sum + ranks[i]; });
}

}  // namespace textbook
