#pragma once

/// Two other implementations of y = A x for comparison: the one with segmented scans from the
/// literature, and the simplest one.

#include <ravel/algorithms/csr.hpp>
#include <ravel/core/config.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/segmented_scan.hpp>

namespace ravel::examples {

/// The entries of a matrix, and x.
template <class Index, class T>
struct operands {
  Index const* offsets;
  Index const* columns;
  T const* values;
  T const* x;
  RAVEL_HD T product(index_t k) const { return values[k] * x[columns[k]]; }
};
template <class A, class X>
auto operands_of(A const& a, X const& x) {
  return operands<element_t<decltype(a.offsets) const&>, element_t<X const&>>{
      a.offsets.data(), a.columns.data(), a.values.data(), x.data()};
}

template <class Index, class T>
struct write_product {
  operands<Index, T> of;
  T* to;
  RAVEL_HD void operator()(index_t k) const { to[k] = of.product(k); }
};

/// Writes the last element of each scanned row, which is its sum.
template <class Index, class T>
struct write_last_of_row {
  Index const* offsets;
  T const* scanned;
  T* y;
  RAVEL_HD void operator()(index_t row) const {
    y[row] = offsets[row] == offsets[row + 1] ? T(0) : scanned[offsets[row + 1] - 1];
  }
};

template <class Index, class T>
struct write_sum_of_row {
  operands<Index, T> of;
  T* y;
  RAVEL_HD void operator()(index_t row) const {
    T sum = 0;
    for (Index k = of.offsets[row]; k < of.offsets[row + 1]; ++k) sum += of.product(k);
    y[row] = sum;
  }
};

/// In three steps: multiplies, scans each row, writes the last element of each.
///
/// Shapes   The matrix in the memory of `ex`; offsets and columns of one type, and values, x and
///          y of one.
/// Cost     O(n + rows) work and O(log n) span for n entries.  Products are written once, and
///          read and written once more.  Scratch for n values.
/// Source   Blelloch, Heroux and Zagha, "Segmented Operations for Sparse Matrix Computation on
///          Vector Multiprocessors", CMU-CS-93-173, 1993; Sengupta, Harris, Zhang and Owens,
///          "Scan Primitives for GPU Computing", Graphics Hardware 2007.
template <class Ex, class A, class X, class Y>
void spmv_by_scan(Ex const& ex, A const& a, X const& x, Y const& y) {
  auto const of = operands_of(a, x);
  using T = element_t<Y const&>;
  using Index = element_t<decltype(a.offsets) const&>;
  auto const products = ex.template scratch<T>(a.nnz());
  for_each_index(ex, a.nnz(), write_product<Index, T>{of, products.data()});
  segmented_inclusive_scan(ex, products, rows_of(a), products);
  for_each_index(ex, a.rows, write_last_of_row<Index, T>{of.offsets, products.data(), y.data()});
}

/// One thread for each row, which iterates over its entries.
///
/// Cost     O(n + rows) work, and the span of the longest row.
template <class Ex, class A, class X, class Y>
void spmv_by_rows(Ex const& ex, A const& a, X const& x, Y const& y) {
  using T = element_t<Y const&>;
  using Index = element_t<decltype(a.offsets) const&>;
  for_each_index(ex, a.rows, write_sum_of_row<Index, T>{operands_of(a, x), y.data()});
}

}  // namespace ravel::examples
