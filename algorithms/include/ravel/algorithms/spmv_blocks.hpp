#pragma once

/// A sparse matrix with its columns cut into blocks, for repeated products.

#include <ravel/algorithms/blocked_matrix.hpp>
#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/spmv.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/spmv_blocks.cuh>  // tables of the elements of x that rows use
#endif

namespace ravel::inline v0 {

/// Cuts the columns of a matrix into blocks once, for repeated products where columns are
/// scattered:
///
///     spmv_blocks const blocks(ex, a);
///     spmv(ex, blocks, x, y);                     y = A x
///     spmv(ex, alpha, blocks, x, beta, y);        y = alpha A x + beta y
///
/// A product loads an element of x for each entry, at random addresses.  With
/// blocks it reads x once from memory, slice by slice, and each block of rows gets its distinct
/// elements of x in one table.  That moves less memory where columns are scattered
/// and elements have at most 4 bytes.  Where nearby entries use nearby elements of x, as in a
/// grid, columns are not cut; with elements of 8 bytes products without blocks may be
/// as fast or faster: docs/lab/spmv.md.
///
/// Shapes   a of rows by cols in the memory of `ex`.  The blocks refer to it, and it must outlive
///          them with its offsets and columns unchanged; values may change between products.
///          Elements of x are of type X, by default that of the values.
/// Order    As spmv.  In floating point rows may be grouped differently than without blocks.
/// Cost     On a device, once a radix sort of nnz 8-byte keys by the bits of columns and blocks of
///          rows, with scratch for 28 bytes of each entry, and nine waits, four of them to verify
///          the matrix; bytes() remain allocated, at most about 5 for each entry.  If the selected
///          elements of x fit the shared memory of all multiprocessors, a product is one
///          cooperative kernel with scratch for a few rounds of tables, some 24 MB.  Otherwise it
///          is two kernels, with scratch for all tables: at most about an element of x for each
///          entry.  Columns are not cut, and are_cut() is false: on the host; and on a device if
///          there are more than 2^31 entries, if elements of x have more than 16 bytes or a size
///          that is not a power of two, if tables would have fewer than two sectors of each slice
///          on average, or if each of their elements would be used more than twice on average.
///          Products are then those without blocks, as also where sums are larger than X.
/// Errors   contract_error if the sizes of the matrix do not fit; if the matrix is malformed, on a
///          device where it is cut and on a checked executor.
/// Source   Kiriansky, Zhang and Amarasinghe, "Optimizing Indirect Memory References with milk",
///          PACT 2016, and Beamer, Asanovic and Patterson, "Reducing Pagerank Communication via
///          Propagation Blocking", IPDPS 2017; here elements of x are moved, not products.
/// See also spmv_plan, which analyses rows only.
template <executor Ex, class A,
          class X = element_t<decltype(std::declval<A const&>().values) const&>>
class spmv_blocks {
  using matrix = decltype(view_of(std::declval<A const&>()));
  static auto cut(Ex const& ex, matrix const& a) {
    using detail::cut_columns;
    return cut_columns(detail::own(ex), a, std::type_identity<X>{});
  }
  using blocks = decltype(cut(std::declval<Ex const&>(), std::declval<matrix>()));
  matrix a_;
  blocks blocks_;

  static matrix verified(Ex const& ex, A const& a) {
    static_assert(csr_on<A, Ex>, "spmv_blocks: the matrix is not in the executor's memory");
    detail::expect_csr(a, "spmv_blocks");
    detail::verify_csr(ex, a, "spmv_blocks");
    return view_of(a);
  }

 public:
  spmv_blocks(Ex const& ex, A const& a) : a_(verified(ex, a)), blocks_(cut(ex, a_)) {}

  /// Whether columns have been cut.
  bool are_cut() const { return blocks_.are_cut(); }
  /// The executor's memory that the blocks use.
  index_t bytes() const { return blocks_.bytes(); }

  /// The matrix in the form that products take.
  detail::blocked_matrix<matrix, blocks> operator*() const { return {a_, blocks_}; }
};

namespace detail {

template <class X, class Planned>
constexpr void expect_elements_of_blocks() {
  static_assert(std::same_as<X, Planned>,
                "spmv: the blocks were cut for elements of x of another type");
}

}  // namespace detail

/// As spmv with the matrix that was cut.
template <executor Ex, class A, class P, class X, class Y, class R = semiring<plus<>, multiplies<>>>
requires(sequence<Y>) void spmv(Ex const& ex, spmv_blocks<Ex, A, P> const& blocks, X const& x,
                                Y&& y, R ring = {}) {
  detail::expect_vectors_on<Ex, X, Y>();
  detail::expect_elements_of_blocks<element_t<X const&>, P>();
  detail::verify_csr(ex, *blocks, "spmv");
  detail::spmv_of(detail::own(ex), *blocks, view_of(x), view_of(y), ring);
}
template <executor Ex, class Alpha, class A, class P, class X, class Beta, class Y,
          class R = semiring<plus<>, multiplies<>>>
requires(sequence<Y>) void spmv(Ex const& ex, Alpha alpha, spmv_blocks<Ex, A, P> const& blocks,
                                X const& x, Beta beta, Y&& y, R ring = {}) {
  detail::expect_vectors_on<Ex, X, Y>();
  detail::expect_elements_of_blocks<element_t<X const&>, P>();
  detail::verify_csr(ex, *blocks, "spmv");
  detail::spmv_of(detail::own(ex), alpha, *blocks, view_of(x), beta, view_of(y), ring);
}

}  // namespace ravel::inline v0
