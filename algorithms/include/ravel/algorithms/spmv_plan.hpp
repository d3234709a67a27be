#pragma once

/// A sparse matrix with an analysis of its rows, for repeated products.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/spmv.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/spmv_plan.cuh>  // where the runs of warps begin
#endif

namespace ravel::inline v0 {
namespace detail {

/// The analysis of rows on an executor that needs none: empty.
struct no_analysis {
  template <class S>
  S of(S segments) const {
    return segments;
  }
};
no_analysis analyse_rows(auto const&, index_t, auto const&) { return {}; }

/// A matrix, not owned, with the analysis of its rows.
template <class A, class Known>
struct known_matrix : A {
  Known const& known;
};
template <class A, class Known>
auto rows_of(known_matrix<A, Known> const& a) {
  return a.known.of(rows_of(static_cast<A const&>(a)));
}

}  // namespace detail

/// Analyses the rows of a matrix once, for repeated products:
///
///     spmv_plan const plan(ex, a);
///     spmv(ex, plan, x, y);                     y = A x
///     spmv(ex, alpha, plan, x, beta, y);        y = alpha A x + beta y
///
/// It keeps what a product would compute from the offsets each time, and whether
/// all rows are so short that each should be added by one thread.
///
/// Shapes   a of rows by cols in the memory of `ex`.  The plan refers to it; it must outlive
///          the plan with its offsets unchanged; columns and values may change between products.
/// Order    As spmv.  In floating point rows of more than 512 entries may be grouped differently
///          than without a plan.
/// Cost     On a device, a pass over the offsets, which a product without a plan makes too if rows
///          have more than 8 entries on average; an index for each run of up to 4096 entries; and
///          a wait for the length of the longest row.  On the host nothing, in time and memory.
/// Errors   contract_error if the sizes of the matrix do not fit; on a device also if offsets do not ascend
///          from 0 to nnz, and on a checked executor if the matrix is malformed.
template <executor Ex, class A>
class spmv_plan {
  using matrix = decltype(view_of(std::declval<A const&>()));
  static auto analyse(Ex const& ex, matrix const& a) {
    using detail::analyse_rows;
    return analyse_rows(detail::own(ex), a.nnz(), rows_of(a));
  }
  using known = decltype(analyse(std::declval<Ex const&>(), std::declval<matrix>()));
  matrix a_;
  known known_;

  static matrix verified(Ex const& ex, A const& a) {
    static_assert(csr_on<A, Ex>, "spmv_plan: the matrix is not in the executor's memory");
    detail::expect_csr(a, "spmv_plan");
    detail::verify_csr(ex, a, "spmv_plan");
    return view_of(a);
  }

 public:
  spmv_plan(Ex const& ex, A const& a) : a_(verified(ex, a)), known_(analyse(ex, a_)) {}

  /// The matrix in the form that products take.
  detail::known_matrix<matrix, known> operator*() const { return {a_, known_}; }
};

/// As spmv with the matrix that was planned for.
template <executor Ex, class A, class X, class Y, class R = semiring<plus<>, multiplies<>>>
requires(sequence<Y>) void spmv(Ex const& ex, spmv_plan<Ex, A> const& plan, X const& x, Y&& y,
                                R ring = {}) {
  detail::expect_vectors_on<Ex, X, Y>();
  detail::verify_csr(ex, *plan, "spmv");
  detail::spmv_of(detail::own(ex), *plan, view_of(x), view_of(y), ring);
}
template <executor Ex, class Alpha, class A, class X, class Beta, class Y,
          class R = semiring<plus<>, multiplies<>>>
requires(sequence<Y>) void spmv(Ex const& ex, Alpha alpha, spmv_plan<Ex, A> const& plan, X const& x,
                                Beta beta, Y&& y, R ring = {}) {
  detail::expect_vectors_on<Ex, X, Y>();
  detail::verify_csr(ex, *plan, "spmv");
  detail::spmv_of(detail::own(ex), alpha, *plan, view_of(x), beta, view_of(y), ring);
}

}  // namespace ravel::inline v0
