#pragma once

/// Work-efficient exclusive scan: sums go up a tree, and prefixes come down.
///
///     out[i] = x[0] * ... * x[i - 1], and out[0] is the identity, writing * for op
///
///     x        3  1  2  4  1  5  2  3
///     up       3  4  2 10  1  6  2 21       see reduction.hpp
///     root     3  4  2 10  1  6  2  0       nothing is before the whole
///     d = 4    3  4  2  0  1  6  2 10       the left half has its parent's prefix, and the right
///     d = 2    3  0  2  4  1 10  2 16       half that combined with the sum of the left: a swap
///     d = 1    0  3  4  6 10 11 16 18       and a sum at each node
///
/// Work     2 (m - 1), for m = n rounded up to a power of two
/// Steps    2 log2 m
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.2.

#include "reduction.hpp"

namespace textbook {

template <class T, class Op>
std::vector<T> exclusive_scan_by_sweeps(std::vector<T> x, std::type_identity_t<T> identity, Op op) {
  size_t const n = x.size(), m = std::bit_ceil(n);
  x.resize(m, identity);
  up_sweep(x, op);
  x[m - 1] = identity;
  for (size_t d = m / 2; d > 0; d /= 2) {
    for_all(m / (2 * d), [&](size_t k) {
      size_t const right = 2 * d * (k + 1) - 1, left = right - d;
      T const before = x[right];
      x[right] = op(before, x[left]);
      x[left] = before;
    });
  }
  x.resize(n);
  return x;
}

}  // namespace textbook
