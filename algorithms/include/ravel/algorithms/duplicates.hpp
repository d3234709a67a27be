#pragma once

/// Entries of a sparse matrix at the same position.

#include <ravel/algorithms/csr.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <cstdint>

namespace ravel::inline v0 {
namespace detail {

/// Whether an entry is the first at its position, in a matrix with ascending columns.  Entry 0
/// always is, even if offsets are malformed.
template <class Rows, class Column>
struct first_at_position {
  Rows rows;
  Column const* columns;
  RAVEL_HD auto on(tile t) const {
    return first_at_position<on_tile_t<Rows>, Column>{on_tile(rows, t), columns};
  }
  RAVEL_HD bool operator()(index_t k) const {
    return k == 0 || rows.head(k) || columns[k] != columns[k - 1];
  }
};
template <class First>
struct count_repeats {
  First first;
  RAVEL_HD auto on(tile t) const { return count_repeats<on_tile_t<First>>{on_tile(first, t)}; }
  RAVEL_HD index_t operator()(index_t k) const { return first(k) ? 0 : 1; }
};
template <class First>
struct write_first {
  First first;
  std::uint8_t* heads;
  RAVEL_HD auto on(tile t) const { return write_first<on_tile_t<First>>{on_tile(first, t), heads}; }
  RAVEL_HD void operator()(index_t k) const { heads[k] = first(k) ? 1 : 0; }
};

template <class Column>
struct keep_first_column {
  std::uint8_t const* heads;
  index_t const* place;
  Column const* from;
  Column* to;
  RAVEL_HD void operator()(index_t k) const {
    if (heads[k]) to[place[k]] = from[k];
  }
};
template <class Offset>
struct moved_offset {
  index_t const* place;
  index_t n;
  RAVEL_HD Offset operator()(Offset k) const { return static_cast<Offset>(place[bounded(k, n)]); }
};

struct from_none {
  RAVEL_HD index_t operator()() const { return 0; }
};
struct store_count {
  index_t* to;
  RAVEL_HD void operator()(index_t count) const { *to = count; }
};

}  // namespace detail

/// The number of entries at the same position as the preceding entry.
///
/// Shapes   A matrix in the memory of `ex`, with ascending columns in each row.
/// Cost     O(nnz) work, O(log nnz) span.  Scratch for a sum.  Waits.
/// Errors   contract_error if the sizes do not fit; on a checked executor, if the matrix is malformed or columns
///          do not ascend.
template <local_executor Ex, class Offsets, class Columns, class Values>
index_t count_duplicates_sync(Ex const& ex, csr<Offsets, Columns, Values> const& a) {
  static_assert(sequence_on<Offsets const&, Ex> && sequence_on<Columns const&, Ex>,
                "count_duplicates_sync: the matrix is not in the executor's memory");
  detail::expect_csr(a, "count_duplicates_sync");
  detail::verify_csr(ex, a, "count_duplicates_sync");
  detail::verify_columns_ascend(ex, a, "count_duplicates_sync");
  auto const rows = rows_of(a);
  using First =
      detail::first_at_position<std::remove_const_t<decltype(rows)>, element_t<Columns const&>>;
  First const first{rows, view_of(a.columns).data()};
  auto const count = ex.template scratch<index_t>(1);
  reduce_on(detail::own(ex), a.nnz(), detail::count_repeats<First>{first}, plus<index_t>{},
            detail::from_none{}, detail::store_count{count.data()});
  return at_sync(ex, count);
}

/// The matrix with one entry at each position: entries at the same position are combined by `m`, in
/// their order.
///
///     columns  0 0 2 | | 1 1         columns  0 2 | | 1
///     values   1 5 2 | | 3 4         values   6 2 | | 7         with plus
///
/// Shapes   A matrix in the memory of `ex`, with ascending columns in each row.
/// Cost     O(nnz + rows) work, O(log nnz) span.  Scratch for 9 bytes of each entry, besides the result.
///          Waits, for the number of entries.
/// Errors   As count_duplicates_sync.
template <local_executor Ex, class Offsets, class Columns, class Values, class M = plus<>>
auto combine_duplicates_sync(Ex const& ex, csr<Offsets, Columns, Values> const& a, M m = {}) {
  static_assert(csr_on<csr<Offsets, Columns, Values>, Ex>,
                "combine_duplicates_sync: the matrix is not in the executor's memory");
  detail::expect_csr(a, "combine_duplicates_sync");
  detail::verify_csr(ex, a, "combine_duplicates_sync");
  detail::verify_columns_ascend(ex, a, "combine_duplicates_sync");
  auto const& own = detail::own(ex);
  using Offset = element_t<Offsets const&>;
  using Column = element_t<Columns const&>;
  auto const rows = rows_of(a);
  using First = detail::first_at_position<std::remove_const_t<decltype(rows)>, Column>;
  index_t const n = a.nnz();
  auto const heads = own.template scratch<std::uint8_t>(n);
  auto const place = own.template scratch<index_t>(n + 1);  // first entries before each
  First const first{rows, view_of(a.columns).data()};
  for_each_index(own, n, detail::write_first<First>{first, heads.data()});
  exclusive_scan(own, heads, place);
  index_t const kept = at_sync(own, place, n);

  csr made{a.rows, a.cols, own.template allocate<Offset>(a.rows + 1),
           own.template allocate<Column>(kept),
           own.template allocate<element_t<Values const&>>(kept)};
  map(own, detail::moved_offset<Offset>{place.data(), n}, made.offsets, a.offsets);
  for_each_index(own, n,
                 detail::keep_first_column<Column>{heads.data(), place.data(),
                                                   view_of(a.columns).data(), made.columns.data()});
  segmented_reduce(own, a.values, by_heads(heads), made.values, m);
  return made;
}

}  // namespace ravel::inline v0
