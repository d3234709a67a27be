#pragma once

/// A sparse matrix times a sparse vector, over any semiring.

#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/semiring.hpp>
#include <ravel/algorithms/sparse_vector.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segment_forms.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The number of entries of the column at stored element s of x: 0 if there is no such column or
/// its offsets are out of range, and then s is recorded in *wrong.
template <class Offset, class Index>
struct write_length_of_column {
  Offset const* offsets;
  Index const* indices;
  index_t columns, entries;
  index_t* lengths;
  index_t* wrong;  // the first such s
  RAVEL_HD void operator()(index_t s) const {
    auto const c = static_cast<index_t>(indices[s]);
    index_t length = -1;
    if (is_index_below(c, columns)) {
      auto const begin = static_cast<index_t>(offsets[c]);
      auto const end = static_cast<index_t>(offsets[c + 1]);
      if (0 <= begin && begin <= end && end <= entries) length = end - begin;
    }
    if (length < 0) {
      keep_least(wrong, s);
      length = 0;
    }
    lengths[s] = length;
  }
};

/// Entry r of the column at stored element s of x: its row, and the product.
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
/// has a matching entry, even if their product is zero.
///
/// Shapes   columns of cols by rows, the transpose of the matrix; x of `cols` elements; both in
///          the memory of `ex`.  Indices may repeat, in any order.  The result is a
///          sparse vector of `rows` elements in buffers of `ex`, of the type of ring.add, which for
///          plus_times is that of the values of x; its indices ascend and are distinct.
/// Order    Products are added in the order of x.  The grouping is fixed, as in reduce_by_key.
/// Cost     For m entries in the columns that x selects, O(m) work and a radix sort of m pairs by
///          the bits of a row number, independent of the size of the matrix.  Scratch for two
///          pairs of each.  Waits twice, for m and for the length of the result.
/// Errors   contract_error if the sizes do not fit, or if an index of x is not a column of the
///          matrix or the offsets of its column are out of range; on a checked executor, if the
///          matrix is malformed.
/// Source   Yang, Wang and Owens, "Fast Sparse Matrix and Sparse Vector Multiplication Algorithm on
///          the GPU", IPDPS Workshops 2015.
/// See also spmv, which is faster where x is dense, or a large part of it is stored.
template <local_executor Ex, class Offsets, class Columns, class Values, class Indices,
          class XValues, class R = semiring<plus<>, multiplies<>>>
auto spmspv_sync(Ex const& ex, csr<Offsets, Columns, Values> const& columns,
                 sparse_vector<Indices, XValues> const& x, R ring = {}) {
  static_assert(csr_on<csr<Offsets, Columns, Values>, Ex>,
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
  detail::verify_csr(ex, columns, "spmspv_sync");
  auto const& own = detail::own(ex);
  expects(x.size == columns.rows, "spmspv_sync: the matrix has ", columns.rows,
          " columns, and x has ", x.size, " elements");
  expects(size_of(x.values) == x.stored(), "spmspv_sync: x has ", x.stored(), " indices and ",
          size_of(x.values), " values");
  auto const a = view_of(columns);
  auto const x_view = view_of(x);

  using Index = element_t<Indices const&>;
  index_t const stored = x.stored();
  auto const scratch = own.template scratch<index_t>(stored + 2);
  auto const places = view_of(scratch).slice(0, stored + 1);
  auto const lengths = own.template scratch<index_t>(stored);
  index_t* const first_wrong = scratch.data() + stored + 1;
  for_each_index(own, 1, detail::same_value<index_t>{first_wrong, stored});
  for_each_index(own, stored,
                 detail::write_length_of_column<Offset, Index>{
                     a.offsets.data(), x_view.indices.data(), columns.rows, columns.nnz(),
                     lengths.data(), first_wrong});
  exclusive_scan(own, lengths, places);
  auto const found = to_host(own, view_of(scratch).slice(stored, 2));
  index_t const m = found[0], wrong = found[1];
  if (wrong < stored) {
    auto const column = at_sync(own, x_view.indices, wrong);
    auto const c = static_cast<index_t>(column);
    expects(0 <= c && c < columns.rows, "spmspv_sync: index ", +column, " at position ", wrong,
            " is outside [0, ", columns.rows, ")");
    expects(false, "spmspv_sync: column ", c, " has the entries [", +at_sync(own, a.offsets, c),
            ", ", +at_sync(own, a.offsets, c + 1), "), and there are ", columns.nnz());
  }

  auto const rows = own.template scratch<Row>(m);
  auto const products = own.template scratch<T>(m);
  for_each_in_segments(
      own, m, by_offsets(places),
      detail::write_product_of_column<T, Offset, Row, element_t<Values const&>, Index,
                                      element_t<XValues const&>,
                                      std::remove_const_t<decltype(multiply)>>{
          a.offsets.data(), a.columns.data(), a.values.data(), x_view.indices.data(),
          x_view.values.data(), multiply, rows.data(), products.data()});
  radix_sort_pairs(own, rows, products, rows, products,
                   detail::bits_of_numbers_below<Row>(columns.cols));

  index_t const most_rows = std::min(m, columns.cols);
  auto const reached = own.template scratch<Row>(most_rows);
  auto const sums = own.template scratch<T>(most_rows);
  index_t const count = reduce_by_key_sync(own, rows, products, reached, sums, add);
  expects(count <= most_rows, "spmspv_sync: products are in ", count, " rows, and the matrix has ",
          columns.cols);
  sparse_vector y{columns.cols, own.template allocate<Row>(count), own.template allocate<T>(count)};
  map(own, identity_function{}, y.indices, view_of(reached).slice(0, count));
  map(own, identity_function{}, y.values, view_of(sums).slice(0, count));
  return y;
}

}  // namespace ravel::inline v0
