#pragma once

/// Sparse matrices for benchmarks, as functions of a row or of an edge.
///
/// Their values and the vectors are small random integers: every sum is exact, in any order, and
/// needs no tolerance.

#include "support/random.hpp"

#include <bit>
#include <cstdint>

namespace ravel::bench {

/// A random integer from -8 to 8.
template <class T>
struct small_integer {
  std::uint64_t seed;
  RAVEL_HD T operator()(index_t i) const {
    return static_cast<T>(static_cast<int>(random_below(seed, i, 17)) - 8);
  }
};

/// The points of a k by k by k grid, each with itself and its 26 neighbours.
struct stencil27 {
  index_t k;
  RAVEL_HD index_t rows() const { return k * k * k; }

  template <class Visit>
  RAVEL_HD void each_column(index_t row, Visit visit) const {
    index_t const x = row % k, y = row / k % k, z = row / k / k;
    for (index_t c = z - 1; c <= z + 1; ++c) {
      for (index_t b = y - 1; b <= y + 1; ++b) {
        for (index_t a = x - 1; a <= x + 1; ++a) {
          if (inside(a) && inside(b) && inside(c)) visit((c * k + b) * k + a);
        }
      }
    }
  }
  RAVEL_HD bool inside(index_t coordinate) const { return coordinate >= 0 && coordinate < k; }
};

/// The points of a k by k by k grid, each with itself and its 6 neighbours along the axes.
struct stencil7 {
  index_t k;
  RAVEL_HD index_t rows() const { return k * k * k; }

  template <class Visit>
  RAVEL_HD void each_column(index_t row, Visit visit) const {
    index_t const x = row % k, y = row / k % k, z = row / k / k;
    if (z > 0) visit(row - k * k);
    if (y > 0) visit(row - k);
    if (x > 0) visit(row - 1);
    visit(row);
    if (x < k - 1) visit(row + 1);
    if (y < k - 1) visit(row + k);
    if (z < k - 1) visit(row + k * k);
  }
};

/// The points of a k by k grid, each with itself and its 4 neighbours.
struct stencil5 {
  index_t k;
  RAVEL_HD index_t rows() const { return k * k; }

  template <class Visit>
  RAVEL_HD void each_column(index_t row, Visit visit) const {
    index_t const x = row % k, y = row / k;
    if (y > 0) visit(row - k);
    if (x > 0) visit(row - 1);
    visit(row);
    if (x < k - 1) visit(row + 1);
    if (y < k - 1) visit(row + k);
  }
};

/// The number of columns in a row, and the row written out.
template <class M>
struct row_length {
  M m;
  struct count {
    std::int32_t* sum;
    RAVEL_HD void operator()(index_t) const { ++*sum; }
  };
  RAVEL_HD std::int32_t operator()(index_t row) const {
    std::int32_t sum = 0;
    if (row < m.rows()) m.each_column(row, count{&sum});
    return sum;
  }
};
template <class M>
struct write_row {
  M m;
  std::int32_t const* offsets;
  std::int32_t* columns;
  struct append {
    std::int32_t** to;
    RAVEL_HD void operator()(index_t column) const { *(*to)++ = static_cast<std::int32_t>(column); }
  };
  RAVEL_HD void operator()(index_t row) const {
    std::int32_t* to = columns + offsets[row];
    m.each_column(row, append{&to});
  }
};

/// First row, first column and diagonal of an n by n matrix, entry by entry: one row of n entries,
/// the others of two.
struct arrow_offset {
  index_t n;
  RAVEL_HD std::int32_t operator()(index_t row) const {
    return static_cast<std::int32_t>(row == 0 ? 0 : n + 2 * (row - 1));
  }
};
struct arrow_column {
  index_t n;
  RAVEL_HD std::int32_t operator()(index_t entry) const {
    index_t const after = entry - n;
    return static_cast<std::int32_t>(after < 0 ? entry : after % 2 == 0 ? 0 : after / 2 + 1);
  }
};

/// The scale of an R-MAT graph of n vertices, a power of two.
inline int scale_of(index_t n) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1;
}

/// An entry as one number, the row in the high bits; matrices built from edges merge duplicates.
RAVEL_HD constexpr std::uint64_t edge(std::uint64_t row, std::uint64_t column) {
  return row << 32 | column;
}

/// Edge e of an R-MAT graph with 2^scale vertices.
///
/// Source   Chakrabarti, Zhan and Faloutsos, "R-MAT: A Recursive Model for Graph
///          Mining", SDM 2004, with the parameters of Graph500.
struct rmat_edge {
  int scale;
  RAVEL_HD std::uint64_t operator()(index_t e) const {
    std::uint64_t row = 0, column = 0;
    for (int level = 0; level < scale; ++level) {
      double const r = random_fraction(1, e * scale + level);
      row = 2 * row + (r >= 0.57 + 0.19 ? 1 : 0);
      column = 2 * column + ((r >= 0.57 && r < 0.57 + 0.19) || r >= 0.57 + 0.19 + 0.19 ? 1 : 0);
    }
    return edge(row, column);
  }
};

/// Edge e of a graph in which each of n vertices has `degree` random neighbours.
struct uniform_edge {
  index_t n, degree;
  RAVEL_HD std::uint64_t operator()(index_t e) const {
    return edge(static_cast<std::uint64_t>(e / degree),
                static_cast<std::uint64_t>(random_below(1, e, n)));
  }
};

struct column_of_edge {
  std::uint64_t const* edges;
  RAVEL_HD std::int32_t operator()(index_t e) const {
    return static_cast<std::int32_t>(edges[e] & 0xffffffff);
  }
};

/// The begin of a row among sorted edges.
struct first_edge {
  std::uint64_t const* edges;
  index_t count;
  RAVEL_HD std::int32_t operator()(index_t row) const {
    index_t low = 0, high = count;
    while (low < high) {
      index_t const middle = (low + high) / 2;
      if (edges[middle] < edge(static_cast<std::uint64_t>(row), 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return static_cast<std::int32_t>(low);
  }
};

/// The bytes that a product must move: matrix, x and y once.
template <class T>
double spmv_bytes(index_t rows, index_t cols, index_t nnz) {
  return double(nnz) * (4 + sizeof(T)) + 4 * double(rows + 1) +
         double(sizeof(T)) * double(rows + cols);
}

}  // namespace ravel::bench
