#pragma once

/// Inclusive scan by sweeps, without the swap: no identity, and no padding.
///
///     out[i] = x[0] * ... * x[i]            writing * for op, which is associative
///
///     x        3  1  2  4  1  5  2  3
///     up       3  4  2 10  1  6  2 21       see reduction.hpp: the last leaf of each subtree at
///     d = 2    3  4  2 10  1 16  2 21       the left edge of the tree has its prefix already;
///     d = 1    3  4  6 10 11 16 18 21       the others add that of the element d before
///
/// Work     2 n - 2 - log2 n for powers of two; less than 2 n for every n
/// Steps    floor(log2 n) up, and floor(log2(n / 3)) + 1 down
/// Source   Brent and Kung, "A Regular Layout for Parallel Adders", IEEE Trans. Computers C-31(3),
///          1982; in general Ladner and Fischer, "Parallel Prefix Computation", J. ACM 27(4), 1980.

#include "reduction.hpp"

namespace textbook {

template <class T, class Op>
std::vector<T> inclusive_scan_by_sweeps(std::vector<T> x, Op op) {
  up_sweep(x, op);
  for (size_t d = std::bit_floor(x.size()) / 2; d > 0; d /= 2) {
    for_all((x.size() / d - 1) / 2, [&](size_t k) {
      size_t const left = 2 * d * (k + 1) - 1, right = left + d;
      x[right] = op(x[left], x[right]);
    });
  }
  return x;
}

}  // namespace textbook
