#pragma once

/// The transpose of a sparse matrix.

#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/segment_forms.hpp>

namespace ravel::inline v0 {

/// The matrix whose rows are the columns of `a`:
///
///     1 . 2                1 . .
///     . . .        ->      . . 3        transpose(ex, a)
///     . 3 .                2 . .
///
/// A product with the transpose is spmv with this result, which is made once for any number of
/// products: its order is fixed, unlike that of concurrent additions to y from all rows.
///
/// Shapes   a of rows by cols; the result of cols by rows, with offsets, columns and
///          values of the same types as those of a, in buffers of `ex`.
/// Order    Columns ascend in each row of the result; entries at the same position
///          are all kept, in their order.
/// Cost     A radix sort of nnz columns by the bits they need, O(cols log nnz)
///          work for the offsets, and scratch for 3 columns and 2 indices of each entry.
/// Errors   contract_error if the sizes do not fit, or if the number of rows does not fit the
///          type of columns; on a checked executor, if the matrix is malformed.  Issued, not
///          awaited.
template <executor Ex, class Offsets, class Columns, class Values>
auto transpose(Ex const& ex, csr<Offsets, Columns, Values> const& a) {
  static_assert(csr_on<csr<Offsets, Columns, Values>, Ex>,
                "transpose: the matrix is not in the executor's memory");
  using Offset = element_t<Offsets const&>;
  using Column = element_t<Columns const&>;
  detail::expect_csr(a, "transpose");
  detail::verify_csr(ex, a, "transpose");
  auto const& own = detail::own(ex);
  expects(std::in_range<Column>(a.rows), "transpose: ", a.rows,
          " rows are too many for columns of ", sizeof(Column), " bytes");
  index_t const n = a.nnz();

  csr made{a.cols, a.rows, own.template allocate<Offset>(a.cols + 1),
           own.template allocate<Column>(n), own.template allocate<element_t<Values const&>>(n)};
  auto const in_order_of = [&]<class Index>(Index) {
    auto const row = own.template scratch<Column>(n);  // of each entry
    auto const column = own.template scratch<Column>(n);
    auto const order = own.template scratch<Index>(n);
    segment_ids_of(own, rows_of(a), row);
    iota(own, order);
    radix_sort_pairs(own, a.columns, order, column, order,
                     detail::bits_of_numbers_below<Column>(a.cols));
    offsets_of_segment_ids(own, column, made.offsets);
    gather(own, row, order, made.columns);
    gather(own, a.values, order, made.values);
  };
  if (std::in_range<std::int32_t>(n)) {  // half the bytes to move
    in_order_of(std::int32_t{});
  } else {
    in_order_of(index_t{});
  }
  return made;
}

}  // namespace ravel::inline v0
