#pragma once

/// Searches and tables: a game by minimax, edit distances, the Mandelbrot set.

#include <ravel/flatten/flatten.hpp>

#include <string>

namespace ravel::examples {

/// Tic-tac-toe: the fields of a player as bits.
struct has_won {
  RAVEL_HD bool operator()(int fields) const {
    for (int const line : {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124}) {
      if ((fields & line) == line) return true;
    }
    return false;
  }
};
struct is_free {
  RAVEL_HD bool operator()(int fields, index_t k) const { return (fields >> k & 1) == 0; }
};
struct field_bit {
  RAVEL_HD int operator()(index_t k) const { return 1 << k; }
};
/// 1 if the player to move can win, -1 if the other can, else 0.
inline auto const minimax = rec<int(int, int)>([](auto self, auto mine, auto other) {
  auto const lost = lift(has_won{})(other);
  return if_(
      lost || (mine + other == 511), [&] { return select(lost, -1, 0); },
      [&] {
        auto const both = keep(mine + other);
        auto const moves = filter(iota(cast<index_t>(mine) * 0 + 9),
                                  [&](auto k) { return lift(is_free{})(both, k); });
        return max(each(moves, [&](auto k) { return -self(other, mine + lift(field_bit{})(k)); }));
      });
});

/// The least number of insertions, deletions and replacements that make b of a.
///
/// A row of the table, without its first column, is a scan of minima of the row before.
/// Source   Wagner and Fischer, "The string-to-string correction problem", 1974.
inline constexpr auto edit_distance = [](auto a, auto b) {
  auto const done =
      while_([&](auto const&, auto i) { return i < len(a); },
             [&](auto row, auto i) {
               auto const letter = at(a, i);
               auto const least = each(row, b, indices(row), [&](auto above, auto other, auto j) {
                 auto const replaced = select(j > 0, at(row, j - 1), i);
                 return min(above + 1, replaced + cast<index_t>(other != letter)) - j;
               });
               auto const best = inclusive_scan(least, minimum{});
               auto const next =
                   each(best, indices(best), [&](auto x, auto j) { return min(x, i + 2) + j; });
               return tup(keep(next), i + 1);
             },
             tup(keep(iota(len(b)) + 1), len(a) * 0));
  return select(len(b) > 0, at(get<0>(done), len(b) - 1), len(a));
};

/// The letters of a word beside its row of the table, in bits from 8 on.
struct letter_below {
  RAVEL_HD int operator()(char letter, index_t distance) const {
    return static_cast<int>(distance) << 8 | (letter & 255);
  }
};
/// Fills the table row by row, in place of the second word: of [length of the first word, its letters,
/// letters of the second with the first row], the first element becomes the distance.
struct fill_table {
  RAVEL_HD void operator()(int* all, index_t n) const {
    int const rows = all[0];
    int* const columns = all + 1 + rows;
    index_t const count = n - 1 - rows;
    for (int i = 0; i < rows; ++i) {
      int corner = i, left = i + 1;
      for (index_t j = 0; j < count; ++j) {
        int const letter = columns[j] & 255, above = columns[j] >> 8;
        int const replaced = corner + (letter != all[1 + i]), nearer = above < left ? above : left;
        corner = above;
        left = replaced <= nearer ? replaced : nearer + 1;
        columns[j] = left << 8 | letter;
      }
    }
    all[0] = count > 0 ? columns[count - 1] >> 8 : rows;
  }
};
/// The same by one thread for each pair, of words of less than 2^23 letters: a step over the memory of
/// both, which on a device is shared memory.
inline constexpr auto edit_distance_in_place = [](auto a, auto b) {
  auto const letters = lift(letter_below{});
  auto const both = append(
      list(cast<int>(len(a))), each(a, [&](auto letter) { return letters(letter, len(a) * 0); }),
      each(b, indices(b), [&](auto letter, auto j) { return letters(letter, j + 1); }));
  return cast<index_t>(at(serially(both, fill_table{}), 0));
};

/// The number of rounds until |z| >= 2, at most `rounds`, of z^2 + c.
inline constexpr auto mandelbrot = [](auto x, auto y, int rounds) {
  auto const done =
      while_([&](auto a, auto b, auto k) { return a * a + b * b < 4.0 && k < rounds; },
             [&](auto a, auto b, auto k) { return tup(a * a - b * b + x, 2.0 * a * b + y, k + 1); },
             tup(x * 0.0, x * 0.0, cast<int>(x * 0.0)));
  return get<2>(done);
};

}  // namespace ravel::examples
