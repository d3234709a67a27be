#pragma once

/// Checks ranks by another method: walks from the ends backwards.

#include "ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ravel::examples {

/// Adds with wrap-around, as the library does.
inline std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Walks along every list, or up from every node of a forest, and describes the first error in
/// `found`; empty if there is none.
inline std::string what_is_wrong(along what, view<std::int64_t const> next,
                                 view<std::int64_t const> values,
                                 std::vector<std::int64_t> const& found) {
  index_t const n = next.size();
  auto const differs = [&](index_t i, std::int64_t expected) {
    return fmt::format("node {} has {}, and should have {}", i, found[std::size_t(i)], expected);
  };
  if (what == along::depth) {
    for (index_t i = 0; i < n; ++i) {
      std::int64_t const expected = next[i] < 0 ? 0 : found[std::size_t(next[i])] + 1;
      if (found[std::size_t(i)] != expected) return differs(i, expected);
    }
    return {};
  }
  std::vector<bool> claimed(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) {
    if (next[i] >= 0 && next[i] != i) claimed[std::size_t(next[i])] = true;
  }
  for (index_t head = 0; head < n; ++head) {
    if (claimed[std::size_t(head)]) continue;
    std::int64_t through = what == along::rank ? 0 : values[head];
    for (index_t i = head;; i = next[i]) {
      if (i != head) {
        through = what == along::rank  ? through + 1
                  : what == along::sum ? wrapping_sum(through, values[i])
                                       : std::max(through, values[i]);
      }
      if (found[std::size_t(i)] != through) return differs(i, through);
      if (next[i] < 0 || next[i] == i) break;
    }
  }
  return {};
}

}  // namespace ravel::examples
