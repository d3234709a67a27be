#pragma once

/// Sparse matrices from entries with coordinates (COO), in any order.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {
namespace detail {

/// A position packed into one integer, which orders by row, then by column.
template <class R, class C>
struct pack_position {
  R const* rows;
  C const* columns;
  std::uint64_t* positions;
  int column_bits;
  RAVEL_HD void operator()(index_t k) const {
    positions[k] =
        static_cast<std::uint64_t>(rows[k]) << column_bits | static_cast<std::uint64_t>(columns[k]);
  }
};

template <class Column>
struct unpack_column {
  std::uint64_t const* positions;
  Column* columns;
  int column_bits;
  RAVEL_HD void operator()(index_t k) const {
    columns[k] = static_cast<Column>(positions[k] & ((std::uint64_t{1} << column_bits) - 1));
  }
};

/// Row r begins after all positions of earlier rows.
template <class Offset>
struct find_row {
  std::uint64_t const* positions;
  index_t n;
  Offset* offsets;
  int column_bits;

  struct in_row_before {
    std::uint64_t const* positions;
    index_t row;
    int column_bits;
    RAVEL_HD bool operator()(index_t k) const {
      return static_cast<index_t>(positions[k] >> column_bits) < row;
    }
  };
  RAVEL_HD void operator()(index_t row) const {
    offsets[row] =
        static_cast<Offset>(partition_point(0, n, in_row_before{positions, row, column_bits}));
  }
};

/// Whether entry k is outside of the matrix.
template <class R, class C>
struct is_outside_matrix {
  R const* rows;
  C const* columns;
  index_t row_count, column_count;
  RAVEL_HD bool operator()(index_t k) const {
    return !is_index_below(rows[k], row_count) || !is_index_below(columns[k], column_count);
  }
};

/// Throws contract_error for the coordinates of entry k, which are in the memory of `ex`.
[[noreturn]] void refuse_entry(auto const& ex, char const* call, index_t rows, index_t cols,
                               auto const& row, auto const& column, index_t k) {
  auto const r = at_sync(ex, row, k);
  if (!is_index_below(r, rows)) {
    broken(call, ": row ", +r, " at position ", k, " is outside [0, ", rows, ")");
  }
  broken(call, ": column ", +at_sync(ex, column, k), " at position ", k, " is outside [0, ", cols,
         ")");
}

}  // namespace detail

/// Makes the matrix of entries (row[k], column[k]) with values value[k].
///
///     row      2  0  0           offsets  0 2 2 3
///     column   1  2  0           columns  0 2 1
///     value    3  2  1           values   1 2 3
///
///     auto a = csr_from_coordinates(ex, 3, 3, row, column, value);
///     auto b = csr_from_coordinates<int>(ex, 3, 3, row, column, value);
///
/// Columns ascend in each row.  Entries at the same position are all kept, in their order;
/// combine_duplicates_sync combines them.
///
/// Shapes   row[n] in [0, rows), column[n] in [0, cols), value[n], in the memory of `ex`; row and
///          column of any integer type.  Offsets and columns of the result are of type Index, which
///          must be able to represent n and cols.  n may be 0.
/// Cost     O(n + rows log n) work, and the span of a radix sort by the bits of rows and columns
///          together.  Scratch for two positions of 8 bytes and two values of each entry.
/// Errors   contract_error if the sizes differ or a type is too narrow, or if
///          positions need more than 64 bits; on the host and on checked executors
///          also if an entry is outside of the matrix.  A device would have to wait for that
///          check: there such entries make a malformed matrix.
template <class Index = index_t, executor Ex, class Rows, class Columns, class Values>
auto csr_from_coordinates(Ex const& ex, index_t rows, index_t cols, Rows const& row,
                          Columns const& column, Values const& value) {
  static_assert(sequence_on<Rows const&, Ex> && sequence_on<Columns const&, Ex> &&
                    sequence_on<Values const&, Ex>,
                "csr_from_coordinates: row, column or value is not a contiguous sequence in the "
                "executor's memory");
  constexpr char const* call = "csr_from_coordinates";
  using R = element_t<Rows const&>;
  using C = element_t<Columns const&>;
  using T = element_t<Values const&>;
  index_t const n = size_of(value);
  R const* const row_of = view_of(row).data();
  C const* const column_of = view_of(column).data();
  int const column_bits = detail::bits_below(cols);
  int const bits = detail::bits_below(rows) + column_bits;

  detail::expect_matrix_size(rows, cols, call);
  expects(size_of(row) == n && size_of(column) == n, call, ": there are ", size_of(row), " rows, ",
          size_of(column), " columns and ", n, " values");
  expects(std::in_range<Index>(n) && std::in_range<Index>(cols), call, ": ", n, " entries in ",
          cols, " columns are too many for ", sizeof(Index), " bytes");
  expects(bits <= 64, call, ": the positions in ", rows, " by ", cols, " need more than 64 bits");
  auto const& own = detail::own(ex);
  if constexpr (std::same_as<space_of_t<Ex>, host_space> || detail::checks<Ex>) {
    index_t const first = detail::verified_sync(ex, n, [&](auto const& found) {
      find_first_on(own, n, detail::is_outside_matrix<R, C>{row_of, column_of, rows, cols},
                    detail::store_total<index_t>{found.data()});
    });
    if (first < n) detail::refuse_entry(own, call, rows, cols, row, column, first);
  }

  csr made{rows, cols, own.template allocate<Index>(rows + 1), own.template allocate<Index>(n),
           own.template allocate<T>(n)};
  auto const positions = own.template scratch<std::uint64_t>(n);
  for_each_index(own, n,
                 detail::pack_position<R, C>{row_of, column_of, positions.data(), column_bits});
  radix_sort_pairs(own, positions, value, positions, made.values, bit_range{0, bits});
  for_each_index(own, n,
                 detail::unpack_column<Index>{positions.data(), made.columns.data(), column_bits});
  for_each_index(own, rows + 1,
                 detail::find_row<Index>{positions.data(), n, made.offsets.data(), column_bits});
  return made;
}

}  // namespace ravel::inline v0
