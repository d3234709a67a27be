#pragma once

/// @file
/// Shared by the tests of sparse products: matrices, vectors, and a noncommutative semiring.

#include <ravel/algorithms/csr.hpp>

#include "support/monoids.hpp"
#include "support/segment_shapes.hpp"

#include <vector>

namespace ravel::testing {

/// A matrix with row lengths `shape`; columns are unordered, and value(k) is the value of entry k.
template <class Column, class Offset, class Value>
auto matrix_of(segment_shape const& shape, index_t cols, Value value) {
  auto const offsets = offsets_of(shape);
  std::vector<Column> columns;
  std::vector<decltype(value(index_t{0}))> values;
  for (index_t k = 0; k < offsets.back(); ++k) {
    columns.push_back(static_cast<Column>(k * 7919 % cols));
    values.push_back(value(k));
  }
  return csr{std::ssize(shape.lengths), cols, std::vector<Offset>(offsets.begin(), offsets.end()),
             columns, values};
}

/// Whole numbers, whose sums in double are exact in any order.
inline double whole(index_t k) { return static_cast<double>(k * 31 % 19 - 9); }

template <class T, class F>
std::vector<T> first(index_t n, F f) {
  std::vector<T> x;
  for (index_t i = 0; i < n; ++i) x.push_back(f(i));
  return x;
}

/// a * x for an affine map a and a vector of them: composition, which does not commute.
struct composed {
  RAVEL_HD affine operator()(affine const& f, affine const& g) const { return then{}(f, g); }
};

}  // namespace ravel::testing
