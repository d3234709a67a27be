#pragma once

/// Loops of one thread that make the same rounds as nested programs whose algorithm is another than that of
/// a serial program: for benchmarks.

#include <ravel/core/tile.hpp>

#include "nested/serial/matrices.hpp"
#include "nested/serial/types.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace ravel::examples::serial {

/// The least vertex with the same root, for each vertex.
inline numbers least_of_root(numbers const& root) {
  numbers least(root.size(), std::numeric_limits<index_t>::max()), result;
  for (std::size_t v = 0; v < root.size(); ++v) {
    of(least, root[v]) = std::min(of(least, root[v]), static_cast<index_t>(v));
  }
  for (auto const r : root) result.push_back(of(least, r));
  return result;
}
/// parent[parent[v]] for each v, until nothing changes.
inline void jump_to_roots(numbers& parent) {
  for (bool changing = true; changing;) {
    numbers const before = parent;
    for (auto& p : parent) p = of(before, p);
    changing = parent != before;
  }
}
/// The rounds of random_mate, each as one loop over the edges that are left.
template <class IsHead>
numbers random_mate(index_t n, edges const& all, IsHead const& is_head) {
  numbers parent(static_cast<std::size_t>(n));
  std::iota(parent.begin(), parent.end(), index_t{0});
  edges left = all;
  for (auto const& [v, w] : all) left.emplace_back(w, v);
  for (index_t round = 0; !left.empty(); ++round) {
    for (auto const& [v, w] : left) {
      if (!is_head(round, v) && is_head(round, w)) of(parent, v) = w;
    }
    std::size_t k = 0;
    for (auto const& [v, w] : left) {
      index_t const a = of(parent, v), b = of(parent, w);
      left[k] = {a, b};
      k += a != b;
    }
    left.resize(k);
  }
  jump_to_roots(parent);
  return least_of_root(parent);
}
/// The rounds of awerbuch_shiloach, each as two loops over all edges and some over the vertices.
inline numbers awerbuch_shiloach(index_t n, edges all) {
  numbers parent(static_cast<std::size_t>(n));
  std::iota(parent.begin(), parent.end(), index_t{0});
  std::vector<char> star(parent.size());
  for (std::size_t e = 0, many = all.size(); e < many; ++e) {
    all.emplace_back(all[e].second, all[e].first);
  }
  auto const find_stars = [&] {
    std::fill(star.begin(), star.end(), 1);
    for (std::size_t v = 0; v < parent.size(); ++v) {
      index_t const above = of(parent, parent[v]);
      if (parent[v] != above) star[v] = of(star, above) = 0;
    }
    std::vector<char> const own = star;
    for (std::size_t v = 0; v < parent.size(); ++v) star[v] = of(own, parent[v]);
  };
  auto const hook = [&](auto const& takes) {
    find_stars();
    numbers const before = parent;
    for (auto const& [v, w] : all) {
      index_t const a = of(before, v), b = of(before, w);
      if (of(star, v) && takes(a, b)) of(parent, a) = b;
    }
  };
  for (bool changing = true; changing;) {
    numbers const before = parent;
    hook([](index_t a, index_t b) { return a > b; });
    hook([](index_t a, index_t b) { return a < b; });
    numbers const greater = parent;
    for (auto& p : parent) p = of(greater, p);
    changing = parent != before;
  }
  return least_of_root(parent);
}

/// The rounds of leaffix, each as one loop over the nodes that are left.
inline numbers leaffix_by_doubling(numbers const& parent, numbers sums) {
  edges left;
  for (std::size_t v = 0; v < parent.size(); ++v) {
    if (parent[v] != static_cast<index_t>(v)) left.emplace_back(v, parent[v]);
  }
  numbers jump(parent.size());
  while (!left.empty()) {
    numbers const so_far = sums;
    std::fill(jump.begin(), jump.end(), index_t{-1});
    for (auto const& [v, up] : left) {
      of(sums, up) += of(so_far, v);
      of(jump, v) = up;
    }
    std::size_t k = 0;
    for (auto const& [v, up] : left) {
      index_t const further = of(jump, up);
      left[k] = {v, further};
      k += further >= 0;
    }
    left.resize(k);
  }
  return sums;
}

