#pragma once

/// Naive scan: each processor combines its own prefix.
///
///     out[i] = x[0] * ... * x[i]            writing * for op, which is associative
///
///     x      3  1  2  4  1  5
///     out    3  4  6 10 11 16               with plus
///
/// Work     n (n + 1) / 2
/// Steps    n: the last processor combines n elements in turn
/// Source   The definition.  All other scans of this folder share what here each processor repeats.

#include "machine.hpp"

namespace textbook {

template <class T, class Op>
std::vector<T> naive_scan(std::vector<T> const& x, Op op) {
  return tabulate(x.size(), [&](size_t i) {
    T sum = x[0];
    for (size_t k = 1; k <= i; ++k) {
      tick();
      sum = op(sum, x[k]);
    }
    return sum;
  });
}

}  // namespace textbook
