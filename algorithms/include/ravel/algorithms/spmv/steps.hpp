#pragma once

/// A sparse matrix times a vector on any executor: a segmented reduction of products.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/spmv/call.hpp>
#include <ravel/core/read_once.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

namespace ravel::inline v0 {
namespace detail {

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

}  // namespace detail

struct spmv_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: a segmented reduction of products.";
  template <class Ex, class A, class X, class Add, class Multiply, class Visit>
  static void run(Ex const& ex, spmv_call<A, X, Add, Multiply, Visit> const& c) {
    using Load = detail::product_of_entry<carrier_t<Add>, element_t<decltype(c.a.columns)>,
                                          element_t<decltype(c.a.values)>, X, Multiply>;
    segmented_reduce_on(ex, c.a.nnz(), Load{c.a.columns.data(), c.a.values.data(), c.x, c.multiply},
                        rows_of(c.a), c.add, detail::zero_of<Add>{c.add}, c.visit);
  }
};

/// The family of calls of sparse products with a vector.
struct spmv_family : call_family_with_devices<spmv_by_steps> {};

}  // namespace ravel::inline v0
