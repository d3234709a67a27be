#pragma once

/// @file
/// Loops of one thread that make the same rounds as nested programs which make more than a serial
/// program needs: for benchmarks.

#include <ravel/core/tile.hpp>

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
    hook([](index_t a, index_t b) { return a != b; });
    numbers const any_other = parent;
    for (auto& p : parent) p = of(any_other, p);
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

}  // namespace ravel::examples::serial
