#pragma once

/// Reduction by a tree: combines pairs, pairs of pairs, and so on.
///
///     reduce(x) = x[0] * ... * x[n - 1]     writing * for op, which is associative
///
///     x        3  1  2  4  1  5  2  3
///     d = 1    .  4  .  6  .  6  .  5       up_sweep: the sum of a subtree is at its last leaf
///     d = 2    .  .  . 10  .  .  . 11
///     d = 4    .  .  .  .  .  .  . 21
///
/// up_sweep leaves all of these sums in x, where they stand: [3 4 2 10 1 6 2 21].
///
/// Work     m - 1, for m = n rounded up to a power of two; of up_sweep less than n
/// Steps    log2 m
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.2.

#include "machine.hpp"

#include <bit>

namespace textbook {

template <class T, class Op>
void up_sweep(std::vector<T>& x, Op op) {
  for (size_t d = 1; 2 * d <= x.size(); d *= 2) {
    for_all(x.size() / (2 * d), [&](size_t k) {
      size_t const right = 2 * d * (k + 1) - 1, left = right - d;
      x[right] = op(x[left], x[right]);
    });
  }
}

template <class T, class Op>
T reduce(std::vector<T> x, std::type_identity_t<T> identity, Op op) {
  x.resize(std::bit_ceil(x.size()), identity);
  up_sweep(x, op);
  return x.back();
}

}  // namespace textbook
