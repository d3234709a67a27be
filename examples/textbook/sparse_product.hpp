#pragma once

/// Sparse matrix times vector, by segmented scan: the rows of a matrix in CSR form are segments of
/// its entries, and the last sum of a segment is that of the row.  No row is too long.
///
///     y[r] = the sum of values[k] x[columns[k]] for k in [offsets[r], offsets[r + 1])
///
///     1 . 2     offsets    0  2  2  3       x          1  1  2
///     . . .     columns    0  2  1          products   1  4  3
///     . 3 .     values     1  2  3          heads      1  0  1
///                                           sums       1  5  3        segmented
///                                           y          5  0  3
///
/// Work     less than 5 n + 2 rows, for n entries
/// Steps    at most 2 log2 n + 5
/// Source   Blelloch, Heroux and Zagha, "Segmented Operations for Sparse Matrix Computation on
///          Vector Multiprocessors", CMU-CS-93-173, 1993.

#include "segmented_scan_by_pairs.hpp"

#include <functional>

namespace textbook {

template <class T>
std::vector<T> sparse_product(std::vector<size_t> const& offsets,
                              std::vector<size_t> const& columns, std::vector<T> const& values,
                              std::vector<T> const& x) {
  size_t const rows = offsets.size() - 1;
  auto const is_empty = [&](size_t r) { return offsets[r] == offsets[r + 1]; };
  std::vector<int> heads(values.size(), 0);
  for_all(rows, [&](size_t r) {
    if (!is_empty(r)) heads[offsets[r]] = 1;
  });
  auto const products =
      tabulate(values.size(), [&](size_t k) { return values[k] * x[columns[k]]; });
  auto const sums = segmented_scan_by_pairs(heads, products, std::plus{});
  return tabulate(rows, [&](size_t r) { return is_empty(r) ? T{} : sums[offsets[r + 1] - 1]; });
}

}  // namespace textbook
