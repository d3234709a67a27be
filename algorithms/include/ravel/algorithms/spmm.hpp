#pragma once

/// A sparse matrix times several vectors, over any semiring.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/semiring.hpp>
#include <ravel/algorithms/spmm/call.hpp>
#include <ravel/algorithms/spmm/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/spmm.cuh>  // each lane has columns of X
#endif

namespace ravel::inline v0 {

/// Multiplies a sparse matrix with k vectors, the columns of X:
///
///     Y = A X                                spmm(ex, a, k, x, y)
///
///     1 . 2     1 10       7 70
///     . . .     2 20   =   0  0              with plus_times, k = 2
///     . 3 .     3 30       6 60
///
/// over the semiring `ring`, as spmv does for one vector.
///
/// Shapes   a of rows by cols; X of cols by k, and Y of rows by k, both by rows, so that
///          X(c, j) is x[c k + j]; all in the memory of `ex`.  `y` overlaps nothing else.
///          Any size may be 0.
/// Order    As spmv, for each vector.
/// Cost     O(k (n + rows)) work for n entries, O(log n) span.  The matrix is read once
///          for each 8 vectors, and once each for a rest of 4, 2 and 1.  On a device it is read
///          once for 8 or more vectors, with scratch for k elements of each 16 to 256 entries and
///          rows; fewer than 8 are multiplied by as many at a time as have 16 bytes in a row.
/// Errors   contract_error if the sizes do not fit; on a checked executor, if the matrix is malformed.
///          Issued, not awaited.
/// Source   As spmv; for vectors stored by rows, Im and Yelick, "Optimizing
///          Sparse Matrix Vector Multiplication on SMPs", SIAM PPSC 1999.
template <executor Ex, class Offsets, class Columns, class Values, class X, class Y,
          class R = semiring<plus<>, multiplies<>>>
requires(sequence<Y>) void spmm(Ex const& ex, csr<Offsets, Columns, Values> const& a, index_t k,
                                X const& x, Y&& y, R ring = {}) {
  static_assert(csr_on<csr<Offsets, Columns, Values>, Ex>,
                "spmm: the matrix is not in the executor's memory");
  static_assert(sequence_on<X const&, Ex> && writable_on<Y, Ex>,
                "spmm: x or y is not contiguous, writable and in the executor's memory");
  detail::expect_csr(a, "spmm");
  detail::verify_csr(ex, a, "spmm");
  expects(k >= 0, "spmm: there are ", k, " vectors");
  expects(is_product(size_of(x), a.cols, k), "spmm: x has ", size_of(x), " elements, not ", k,
          " vectors of ", a.cols);
  expects(is_product(size_of(y), a.rows, k), "spmm: y has ", size_of(y), " elements, not ", k,
          " vectors of ", a.rows);
  run_call(detail::own(ex), describe_spmm(a, k, x, y, ring));
}

}  // namespace ravel::inline v0