/// The rounds of list_rank, each as one loop over the nodes.
inline numbers list_rank_by_doubling(numbers next) {
  numbers rank(next.size()), further = rank, jumped = rank;
  for (std::size_t v = 0; v < next.size(); ++v) rank[v] = next[v] != static_cast<index_t>(v);
  for (bool changing = !next.empty(); changing;) {
    changing = false;
    for (std::size_t v = 0; v < next.size(); ++v) {
      further[v] = rank[v] + of(rank, next[v]);
      jumped[v] = of(next, next[v]);
      changing |= jumped[v] != next[v];
    }
    further.swap(rank);
    jumped.swap(next);
  }
  return rank;
}

/// The rounds of bfs, each as one loop over the edges that leave its front and one over what they find.
inline numbers bfs_by_rounds(rows const& graph, index_t from) {
  numbers level(graph.size(), -1), owner = level, front{from}, fresh;
  of(level, from) = 0;
  for (index_t distance = 1; !front.empty(); ++distance) {
    fresh.clear();
    for (auto const v : front) {
      for (auto const w : of(graph, v)) {
        if (of(level, w) >= 0) continue;
        of(owner, w) = static_cast<index_t>(fresh.size());
        fresh.push_back(w);
      }
    }
    front.clear();
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      if (of(owner, fresh[k]) != static_cast<index_t>(k)) continue;
      front.push_back(fresh[k]);
      of(level, fresh[k]) = distance;
    }
  }
  return level;
}

/// x + sign y
inline matrix sum_of(matrix x, matrix const& y, double sign = 1) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) x[i][j] += sign * y[i][j];
  }
  return x;
}
/// The seven products of strassen, and the definition below its size.
inline matrix strassen(matrix const& a, matrix const& b) {
  auto const half = a.size() / 2;
  if (a.size() <= 32) return product(a, b);
  auto const quarter = [half](matrix const& m, std::size_t row, std::size_t column) {
    matrix q;
    for (std::size_t i = 0; i < half; ++i) {
      auto const from = m[row * half + i].begin() + static_cast<std::ptrdiff_t>(column * half);
      q.emplace_back(from, from + static_cast<std::ptrdiff_t>(half));
    }
    return q;
  };
  matrix const a11 = quarter(a, 0, 0), a12 = quarter(a, 0, 1);
  matrix const a21 = quarter(a, 1, 0), a22 = quarter(a, 1, 1);
  matrix const b11 = quarter(b, 0, 0), b12 = quarter(b, 0, 1);
  matrix const b21 = quarter(b, 1, 0), b22 = quarter(b, 1, 1);
  matrix const m0 = strassen(sum_of(a11, a22), sum_of(b11, b22));
  matrix const m1 = strassen(sum_of(a21, a22), b11);
  matrix const m2 = strassen(a11, sum_of(b12, b22, -1));
  matrix const m3 = strassen(a22, sum_of(b21, b11, -1));
  matrix const m4 = strassen(sum_of(a11, a12), b22);
  matrix const m5 = strassen(sum_of(a21, a11, -1), sum_of(b11, b12));
  matrix const m6 = strassen(sum_of(a12, a22, -1), sum_of(b21, b22));
  matrix top = sum_of(sum_of(sum_of(m0, m3), m4, -1), m6);
  matrix bottom = sum_of(m1, m3);
  matrix const right = sum_of(m2, m4), lower = sum_of(sum_of(sum_of(m0, m2), m1, -1), m5);
  for (std::size_t i = 0; i < half; ++i) {
    top[i].insert(top[i].end(), right[i].begin(), right[i].end());
    bottom[i].insert(bottom[i].end(), lower[i].begin(), lower[i].end());
  }
  top.insert(top.end(), bottom.begin(), bottom.end());
  return top;
}

}  // namespace ravel::examples::serial
