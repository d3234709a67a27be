#pragma once

/// @file
/// A sparse matrix times a sparse vector, over any semiring.

#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/semiring.hpp>
#include <ravel/algorithms/sparse_vector.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segment_forms.hpp>

#include <algorithm>

namespace ravel::inline v0 {
namespace detail {

/// How many entries the columns have that x names.
template <class Offset>
struct length_of_column {
  Offset const* offsets;
  template <class Index>
  RAVEL_HD index_t operator()(Index column) const {
    return static_cast<index_t>(offsets[column + 1]) - static_cast<index_t>(offsets[column]);
  }
};

/// Entry r of the column that the s-th stored element of x names: its row, and the product.
template <class T, class Offset, class Row, class A, class Index, class X, class Multiply>
struct write_product_of_column {
  Offset const* offsets;
  Row const* rows_of_entries;
  A const* values;
  Index const* indices;
  X const* x;
  Multiply multiply;
  Row* rows;
  T* products;
  RAVEL_HD void operator()(index_t i, index_t s, index_t r) const {
    index_t const entry = static_cast<index_t>(offsets[indices[s]]) + r;
    rows[i] = rows_of_entries[entry];
    products[i] = multiply(static_cast<T>(values[entry]), static_cast<T>(x[s]));
  }
};

}  // namespace detail

/// Multiplies a sparse matrix, given by columns, with a sparse vector:
///
///     1 . 2   .     2                   columns  the rows of transpose(ex, a)
///     . . .   .  =  .                   x        indices 2, values 1
///     . 3 .   1     .                   result   indices 0, values 2
///
/// over the semiring `ring`.  An element of the result is stored where a stored element of x
/// meets an entry, whatever their product is.
///
/// Shapes   columns of cols by rows, the transpose of the matrix; x of `cols` elements; both in
///          the memory of `ex`.  An index may come more than once, in any order.  The result is a
///          sparse vector of `rows` elements in buffers of `ex`, of the type of ring.add, which for
///          plus_times is that of the values of x; its indices ascend, none of them twice.
/// Order    Products are added in the order of x.  The grouping is fixed, as reduce_by_key's.
/// Cost     For m entries in the columns that x names, O(m) work and a radix sort of m pairs by as
///          many bits as rows need; nothing that grows with the matrix.  Scratch for two
///          pairs of each.  Waits twice, for m and for the length of the result.
/// Errors   contract_error if the sizes do not fit.
/// Source   Yang, Wang and Owens, "Fast Sparse Matrix and Sparse Vector Multiplication Algorithm on
///          the GPU", IPDPS Workshops 2015.
/// See also spmv, which is faster where x is dense, or a large part of it is stored.
template <executor Ex, class Offsets, class Columns, class Values, class Indices, class XValues,
          class R = semiring<plus<>, multiplies<>>>
auto spmspv_sync(Ex const& ex, csr<Offsets, Columns, Values> const& columns,
                 sparse_vector<Indices, XValues> const& x, R ring = {}) {
  static_assert(sequence_on<Offsets const&, Ex> && sequence_on<Columns const&, Ex> &&
                    sequence_on<Values const&, Ex>,
                "spmspv_sync: the matrix is not in the executor's memory");
  static_assert(sequence_on<Indices const&, Ex> && sequence_on<XValues const&, Ex>,
                "spmspv_sync: x is not in the executor's memory");
  auto const add = monoid_on<element_t<XValues const&>>(ring.add);
  static_assert(some_monoid<decltype(add)>, "spmspv_sync: the semiring's add is not a monoid");
  using T = carrier_t<decltype(add)>;
  auto const multiply = monoid_on<T>(ring.multiply);
  using Row = element_t<Columns const&>;
  using Offset = element_t<Offsets const&>;

  detail::expect_csr(columns, "spmspv_sync");
  expects(x.size == columns.rows, "spmspv_sync: the matrix has ", columns.rows,
          " columns, and x has ", x.size, " elements");
  expects(size_of(x.values) == x.stored(), "spmspv_sync: x has ", x.stored(), " indices and ",
          size_of(x.values), " values");
  auto const a = view_of(columns);
  auto const from = view_of(x);

  auto const places = ex.template scratch<index_t>(x.stored() + 1);
  auto const lengths = ex.template scratch<index_t>(x.stored());
  map(ex, detail::length_of_column<Offset>{a.offsets.data()}, lengths, from.indices);
  exclusive_scan(ex, lengths, places);
  index_t const m = at_sync(ex, places, x.stored());

  auto const rows = ex.template scratch<Row>(m);
  auto const products = ex.template scratch<T>(m);
  for_each_in_segments(
      ex, m, by_offsets(view_of(places)),
      detail::write_product_of_column<T, Offset, Row, element_t<Values const&>,
                                      element_t<Indices const&>, element_t<XValues const&>,
                                      std::remove_const_t<decltype(multiply)>>{
          a.offsets.data(), a.columns.data(), a.values.data(), from.indices.data(),
          from.values.data(), multiply, rows.data(), products.data()});
  radix_sort_pairs(ex, rows, products, rows, products,
                   detail::bits_of_numbers_below<Row>(columns.cols));

  index_t const most = std::min(m, columns.cols);
  auto const reached = ex.template scratch<Row>(most);
  auto const sums = ex.template scratch<T>(most);
  index_t const count = reduce_by_key_sync(ex, rows, products, reached, sums, add);
  sparse_vector y{columns.cols, ex.template allocate<Row>(count), ex.template allocate<T>(count)};
  map(ex, detail::itself{}, y.indices, view_of(reached).slice(0, count));
  map(ex, detail::itself{}, y.values, view_of(sums).slice(0, count));
  return y;
}

}  // namespace ravel::inline v0
