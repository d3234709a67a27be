#pragma once

/// The description of a sparse matrix times several vectors.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/semiring.hpp>

namespace ravel::inline v0 {

struct spmm_family;

/// Y = A X for k vectors, by rows.
template <class A, class X, class Y, class Add, class Multiply>
struct spmm_call {
  using family = spmm_family;
  using value_type = carrier_t<Add>;
  A a;  ///< a csr of views
  index_t k;
  X const* x;
  Y* y;
  Add add;
  Multiply multiply;
};

/// The call of spmm with the same arguments.
template <class Offsets, class Columns, class Values, class X, class Y,
          class R = semiring<plus<>, multiplies<>>>
auto describe_spmm(csr<Offsets, Columns, Values> const& a, index_t k, X const& x, Y&& y,
                   R ring = {}) {
  auto const matrix = view_of(a);
  auto const add = monoid_on<element_t<Y>>(ring.add);
  using Add = std::remove_const_t<decltype(add)>;
  static_assert(some_monoid<Add>, "spmm: the semiring's add is not a monoid");
  auto const multiply = monoid_on<carrier_t<Add>>(ring.multiply);
  return spmm_call<std::remove_const_t<decltype(matrix)>, element_t<X const&>, element_t<Y>, Add,
                   std::remove_const_t<decltype(multiply)>>{
      matrix, k, view_of(x).data(), view_of(y).data(), add, multiply};
}

}  // namespace ravel::inline v0
