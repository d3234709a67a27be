#pragma once

/// @file
/// The transpose of a sparse matrix in rows that are distributed.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/transpose.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/spmv.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/segment_forms.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace ravel::inline v0 {
namespace distributed::detail {

/// Entries of a matrix in the order of their columns, and then of their rows.
template <class Local, class I, class T>
struct entries_by_column {
  template <class X>
  using buffer = decltype(std::declval<Local const&>().template allocate<X>(0));
  buffer<I> columns, rows;
  buffer<T> values;

  template <class Columns, class Rows, class Values>
  entries_by_column(Local const& local, Columns const& from, Rows const& from_rows,
                    Values const& from_values, index_t cols)
      : columns(local.template allocate<I>(size_of(from))),
        rows(local.template allocate<I>(size_of(from))),
        values(local.template allocate<T>(size_of(from))) {
    auto const order = local.template scratch<index_t>(size_of(from));
    iota(local, order);
    radix_sort_pairs(local, from, order, columns, order,
                     ravel::detail::bits_of_numbers_below<I>(cols));
    gather(local, from_rows, order, rows);
    gather(local, from_values, order, values);
  }
};

struct plus_first {
  index_t first;
  template <class I>
  RAVEL_HD I operator()(I i) const {
    return static_cast<I>(static_cast<index_t>(i) + first);
  }
};

}  // namespace distributed::detail

/// The matrix whose rows are the columns of `a`, in the pieces of its columns:
///
///     ranks      0         1                   0         1
///     a          1 . 2   | . 3 .      ->       1 .     | 2 .
///                . . .                         . 3            transpose(ex, a)
///
/// Shapes   a, a distributed::csr in the memory of the local executors, of rows by cols; the result of
///          cols by rows, in buffers of these, with offsets, columns and values of the same types.
///          Its rows are in the pieces of a.columns, and its columns in those of a.rows.
/// Order    As transpose on one machine.
/// Cost     On each rank two radix sorts, of its entries and of those that it gets, by the bits that
///          columns need; O(cols / p log nnz) work for the offsets.
/// Volume   Each entry that another rank gets, with its row and its column, once; p counts to each.
/// Errors   `error` if the number of rows does not fit the type of columns, or if a column is found to
///          be outside of the matrix.
template <class Local, class C, class Offsets, class Columns, class Values>
auto transpose(distributed::executor<Local, C> const& ex,
               distributed::csr<Offsets, Columns, Values> const& a) {
  using namespace distributed::detail;
  using Column = element_t<Columns const&>;
  using T = element_t<Values const&>;
  return distributed::together(ex, "transpose", [&] {
    auto const& local = ex.local();
    auto const rank = static_cast<std::size_t>(ex.ranks().rank());
    index_t const cols = a.columns.back(), rows = a.rows.back();
    expects(std::in_range<Column>(rows), rows, " rows are too many for columns of ", sizeof(Column),
            " bytes");
    auto const row = local.template scratch<Column>(a.block.nnz());
    segment_ids_of(local, rows_of(a.block), row);
    map(local, plus_first{a.rows[rank]}, row, row);
    entries_by_column<Local, Column, T> const mine(local, a.block.columns, row, a.block.values,
                                                   cols);

    auto const found = local.template scratch<index_t>(std::ssize(a.columns));
    lower_bound(local, to(local, a.columns), mine.columns, found);
    auto const cuts = to_host(local, found);
    expects(cuts.front() == 0 && cuts.back() == a.block.nnz() && std::ranges::is_sorted(cuts),
            "a column is outside [0, ", cols, ")");
    route const along = route_by(ex, cuts);
    index_t const m = along.total_received(), first = a.columns[rank];
    auto const columns = local.template scratch<Column>(m);
    auto const from_rows = local.template scratch<Column>(m);
    auto const values = local.template scratch<T>(m);
    send_along(ex, along, mine.columns, columns);
    send_along(ex, along, mine.rows, from_rows);
    send_along(ex, along, mine.values, values);
    map(local, plus_first{-first}, columns, columns);

    index_t const count = a.columns[rank + 1] - first;
    entries_by_column<Local, Column, T> own(local, columns, from_rows, values, count);
    auto offsets = local.template allocate<element_t<Offsets const&>>(count + 1);
    offsets_of_segment_ids(local, own.columns, offsets);
    return distributed::csr(
        ex, csr{count, rows, std::move(offsets), std::move(own.rows), std::move(own.values)},
        std::span<index_t const>(a.rows));
  });
}

}  // namespace ravel::inline v0
