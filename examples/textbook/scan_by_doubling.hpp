#pragma once

/// Step-doubling scan: each element takes in its neighbour at distance 1, then 2, then 4, ...
///
///     out[i] = x[0] * ... * x[i]            writing * for op, which is associative
///
///     x      3  1  2  4  1  5
///     d = 1  3  4  3  6  5  6               sums of the last 2 elements, or of all there are
///     d = 2  3  4  6 10  8 12               of the last 4
///     d = 4  3  4  6 10 11 16               of the last 8
///
/// Work     n ceil(log2 n), of which n ceil(log2 n) - 2^ceil(log2 n) + 1 call op
/// Steps    ceil(log2 n), and no scan has fewer
/// Source   Hillis and Steele, "Data Parallel Algorithms", Comm. ACM 29(12), 1986; before them
///          Kogge and Stone, "A Parallel Algorithm for the Efficient Solution of a General Class
///          of Recurrence Equations", IEEE Trans. Computers C-22(8), 1973.

#include "machine.hpp"

namespace textbook {

template <class T, class Op>
std::vector<T> scan_by_doubling(std::vector<T> x, Op op) {
  for (size_t d = 1; d < x.size(); d *= 2) {
    x = tabulate(x.size(), [&](size_t i) { return i < d ? x[i] : op(x[i - d], x[i]); });
  }
  return x;
}

}  // namespace textbook
