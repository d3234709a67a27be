#pragma once

/// What is counted of a matrix and of its product.

#include "matrix.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

namespace ravel::examples {

/// The rows of a matrix, and their elements of y.
struct product_measure {
  index_t rows = 0, cols = 0, nnz = 0, zeros = 0, empty = 0, longest = 0;
  std::complex<long double> sum = 0;
  long double squares = 0;
  double largest = 0;
  index_t index_size = 0, value_size = 0;
  bool is_complex = false;

  /// The least traffic: each entry with its column, the offsets, x and y, once.
  double bytes() const {
    return static_cast<double>(nnz * (value_size + index_size) + (rows + 1) * index_size +
                               (rows + cols) * value_size);
  }
  double flops() const { return static_cast<double>(nnz * (is_complex ? 8 : 2)); }

  /// Adds other rows of the same matrix.
  product_measure& operator+=(product_measure const& other) {
    rows += other.rows;
    nnz += other.nnz;
    zeros += other.zeros;
    empty += other.empty;
    longest = std::max(longest, other.longest);
    sum += other.sum;
    squares += other.squares;
    keep_largest(other.largest);
    return *this;
  }
  void keep_largest(double magnitude) {
    if (magnitude > largest || std::isnan(magnitude)) largest = magnitude;  // NaN is kept
  }
};

template <class Index, class T>
product_measure measure_of(matrix_view<Index, T> a, view<T const> y) {
  product_measure m;
  m.rows = a.rows;
  m.cols = a.cols;
  m.nnz = a.nnz();
  m.index_size = sizeof(Index);
  m.value_size = sizeof(T);
  m.is_complex = !std::is_arithmetic_v<T>;
  m.zeros = std::count(a.values.begin(), a.values.end(), T(0));
  for (index_t row = 0; row < a.rows; ++row) {
    index_t const length = a.offsets[row + 1] - a.offsets[row];
    m.empty += length == 0;
    m.longest = std::max(m.longest, length);
  }
  for (T const& value : y) {
    m.sum += std::complex<long double>(value);
    m.squares += std::norm(std::complex<long double>(value));
    m.keep_largest(static_cast<double>(std::abs(value)));
  }
  return m;
}

}  // namespace ravel::examples
