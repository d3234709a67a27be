#pragma once

/// Split radix sort: for each bit, the lowest first, moves the keys where it is 0 before those where
/// it is 1.  Each split is stable, so that it keeps the order by the lower bits.
///
///     out = the keys of x, each below 2^bits, in ascending order
///
///     x        5  7  3  1  4  2
///     zero     0  0  0  0  1  1             bit 0 is 0
///     before   0  0  0  0  0  1             the exclusive scan of zero; 2 in all
///     to       2  3  4  5  0  1             before[i], or 2 + i - before[i]
///     split    4  2  5  7  3  1             by bit 0
///              4  5  1  2  7  3             by bit 1
///              1  2  3  4  5  7             by bit 2
///
/// Work     bits (2 n + 2 (m - 1)), for m = n rounded up to a power of two
/// Steps    bits (2 log2 m + 2)
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.3.1.

#include "exclusive_scan_by_sweeps.hpp"

#include <functional>

namespace textbook {

template <class Key>
std::vector<Key> split(std::vector<Key> const& x, int bit) {
  if (x.empty()) return {};
  auto const zero = tabulate(x.size(), [&](size_t i) { return size_t{(x[i] >> bit & 1) == 0}; });
  auto const before = exclusive_scan_by_sweeps(zero, 0, std::plus{});
  size_t const zeros = before.back() + zero.back();
  std::vector<Key> out(x.size());
  for_all(x.size(), [&](size_t i) { out[zero[i] ? before[i] : zeros + i - before[i]] = x[i]; });
  return out;
}

template <class Key>
std::vector<Key> split_radix_sort(std::vector<Key> x, int bits) {
  for (int bit = 0; bit < bits; ++bit) x = split(x, bit);
  return x;
}

}  // namespace textbook
