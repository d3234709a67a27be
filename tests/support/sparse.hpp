#pragma once

/// Shared by the tests of sparse products: matrices, vectors, and a noncommutative semiring.

#include <ravel/algorithms/csr.hpp>
#ifdef RAVEL_TEST_ON_RANKS
#  include <ravel/distributed/spmv.hpp>
#else
#  include <ravel/core/transfer.hpp>
#endif

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

/// A copy of a matrix in the memory of the executor of a fixture; on ranks, the rows of each in even pieces.
template <class Fixture, class A>
auto matrix_there(Fixture const& on, A const& a) {
#ifdef RAVEL_TEST_ON_RANKS
  auto const begins = distributed::even_begins(a.rows, on.ex().ranks().size());
  auto const rank = static_cast<std::size_t>(on.ex().ranks().rank());
  std::vector offsets(a.offsets.begin() + begins[rank], a.offsets.begin() + begins[rank + 1] + 1);
  auto const first = offsets.front(), last = offsets.back();
  for (auto& offset : offsets) offset -= first;
  return distributed::csr(on.ex(),
                          csr{std::ssize(offsets) - 1, a.cols, offsets,
                              std::vector(a.columns.begin() + first, a.columns.begin() + last),
                              std::vector(a.values.begin() + first, a.values.begin() + last)});
#else
  return to(on.ex(), a);
#endif
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
