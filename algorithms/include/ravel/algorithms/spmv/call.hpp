#pragma once

/// The description of a sparse matrix times a vector.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/semiring.hpp>

namespace ravel::inline v0 {

struct spmv_family;

/// visit(r, sum) for each row r, with the sum of the products of its entries with elements of x.
template <class A, class X, class Add, class Multiply, class Visit>
struct spmv_call {
  using family = spmv_family;
  A a;  ///< a csr of views, or one derived from it
  X const* x;
  Add add;
  Multiply multiply;
  Visit visit;
};

namespace detail {

/// y = A x
template <class Y>
struct store_row {
  Y* y;
  template <class T>
  RAVEL_HD void operator()(index_t row, T const& sum) const {
    y[row] = static_cast<Y>(sum);
  }
};

/// y = A x, for views and a matrix of views.
template <class A, class X, class Y, class R>
auto describe_product(A const& a, X const& x, Y const& y, R ring) {
  using U = element_t<Y const&>;
  auto const add = monoid_on<U>(ring.add);
  static_assert(some_monoid<decltype(add)>, "spmv: the semiring's add is not a monoid");
  using Add = std::remove_const_t<decltype(add)>;
  auto const multiply = monoid_on<carrier_t<Add>>(ring.multiply);
  using Multiply = std::remove_const_t<decltype(multiply)>;
  return spmv_call<A, element_t<X>, Add, Multiply, store_row<U>>{
      a, x.data(), add, multiply, {y.data()}};
}

}  // namespace detail

/// The call of spmv(ex, a, x, y, ring).
template <class Offsets, class Columns, class Values, class X, class Y,
          class R = semiring<plus<>, multiplies<>>>
auto describe_spmv(csr<Offsets, Columns, Values> const& a, X const& x, Y&& y, R ring = {}) {
  return detail::describe_product(view_of(a), view_of(x), view_of(y), ring);
}

}  // namespace ravel::inline v0
