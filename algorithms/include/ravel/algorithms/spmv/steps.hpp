#pragma once

/// @file
/// A sparse matrix times a vector on any executor: a segmented reduction of products.

#include <ravel/algorithms/csr.hpp>
#include <ravel/core/read_once.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

namespace ravel::inline v0::detail {

/// The product that entry k contributes to its row.
template <class T, class Column, class A, class X, class Multiply>
struct product_of_entry {
  Column const* columns;
  A const* values;
  X const* x;
  Multiply multiply;
  RAVEL_HD Column load_index(index_t k) const { return read_once(columns + k); }
  RAVEL_HD T load_at(index_t k, Column column) const {
    return multiply(static_cast<T>(read_once(values + k)), static_cast<T>(x[column]));
  }
  RAVEL_HD T operator()(index_t k) const { return load_at(k, load_index(k)); }

  /// As operator(), where one thread evaluates consecutive k: plain loads, so that cache lines are
  /// reused.
  RAVEL_HD T in_turn(index_t k) const {
    return multiply(static_cast<T>(values[k]), static_cast<T>(x[columns[k]]));
  }
};

/// The initial value of a row's sum.
template <class Add>
struct zero_of {
  Add add;
  RAVEL_HD auto operator()() const { return add.identity(); }
};

/// Calls visit(r, sum of the products of row r) for each row r.
template <class Ex, class A, class X, class Add, class Multiply, class Visit>
void multiply_rows(Ex const& ex, A const& a, X const& x, Add add, Multiply multiply, Visit visit) {
  using T = carrier_t<Add>;
  using Load = product_of_entry<T, element_t<decltype(a.columns)>, element_t<decltype(a.values)>,
                                element_t<X>, Multiply>;
  segmented_reduce_on(ex, a.nnz(), Load{a.columns.data(), a.values.data(), x.data(), multiply},
                      rows_of(a), add, zero_of<Add>{add}, visit);
}

}  // namespace ravel::inline v0::detail
