#pragma once

/// A sparse matrix times a vector, over any semiring.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/semiring.hpp>
#include <ravel/algorithms/spmv/call.hpp>
#include <ravel/algorithms/spmv/cpu.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/spmv/cuda.hpp>
#endif

namespace ravel::inline v0 {
namespace detail {

/// y = alpha A x
template <class Y, class T, class Multiply>
struct scale_row {
  Y* y;
  T alpha;
  Multiply multiply;
  RAVEL_HD void operator()(index_t row, T const& sum) const {
    y[row] = static_cast<Y>(multiply(alpha, sum));
  }
};

/// y = alpha A x + beta y
template <class Y, class T, class Add, class Multiply>
struct update_row {
  Y* y;
  T alpha, beta;
  Add add;
  Multiply multiply;
  RAVEL_HD void operator()(index_t row, T const& sum) const {
    y[row] = static_cast<Y>(add(multiply(alpha, sum), multiply(beta, static_cast<T>(y[row]))));
  }
};

/// Static checks that the executor can access the operands.
template <class Ex, class X, class Y>
constexpr void expect_vectors_on() {
  static_assert(sequence_on<X const&, Ex>,
                "spmv: x is not a contiguous sequence in the executor's memory");
  RAVEL_EXPECT_WRITABLE(Y, Ex, "spmv: y");
}
template <class Ex, class Offsets, class Columns, class Values, class X, class Y>
constexpr void expect_spmv_on() {
  static_assert(csr_on<csr<Offsets, Columns, Values>, Ex>,
                "spmv: the matrix is not in the executor's memory");
  expect_vectors_on<Ex, X, Y>();
}

void expect_sizes_of_product(auto const& a, auto const& x, auto const& y) {
  expects(x.size() == a.cols, "spmv: the matrix has ", a.cols, " columns, and x has ", x.size(),
          " elements");
  expects(y.size() == a.rows, "spmv: the matrix has ", a.rows, " rows, and y has ", y.size(),
          " elements");
}

/// y = A x, for views and a matrix of checked sizes.
void spmv_of(auto const& ex, auto const& a, auto const& x, auto const& y, auto ring) {
  expect_sizes_of_product(a, x, y);
  run_call(ex, describe_product(a, x, y, ring));
}

/// y = alpha A x + beta y
template <class Ex, class Alpha, class A, class X, class Beta, class Y, class R>
void spmv_of(Ex const& ex, Alpha alpha, A const& a, X const& x, Beta beta, Y const& y, R ring) {
  expect_sizes_of_product(a, x, y);
  auto const product = describe_product(a, x, y, ring);
  using U = element_t<Y const&>;
  using Add = std::remove_const_t<decltype(product.add)>;
  using Multiply = std::remove_const_t<decltype(product.multiply)>;
  using T = carrier_t<Add>;
  auto const run = [&]<class Visit>(Visit const& visit) {
    run_call(ex, spmv_call<A, element_t<X>, Add, Multiply, Visit>{a, x.data(), product.add,
                                                                  product.multiply, visit});
  };
  T const scale = static_cast<T>(alpha), keep = static_cast<T>(beta);
  if (keep == T(product.add.identity())) {
    run(scale_row<U, T, Multiply>{y.data(), scale, product.multiply});
  } else {
    run(update_row<U, T, Add, Multiply>{y.data(), scale, keep, product.add, product.multiply});
  }
}

}  // namespace detail

/// Multiplies a sparse matrix with a vector:
///
///     y = A x                             spmv(ex, a, x, y)
///     y = alpha A x + beta y              spmv(ex, alpha, a, x, beta, y)
///
///     1 . 2   1     7
///     . . .   2  =  0                     with plus_times
///     . 3 .   3     6
///
/// over the semiring `ring`: the result of a row is the ring.add sum of its
/// ring.multiply products; an empty row gives the zero of the semiring.
///
/// Shapes   a of rows by cols, x[cols], y[rows], all in the memory of `ex`.  The columns of
///          a row may be in any order and may repeat.  `y` overlaps nothing else.  Any size may be
///          0.
/// Order    Products are added in the order of the entries.  The grouping is
///          fixed by the offsets and the executor, on a device by the number of resident
///          blocks, so that a result in floating point repeats exactly
///          on the same executor.  On a host with 64-byte vectors, where columns are scattered, a
///          row of doubles is added in 8 interleaved partial sums, one of floats in 16, which are
///          then added.  Everything is converted to the type of ring.add
///          first, which for plus_times is that of the elements of y.  If beta is the zero
///          of the semiring, y is not read and may be uninitialised.
/// Cost     O(n + rows) work for n entries, O(log n) span, for any distribution of entries over
///          rows.  Reads the matrix and the elements of x that its columns select twice and the
///          offsets three times, on the host and on a device all of them once; writes y once.
///          Scratch for less than a thousandth of a large matrix.
/// Errors   contract_error if the sizes do not fit; on a checked executor, if the matrix is
///          malformed.  Issued, not awaited.
/// Source   Blelloch, Heroux and Zagha, "Segmented Operations for Sparse Matrix
///          Computation on Vector Multiprocessors", CMU-CS-93-173, 1993.
/// See also csr_from_coordinates, which makes such matrices; spmv_plan, for repeated products.
template <executor Ex, class Offsets, class Columns, class Values, class X, class Y,
          class R = semiring<plus<>, multiplies<>>>
requires(sequence<Y>) void spmv(Ex const& ex, csr<Offsets, Columns, Values> const& a, X const& x,
                                Y&& y, R ring = {}) {
  detail::expect_spmv_on<Ex, Offsets, Columns, Values, X, Y>();
  detail::expect_csr(a, "spmv");
  detail::verify_csr(ex, a, "spmv");
  detail::spmv_of(detail::own(ex), view_of(a), view_of(x), view_of(y), ring);
}

/// y = alpha A x + beta y, as above.
template <executor Ex, class Alpha, class Offsets, class Columns, class Values, class X, class Beta,
          class Y, class R = semiring<plus<>, multiplies<>>>
requires(sequence<Y>) void spmv(Ex const& ex, Alpha alpha, csr<Offsets, Columns, Values> const& a,
                                X const& x, Beta beta, Y&& y, R ring = {}) {
  detail::expect_spmv_on<Ex, Offsets, Columns, Values, X, Y>();
  detail::expect_csr(a, "spmv");
  detail::verify_csr(ex, a, "spmv");
  detail::spmv_of(detail::own(ex), alpha, view_of(a), view_of(x), beta, view_of(y), ring);
}

}  // namespace ravel::inline v0
