#pragma once

/// A sparse matrix in compressed rows (CSR).

#include <ravel/core/transfer.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {

/// A sparse matrix in compressed rows: row r has the entries
///
///     (r, columns[k]) with value values[k],   k of [offsets[r], offsets[r + 1])
///
///     1 . 2      rows     3        offsets  0 2 2 3
///     . . .      cols     3        columns  0 2 1
///     . 3 .                        values   1 2 3
///
/// It owns the matrix if it holds buffers or vectors, and does not if it holds views or spans; any
/// contiguous sequences serve.
///
///     csr a{3, 3, offsets, columns, values};                       owns copies
///     csr a{3, 3, view_of(offsets), view_of(columns), view_of(values)};
///
/// Shapes   offsets[rows + 1], ascending, from 0 to the number of entries;
///          columns[nnz] of [0, cols); values[nnz].  Offsets and columns are of
///          any integer type.  Algorithms document whether the columns of a row must
///          ascend, or must be distinct.  For a malformed matrix they write nothing outside of
///          their outputs, but may read out of range: spmv reads x at any column named.
///          On a checked executor they verify all of this.
template <class Offsets, class Columns, class Values>
struct csr {
  static_assert(sequence<Offsets> && sequence<Columns> && sequence<Values>,
                "csr: offsets, columns and values must be contiguous sequences");
  static_assert(std::integral<element_t<Offsets const&>> &&
                    std::integral<element_t<Columns const&>>,
                "csr: offsets and columns must be integers");

  index_t rows = 0;
  index_t cols = 0;
  Offsets offsets{};
  Columns columns{};
  Values values{};

  /// The number of stored entries.
  index_t nnz() const { return size_of(columns); }
};
template <class Offsets, class Columns, class Values>
csr(index_t, index_t, Offsets, Columns, Values) -> csr<Offsets, Columns, Values>;

/// `A` is a matrix in the memory of executor `Ex`.
template <class A, class Ex>
concept csr_on = sequence_on<decltype(A::offsets) const&, Ex> &&
    sequence_on<decltype(A::columns) const&, Ex> && sequence_on<decltype(A::values) const&, Ex>;

/// The same matrix as views, not owned.
template <class Offsets, class Columns, class Values>
auto view_of(csr<Offsets, Columns, Values> const& a) {
  return csr{a.rows, a.cols, view_of(a.offsets), view_of(a.columns), view_of(a.values)};
}

/// The rows of a matrix as segments of its entries, clamped to them whatever the offsets hold.
template <class Offsets, class Columns, class Values>
auto rows_of(csr<Offsets, Columns, Values> const& a) {
  return by_offsets(view_of(a.offsets)).within(a.nnz());
}

/// Copies a matrix on the host to the memory of `ex`.
template <has_memory Ex, class Offsets, class Columns, class Values>
auto to(Ex const& ex, csr<Offsets, Columns, Values> const& a) {
  return csr{a.rows, a.cols, to(ex, a.offsets), to(ex, a.columns), to(ex, a.values)};
}

/// Copies a matrix in the memory of `ex` to the host.  Waits for it.
template <has_memory Ex, class Offsets, class Columns, class Values>
auto to_host(Ex const& ex, csr<Offsets, Columns, Values> const& a) {
  return csr{a.rows, a.cols, to_host(ex, a.offsets), to_host(ex, a.columns), to_host(ex, a.values)};
}

namespace detail {

/// Expects valid numbers of rows and columns: `rows` + 1 offsets must be countable too.
inline void expect_matrix_size(index_t rows, index_t cols, char const* call) {
  expects(rows >= 0 && cols >= 0, call, ": the matrix is ", rows, " by ", cols);
  constexpr index_t limit = std::numeric_limits<index_t>::max() - 1;
  expects(rows <= limit && cols <= limit, call, ": the matrix is ", rows, " by ", cols,
          ", and there cannot be more than ", limit, " rows or columns");
}

/// Expects the sizes of a matrix, which are known without waiting for the device, to fit.
template <class Offsets, class Columns, class Values>
void expect_csr(csr<Offsets, Columns, Values> const& a, char const* call) {
  expect_matrix_size(a.rows, a.cols, call);
  expects(size_of(a.offsets) == a.rows + 1, call, ": a matrix of ", a.rows, " rows has ",
          a.rows + 1, " offsets, and got ", size_of(a.offsets));
  expects(size_of(a.values) == a.nnz(), call, ": the matrix has ", a.nnz(), " columns and ",
          size_of(a.values), " values");
  rows_of(a).expect_elements(a.nnz(), call);
}

/// Expects offsets that ascend from 0 to the number of entries, and columns in range, if calls on
/// `ex` verify.
template <class Ex, class Offsets, class Columns, class Values>
void verify_csr(Ex const& ex, csr<Offsets, Columns, Values> const& a, char const* call) {
  verify_offsets(ex, call, a.offsets, a.nnz());
  verify_indices(ex, call, a.columns, a.cols, "column");
}

template <class Rows, class Column>
struct is_column_before_last {
  Rows rows;
  Column const* columns;
  RAVEL_HD auto on(tile t) const {
    return is_column_before_last<on_tile_t<Rows>, Column>{on_tile(rows, t), columns};
  }
  RAVEL_HD bool operator()(index_t k) const {
    return k > 0 && columns[k] < columns[k - 1] && !rows.head(k);
  }
};

/// Expects the columns of each row to ascend, if calls on `ex` verify:
///
///     combine_duplicates_sync: column 3 at position 7 is less than column 5, before it in its row
template <class Ex, class Offsets, class Columns, class Values>
void verify_columns_ascend(Ex const& ex, csr<Offsets, Columns, Values> const& a, char const* call) {
  if constexpr (checks<Ex>) {
    auto const rows = rows_of(a);
    using Wrong =
        is_column_before_last<std::remove_const_t<decltype(rows)>, element_t<Columns const&>>;
    index_t const at = first_wrong_sync(ex, a.nnz(), Wrong{rows, view_of(a.columns).data()});
    if (at >= a.nnz()) return;
    expects(false, call, ": column ", +at_sync(own(ex), a.columns, at), " at position ", at,
            " is less than column ", +at_sync(own(ex), a.columns, at - 1),
            ", before it in its row");
  }
}

}  // namespace detail
}  // namespace ravel::inline v0
