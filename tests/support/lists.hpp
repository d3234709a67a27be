#pragma once

/// Linked lists for tests, in orders that have broken list ranking.

#include <ravel/core/tile.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace ravel::testing {

/// Lists, as the nodes of each in their order.
struct lists {
  index_t n;
  std::vector<std::vector<index_t>> nodes;
};

/// The links of lists, whose last nodes are marked in one of the two ways.
template <class Link>
std::vector<Link> links_of(lists const& all, bool to_themselves = false) {
  std::vector<Link> next(static_cast<std::size_t>(all.n));
  for (auto const& list : all.nodes) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      bool const last = k + 1 == list.size();
      next[static_cast<std::size_t>(list[k])] =
          last ? to_themselves ? static_cast<Link>(list[k]) : static_cast<Link>(-1)
               : static_cast<Link>(list[k + 1]);
    }
  }
  return next;
}

/// The reference: each node's exclusive and inclusive prefix.
template <class T, class M>
std::pair<std::vector<T>, std::vector<T>> oracle(lists const& all, std::vector<T> const& values,
                                                 M m, T initial) {
  std::vector<T> before(values.size()), through(values.size());
  for (auto const& list : all.nodes) {
    T sum = initial;
    for (index_t const i : list) {
      auto const at = static_cast<std::size_t>(i);
      before[at] = sum;
      through[at] = sum = m(sum, values[at]);
    }
  }
  return {before, through};
}

/// An order of the nodes in memory.
inline std::vector<index_t> in_order(index_t n) {
  std::vector<index_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), index_t{0});
  return order;
}
inline std::vector<index_t> backward_order(index_t n) {
  auto order = in_order(n);
  std::reverse(order.begin(), order.end());
  return order;
}
inline std::vector<index_t> random_order(index_t n) {
  auto order = in_order(n);
  std::shuffle(order.begin(), order.end(), std::minstd_rand(7));
  return order;
}
inline std::vector<index_t> strided_order(index_t n, index_t stride) {
  std::vector<index_t> order;
  for (index_t first = 0; first < std::min(n, stride); ++first) {
    for (index_t i = first; i < n; i += stride) order.push_back(i);
  }
  return order;
}

/// Lists of these lengths along an order.
inline lists cut(std::vector<index_t> const& order, std::vector<index_t> const& lengths) {
  lists all{std::ssize(order), {}};
  auto from = order.begin();
  for (index_t const length : lengths) {
    if (length > 0) all.nodes.emplace_back(from, from + length);
    from += length;
  }
  return all;
}
inline lists single_list(std::vector<index_t> const& order) {
  return cut(order, {std::ssize(order)});
}

inline std::vector<index_t> heads_of_lists(lists const& all) {
  std::vector<index_t> heads;
  for (auto const& list : all.nodes) heads.push_back(list.front());
  return heads;
}

}  // namespace ravel::testing
