#pragma once

/// Generated matrices.

#include <ravel/core/cpu/executor.hpp>

#include "support/matrix_market.hpp"

#include <string>

namespace ravel::examples {

/// The entries of the matrix with this name:
///
///     stencil27:K        K^3 rows: a point of a cube of side K and its 26 neighbours,
///                        26 on the diagonal and -1 beside it
///     stencil5:K         K^2 rows: a point of a square and its 4 neighbours, 4 and -1
///     rmat:SCALE,DEGREE  2^SCALE rows and DEGREE 2^SCALE random entries, merged, of 1
///     arrow:N            -1 in the first row and column, 2 on the diagonal
///
/// Each bit of an entry's position in rmat selects a quadrant,
/// with the probabilities .57, .19, .19 and .05 of Graph500, from SplitMix64.
///
/// Errors   bad_input if `what` is not one of these.
/// Source   Chakrabarti, Zhan and Faloutsos, "R-MAT: A Recursive Model for Graph
///          Mining", SDM 2004.
struct generated_matrix {
  index_t rows;
  bool merges;  // entries at the same position are added
  matrix_entries<double> entries;
};
generated_matrix generate_matrix(cpu::threads const& ex, std::string const& what);

}  // namespace ravel::examples
