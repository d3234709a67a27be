#pragma once

/// Compaction by scan: a kept element goes to the number of elements kept before it.
///
///     compact(x, keep) = [x[i] : keep[i] = 1], in order; keep holds 0 and 1
///
///     x        3  1  2  4  1  5
///     keep     1  0  1  1  0  1
///     to       0  1  1  2  3  3             the exclusive scan of keep
///     out      3  2  4  5
///
/// Work     n + 2 (m - 1), for m = n rounded up to a power of two
/// Steps    2 log2 m + 1
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.3.

#include "exclusive_scan_by_sweeps.hpp"

#include <functional>

namespace textbook {

template <class T>
std::vector<T> compact(std::vector<T> const& x, std::vector<size_t> const& keep) {
  if (x.empty()) return {};
  auto const to = exclusive_scan_by_sweeps(keep, 0, std::plus{});
  std::vector<T> out(to.back() + keep.back());
  for_all(x.size(), [&](size_t i) {
    if (keep[i]) out[to[i]] = x[i];
  });
  return out;
}

}  // namespace textbook
