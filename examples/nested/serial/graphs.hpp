#pragma once

/// The programs on graphs as loops of one thread.

#include "nested/serial/types.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace ravel::examples::serial {

/// The least vertex connected with each, by union-find.
inline numbers components(index_t n, edges const& all) {
  numbers up(static_cast<std::size_t>(n));
  std::iota(up.begin(), up.end(), index_t{0});
  auto const root = [&](index_t v) {
    while (of(up, v) != v) v = of(up, v) = of(up, of(up, v));
    return v;
  };
  for (auto const& [v, w] : all) {
    index_t const a = root(v), b = root(w);
    of(up, std::max(a, b)) = std::min(a, b);
  }
  for (auto& v : up) v = root(v);
  return up;
}

/// Greedy, in the order of `rank`.
template <class Rank>
std::vector<bool> independent_set(rows const& graph, Rank const& rank) {
  numbers order(graph.size());
  std::iota(order.begin(), order.end(), index_t{0});
  std::vector<std::uint64_t> ranks;
  for (auto const v : order) ranks.push_back(rank(v));
  std::sort(order.begin(), order.end(),
            [&](auto v, auto w) { return of(ranks, v) < of(ranks, w); });
  std::vector<bool> in(graph.size()), out(graph.size());
  for (auto const v : order) {
    auto const k = static_cast<std::size_t>(v);
    if (out[k]) continue;
    in[k] = true;
    for (auto const w : graph[k]) out[static_cast<std::size_t>(w)] = true;
  }
  return in;
}

inline index_t cliques_within(rows const& graph, numbers p, numbers x) {
  if (p.empty()) return x.empty() ? 1 : 0;
  index_t sum = 0;
  while (!p.empty()) {
    index_t const v = p.front();
    p.erase(p.begin());
    auto const& around = of(graph, v);
    auto const common = [&](numbers const& set) {
      numbers both;
      std::set_intersection(set.begin(), set.end(), around.begin(), around.end(),
                            std::back_inserter(both));
      return both;
    };
    sum += cliques_within(graph, common(p), common(x));
    x.insert(std::lower_bound(x.begin(), x.end(), v), v);
  }
  return sum;
}
inline index_t maximal_cliques(rows const& graph) {
  numbers all(graph.size());
  std::iota(all.begin(), all.end(), index_t{0});
  return cliques_within(graph, all, {});
}

inline index_t triangles(rows const& graph) {
  index_t sum = 0;
  for (auto const& a : graph) {
    for (auto const w : a) {
      auto const& b = of(graph, w);
      for (auto p = a.begin(), q = b.begin(); p < a.end() && q < b.end();) {
        sum += *p == *q;
        auto const p_moves = *p <= *q, q_moves = *q <= *p;
        p += p_moves;
        q += q_moves;
      }
    }
  }
  return sum;
}

/// Dijkstra's.
inline numbers shortest_paths(std::vector<edges> const& graph, index_t start) {
  numbers far(graph.size(), std::numeric_limits<index_t>::max());
  using entry = std::pair<index_t, index_t>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> next;
  of(far, start) = 0;
  next.emplace(0, start);
  while (!next.empty()) {
    auto const [so_far, v] = next.top();
    next.pop();
    if (so_far > of(far, v)) continue;
    for (auto const& [w, length] : of(graph, v)) {
      if (so_far + length >= of(far, w)) continue;
      of(far, w) = so_far + length;
      next.emplace(so_far + length, w);
    }
  }
  return far;
}

/// The number of edges from `from` to each vertex, or -1.
inline numbers bfs(rows const& graph, index_t from) {
  numbers level(graph.size(), -1), queue{from};
  of(level, from) = 0;
  for (std::size_t k = 0; k < queue.size(); ++k) {
    for (auto const w : of(graph, queue[k])) {
      if (of(level, w) >= 0) continue;
      of(level, w) = of(level, queue[k]) + 1;
      queue.push_back(w);
    }
  }
  return level;
}

}  // namespace ravel::examples::serial
