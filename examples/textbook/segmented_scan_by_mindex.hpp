#pragma once

/// Segmented scan by mindex: each lane knows the minimum index of its segment, and combines nothing
/// from before it.
///
///     out[i] = x[s] * ... * x[i], with s the last head of a segment up to i, writing * for op
///     mindex[i] = s = max(k <= i : heads[k]), or 0
///
///     heads    1  0  0  1  0  1
///     x        3  1  2  4  1  5
///     mindex   0  0  0  3  3  5             a scan of indices by maximum
///     out      3  4  6  4  5  5             with plus: lane i combines lane i - d if that is
///                                           mindex[i] or later
///
/// The n lanes are those of a warp, 32 on today's devices.  The flags are read once, not combined
/// in each step, and the operator stays that of the caller.
///
/// Work     n (2 ceil(log2 n) + 1)
/// Steps    2 ceil(log2 n) + 1
/// Source   Sengupta, Harris and Garland, "Efficient Parallel Scan Algorithms for GPUs", NVIDIA
///          NVR-2008-003, 2008.

#include "scan_by_doubling.hpp"

namespace textbook {

template <class T, class Op>
std::vector<T> segmented_scan_by_mindex(std::vector<int> const& heads, std::vector<T> x, Op op) {
  auto const head_at = tabulate(x.size(), [&](size_t i) { return heads[i] ? i : 0; });
  auto const mindex = scan_by_doubling(head_at, [](size_t a, size_t b) { return std::max(a, b); });
  for (size_t d = 1; d < x.size(); d *= 2) {
    x = tabulate(x.size(), [&](size_t i) { return i < mindex[i] + d ? x[i] : op(x[i - d], x[i]); });
  }
  return x;
}

}  // namespace textbook
