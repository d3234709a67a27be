#pragma once

/// The lists and indices as loops of one thread.

#include "nested/serial/types.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace ravel::examples::serial {

/// By a walk of each list against its links.
inline numbers list_rank(numbers const& next) {
  auto const n = static_cast<index_t>(next.size());
  numbers before(next.size(), -1), rank(next.size());
  for (index_t i = 0; i < n; ++i) {
    if (of(next, i) != i) of(before, of(next, i)) = i;
  }
  for (index_t i = 0; i < n; ++i) {
    if (of(next, i) != i) continue;
    index_t k = 0;
    for (index_t v = i; v >= 0; v = of(before, v)) of(rank, v) = k++;
  }
  return rank;
}

/// Of parents that precede their children.
inline numbers leaffix(numbers const& parent, numbers sums) {
  for (auto v = static_cast<index_t>(parent.size()) - 1; v > 0; --v) {
    if (of(parent, v) != v) of(sums, of(parent, v)) += of(sums, v);
  }
  return sums;
}

/// By ranks of twice the length in each round.
inline numbers suffix_array(std::string const& text) {
  auto const n = static_cast<index_t>(text.size());
  numbers order(text.size()), rank(text.begin(), text.end()), next(text.size());
  std::iota(order.begin(), order.end(), index_t{0});
  for (index_t width = 0;; width = std::max<index_t>(1, 2 * width)) {
    auto const key = [&](index_t i) {
      index_t const k = i + width;
      return std::pair{of(rank, i), width > 0 && k < n ? of(rank, k) : index_t{-1}};
    };
    std::sort(order.begin(), order.end(), [&](auto i, auto k) { return key(i) < key(k); });
    for (index_t i = 0; i < n; ++i) {
      of(next, of(order, i)) =
          i == 0 ? 0
                 : of(next, of(order, i - 1)) + (key(of(order, i - 1)) < key(of(order, i)) ? 1 : 0);
    }
    rank = next;
    if (width >= n || n == 0 || of(rank, of(order, n - 1)) == n - 1) return order;
  }
}

using entries = std::vector<std::pair<index_t, numbers>>;
/// (word, documents), by a sort of all words.
inline entries inverted_index(rows const& documents) {
  edges all;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    for (auto const word : documents[d]) all.emplace_back(word, static_cast<index_t>(d));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  entries result;
  for (auto const& [word, d] : all) {
    if (result.empty() || result.back().first != word) result.emplace_back(word, numbers{});
    result.back().second.push_back(d);
  }
  return result;
}

}  // namespace ravel::examples::serial
