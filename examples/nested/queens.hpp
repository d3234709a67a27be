#pragma once

/// @file
/// The number of ways to place n queens on n rows: an irregular search that extends all boards of
/// a row in parallel.

#include <ravel/flatten/flatten.hpp>

namespace ravel::examples {

/// Whether a queen in column c of the next row is safe from the queens of a board.
inline constexpr auto is_safe = [](auto board, auto c) {
  auto const next = keep(len(board));
  return !any(each(board, indices(board), [&](auto queen, auto row) {
    auto const across = select(queen < c, c - queen, queen - c);
    return across == 0 || across == next - row;
  }));
};

inline constexpr auto queens = [](auto n) {
  auto const done = while_([&](auto, auto row) { return row < n; },
                           [&](auto boards, auto row) {
                             auto const more = flat_each(boards, [&](auto board) {
                               auto const safe =
                                   filter(iota(n), [&](auto c) { return is_safe(board, keep(c)); });
                               return each(safe, [&](auto c) { return append(board, list(c)); });
                             });
                             return tup(more, row + 1);
                           },
                           tup(list(iota(n * 0)), n * 0));
  return len(get<0>(done));
};

}  // namespace ravel::examples
