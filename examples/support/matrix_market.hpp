#pragma once

/// @file
/// Reads sparse and dense matrices in the Matrix Market format.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <variant>

namespace ravel::examples {

/// What the head of a file says.
struct matrix_market_header {
  enum class layout { coordinate, array };
  enum class field { real, integer, unsigned_integer, complex, pattern };
  enum class symmetry { general, symmetric, skew_symmetric, hermitian };

  layout format = layout::coordinate;
  field values = field::real;
  symmetry shape = symmetry::general;
  index_t rows = 0;
  index_t cols = 0;
  index_t stored = 0;     // entries in the file
  index_t size_line = 0;  // the number of the line that gives the three above, from 1
  index_t body = 0;       // where the byte after that line is
};

/// Entry k is (rows[k], columns[k]), from 0, with value values[k].
template <class T>
struct matrix_entries {
  cpu::buffer<index_t> rows;
  cpu::buffer<index_t> columns;
  cpu::buffer<T> values;
};

/// A matrix as its file has it, in the order of the file, with the other half of
/// what is symmetric added: each mirrored entry stands behind its original.
///
/// Values are double in real fields, exact integers in integer and unsigned
/// ones, std::complex<double> in complex ones and the byte 1 in patterns.
struct matrix_market {
  matrix_market_header header;
  std::variant<matrix_entries<double>, matrix_entries<std::int64_t>, matrix_entries<std::uint64_t>,
               matrix_entries<std::complex<double>>, matrix_entries<std::uint8_t>>
      entries;
};

/// Reads the head of a file, which begins with its banner.
///
/// Errors   bad_input, as for read_matrix_market.
matrix_market_header read_matrix_market_header(view<char const> text, std::string const& name);

/// The type that real values have to be in range for.
enum class real_type { f32, f64 };

/// Reads the matrix in `text`, in parallel, with progress if it takes long.
///
///     %%MatrixMarket matrix coordinate real symmetric
///     % a comment
///     2 2 2
///     1 1  4.0
///     2 1 -1.5
///
/// has the entries (0, 0) 4, (1, 0) -1.5 and (0, 1) -1.5.  The format is coordinate
/// or array; the field real, double, integer, unsigned, complex or pattern; the
/// symmetry general, symmetric, skew-symmetric or hermitian: in any case.
/// Comments and empty lines may stand anywhere, lines may end in CRLF, and the text may begin with
/// a byte order mark.
/// Values may be "nan" and "inf"; what is finite in the text and not in the type `of_reals` is
/// refused.  An entry that is given twice is there twice.
///
/// Cost     O(bytes) work, O(log bytes) span besides the longest line.
/// Errors   bad_input "NAME:LINE: reason", of the first line that is wrong.
matrix_market read_matrix_market(cpu::threads const& ex, view<char const> text,
                                 std::string const& name, real_type of_reals = real_type::f64);

}  // namespace ravel::examples
