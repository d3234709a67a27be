#pragma once

/// The games and words as loops of one thread.

#include "nested/serial/types.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

namespace ravel::examples::serial {

inline int minimax(int mine, int other) {
  for (int const line : {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124}) {
    if ((other & line) == line) return -1;
  }
  if (mine + other == 511) return 0;
  int best = -1;
  for (int k = 0; k < 9; ++k) {
    if (((mine + other) >> k & 1) == 0) best = std::max(best, -minimax(other, mine + (1 << k)));
  }
  return best;
}

inline index_t edit_distance(std::string const& a, std::string const& b) {
  numbers row(b.size() + 1);
  std::iota(row.begin(), row.end(), index_t{0});
  for (char const letter : a) {
    index_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      index_t const replaced = diagonal + (b[j - 1] == letter ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

inline int mandelbrot(double x, double y, int rounds) {
  double a = 0, b = 0;
  int k = 0;
  for (; a * a + b * b < 4 && k < rounds; ++k) {
    double const next = a * a - b * b + x;
    b = 2 * a * b + y;
    a = next;
  }
  return k;
}

}  // namespace ravel::examples::serial
