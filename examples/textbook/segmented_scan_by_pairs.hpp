#pragma once

/// Segmented scan by a transformed operator: an ordinary scan of pairs (head, value).
///
///     out[i] = x[s] * ... * x[i], with s the last head of a segment up to i, writing * for op
///     (g, a) . (h, b) = (g or h, b if h, else a * b)
///
///     heads    1  0  0  1  0  1
///     x        3  1  2  4  1  5
///     out      3  4  6  4  5  5             with plus
///
/// If * is associative, so is the operator of pairs: any scan will do.
///
/// Work     2 n more than the scan, here less than 4 n
/// Steps    2 more than the scan
/// Source   Schwartz, "Ultracomputers", ACM TOPLAS 2(4), 1980; Blelloch, "Scans as Primitive
///          Parallel Operations", IEEE Trans. Computers 38(11), 1989.

#include "inclusive_scan_by_sweeps.hpp"

#include <utility>

namespace textbook {

template <class T, class Op>
std::vector<T> segmented_scan_by_pairs(std::vector<int> const& heads, std::vector<T> const& x,
                                       Op op) {
  using pair = std::pair<int, T>;
  auto const pairs = tabulate(x.size(), [&](size_t i) { return pair{heads[i], x[i]}; });
  auto const scanned = inclusive_scan_by_sweeps(pairs, [&](pair const& a, pair const& b) {
    return pair{a.first | b.first, b.first ? b.second : op(a.second, b.second)};
  });
  return tabulate(x.size(), [&](size_t i) { return scanned[i].second; });
}

}  // namespace textbook
