#pragma once

/// The transpose of a sparse matrix in rows that are distributed.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/transpose.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/spmv.hpp>
#include <ravel/primitives/cpu/split.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/segment_forms.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace ravel::inline v0 {
namespace distributed::detail {

/// Entries of a matrix in the order of their columns, and then of their rows.
template <class Ex, class I, class T>
struct entries_by_column {
  buffer_of<Ex, I> columns, rows;
  buffer_of<Ex, T> values;

  entries_by_column(local_of<Ex> const& local, index_t n)
      : columns(local.template allocate<I>(n)),
        rows(local.template allocate<I>(n)),
        values(local.template allocate<T>(n)) {}
};
template <class I, class T, class Ex, class Columns, class Rows, class Values>
auto order_by_column(Ex const& ex, Columns const& columns, Rows const& rows, Values const& values,
                     index_t cols) {
  auto const& local = ex.local();
  index_t const n = size_of(columns);
  entries_by_column<Ex, I, T> made(local, n);
  auto const order = local.template scratch<index_t>(n);
  iota(local, order);
  radix_sort_pairs(local, columns, order, made.columns, order,
                   ravel::detail::bits_of_numbers_below<I>(cols));
  gather(local, rows, order, made.rows);
  gather(local, values, order, made.values);
  return made;
}

/// The rows of the transpose that belong to a rank, without their offsets, from the row of each entry:
/// entries are sorted on both sides of an exchange.
template <class Ex, class Offsets, class Columns, class Values, class Rows>
auto transposed_rows(Ex const& ex, csr<Offsets, Columns, Values> const& a, Rows const& row) {
  using I = element_t<Columns const&>;
  using T = element_t<Values const&>;
  auto const& local = ex.local();
  int const rank = ex.ranks().rank();
  index_t const cols = a.columns.back();
  auto const sorted = order_by_column<I, T>(ex, a.block.columns, row, a.block.values, cols);

  auto const cuts = cuts_by_bounds(local, sorted.columns, a.columns);
  expects(cuts.front() == 0 && cuts.back() == a.block.nnz() && std::ranges::is_sorted(cuts),
          "a column is outside [0, ", cols, ")");
  route const along = route_by(ex, cuts);
  index_t const first = a.columns[rank];
  auto const columns = received_along(ex, along, sorted.columns);
  auto const from_rows = received_along(ex, along, sorted.rows);
  auto const values = received_along(ex, along, sorted.values);
  map(local, shift_index{-first}, columns, columns);
  return order_by_column<I, T>(ex, columns, from_rows, values, a.columns[rank + 1] - first);
}

/// The numbers of the entries of `columns` that are, or are not, among `count` columns from `first` on.
template <class Local, class I, class Index>
index_t pack_entries(Local const& local, view<I const> columns, index_t first, index_t count,
                     bool among, Index* out) {
  auto const keep = [=, column_of = columns.data()](index_t k) {
    auto const place = static_cast<std::uint64_t>(static_cast<index_t>(column_of[k]) - first);
    return (place < static_cast<std::uint64_t>(count)) == among;
  };
  return ravel::detail::total_sync(local, [&](auto total) {
    pack_on(local, columns.size(), keep,
            ravel::detail::write_packed_index<Index>{out, columns.size()},
            ravel::detail::total_of(total));
  });
}

template <class I, class T>
struct entry {
  I column, row;
  T value;
};

/// The same on hosts: entries of other ranks come, and one sort orders these and what stays.
template <class Ex, class Offsets, class Columns, class Values, class Rows>
requires cpu::host_executor<local_of<Ex>>
auto transposed_rows(Ex const& ex, csr<Offsets, Columns, Values> const& a, Rows const& row) {
  using I = element_t<Columns const&>;
  using T = element_t<Values const&>;
  auto const& local = ex.local();
  int const rank = ex.ranks().rank();
  index_t const n = a.block.nnz(), cols = a.columns.back();
  index_t const first = a.columns[rank], count = a.columns[rank + 1] - first;
  view<I const> const columns = view_of(a.block.columns);
  view<T const> const values = view_of(a.block.values);

  route along;
  auto const arrived = [&] {
    auto const away = local.template scratch<index_t>(n);
    index_t const leave = pack_entries(local, columns, first, count, false, away.data());
    auto const sent = local.template scratch<entry<I, T>>(leave);
    rank_of_index const owner{a.columns.data(), ex.ranks().size(), cols};
    std::vector<index_t> cuts(a.columns.size() + 1);
    cpu::split_rows_on(
        local, leave, owner.ranks + 1,
        [&](index_t i) { return static_cast<index_t>(owner(columns[away[i]])); },
        [&](index_t i) {
          index_t const k = away[i];
          return entry<I, T>{columns[k], row[k], values[k]};
        },
        sent.data(), cuts.data());
    cuts.pop_back();
    expects(cuts.back() == leave, "a column is outside [0, ", cols, ")");
    along = route_by(ex, cuts);
    auto received = local.template allocate<entry<I, T>>(along.total_received());
    send_along(ex, along, sent, received);
    return received;
  }();

  // In the order of rows: what comes of the ranks before this one, what stays, and the rest.
  auto const end_before = along.received.begin() + ex.ranks().rank();
  index_t const before = std::accumulate(along.received.begin(), end_before, index_t{});
  index_t const stay = n - std::accumulate(along.sent.begin(), along.sent.end(), index_t{});
  index_t const come = static_cast<index_t>(arrived.size()), m = stay + come;
  entries_by_column<Ex, I, T> made(local, m);
  auto const in_order_of = [&]<class Index>(Index) {
    auto const order = local.template scratch<Index>(m);  // from n on those of other ranks
    I* const keys = made.columns.data();
    pack_entries(local, columns, first, count, true, order.data() + before);
    for_each_index(local, stay, [&](index_t i) {
      keys[before + i] = static_cast<I>(columns[order[before + i]] - first);
    });
    for_each_index(local, come, [&](index_t k) {
      index_t const i = k < before ? k : k + stay;
      keys[i] = static_cast<I>(arrived.data()[k].column - first);
      order[i] = static_cast<Index>(n + k);
    });
    radix_sort_pairs(local, made.columns, order, made.columns, order,
                     ravel::detail::bits_of_numbers_below<I>(count));
    for_each_index(local, m, [&](index_t i) {
      auto const k = static_cast<index_t>(order[i]);
      made.rows.data()[i] = *(k < n ? row.data() + k : &arrived.data()[k - n].row);
      made.values.data()[i] = *(k < n ? values.data() + k : &arrived.data()[k - n].value);
    });
  };
  if (std::in_range<std::int32_t>(n + come)) {  // half the bytes to move
    in_order_of(std::int32_t{});
  } else {
    in_order_of(index_t{});
  }
  return made;
}

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
/// Cost     On hosts a split of the entries that go to other ranks, and a radix sort of those that a rank
///          has or gets, by the bits that its columns need; on devices two radix sorts, of its entries and
///          of those that it gets.  O(cols / p log nnz) work for the offsets.
/// Volume   Each entry that another rank gets, with its row and its column, once; p counts to each.
/// Errors   `error` if the number of rows does not fit the type of columns, or if a column is found to
///          be outside of the matrix.
template <distributed::some_executor Ex, class Offsets, class Columns, class Values>
auto transpose(Ex const& ex, distributed::csr<Offsets, Columns, Values> const& a) {
  using namespace distributed::detail;
  using Column = element_t<Columns const&>;
  return together(ex, "transpose", [&] {
    auto const& local = ex.local();
    int const rank = ex.ranks().rank();
    index_t const rows = a.rows.back(), count = a.columns[rank + 1] - a.columns[rank];
    expects(std::in_range<Column>(rows), rows, " rows are too many for columns of ", sizeof(Column),
            " bytes");
    auto const row = local.template scratch<Column>(a.block.nnz());
    segment_ids_of(local, rows_of(a.block), row);
    map(local, shift_index{a.rows[rank]}, row, row);
    auto piece = transposed_rows(ex, a, row);
    auto offsets = local.template allocate<element_t<Offsets const&>>(count + 1);
    offsets_of_segment_ids(local, piece.columns, offsets);
    return distributed::csr(
        ex, csr{count, rows, std::move(offsets), std::move(piece.rows), std::move(piece.values)},
        std::span<index_t const>(a.rows));
  });
}

}  // namespace ravel::inline v0
