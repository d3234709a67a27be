#pragma once

/// The number of ways to place n queens on n rows: an irregular search that extends all boards of
/// a row in parallel.

#include <ravel/flatten/flatten.hpp>

#include <cstdint>

namespace ravel::examples {

/// Columns of a row as bits.  They, and numbers of columns, are most of the memory.
using columns = std::uint16_t;
/// The columns that queens take in a row, by their own columns and both diagonals.
struct taken_columns {
  RAVEL_HD columns operator()(columns taken, columns rising, columns falling) const {
    return static_cast<columns>(taken | rising | falling);
  }
};
struct is_free_column {
  RAVEL_HD bool operator()(columns taken, int k) const { return (taken >> k & 1) == 0; }
};
/// The same columns with one more, seen from the next row.
template <int Shift>
struct with_column {
  RAVEL_HD columns operator()(columns taken, int k) const {
    int const more = taken | 1 << k;
    return static_cast<columns>(Shift < 0 ? more >> 1 : more << Shift);
  }
};

/// For n up to 15.
inline constexpr auto queens = [](auto n) {
  auto const width = cast<std::int8_t>(n);
  auto const none = cast<columns>(n * 0);
  auto const done =
      while_([&](auto const&, auto row) { return row < n; },
             [&](auto boards, auto row) {
               auto const more = flat_each(boards, [&](auto board) {
                 auto const [own, rising, falling] = board;
                 auto const taken = keep(lift(taken_columns{})(own, rising, falling));
                 auto const free =
                     filter(iota(width), [&](auto k) { return lift(is_free_column{})(taken, k); });
                 return each(free, [&](auto k) {
                   return tup(lift(with_column<0>{})(own, k), lift(with_column<1>{})(rising, k),
                              lift(with_column<-1>{})(falling, k));
                 });
               });
               return tup(more, row + 1);
             },
             tup(list(tup(none, none, none)), n * 0));
  return len(get<0>(done));
};

}  // namespace ravel::examples
