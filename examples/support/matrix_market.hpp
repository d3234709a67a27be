#pragma once

/// Reads sparse and dense matrices in the Matrix Market format.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <variant>

namespace ravel::examples {

/// The header of a file.
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
  index_t size_line = 0;  // the number, from 1, of the line with the three sizes above
  index_t body = 0;       // the offset of the byte after that line
};

/// Entry k is (rows[k], columns[k]), from 0, with value values[k].
template <class T>
struct matrix_entries {
  cpu::buffer<index_t> rows;
  cpu::buffer<index_t> columns;
  cpu::buffer<T> values;
};

/// A matrix in the order of its file, with the other half of
/// a symmetric matrix added: each mirrored entry follows its original.
///
/// Values are double for real fields, exact integers for integer and unsigned
/// ones, std::complex<double> for complex ones and the byte 1 for patterns.
struct matrix_market {
  matrix_market_header header;
  std::variant<matrix_entries<double>, matrix_entries<std::int64_t>, matrix_entries<std::uint64_t>,
               matrix_entries<std::complex<double>>, matrix_entries<std::uint8_t>>
      entries;
  std::string warning = "";  // "NAME:LINE: reason" if values became infinite
};

/// Whether a text begins with the banner of a Matrix Market file.
bool is_matrix_market(view<char const> text);

/// Whether to read only what the format's description admits, or what scipy and CHOLMOD read too: in
/// a symmetric matrix entries above the diagonal, if none is below it, which are mirrored; comments
/// after an entry or the sizes; and values that are finite in the text and out of range, which become
/// infinite.
enum class strictness { strict, lenient };

/// Reads the header of a file, which begins with its banner.
///
/// Errors   bad_input, as for read_matrix_market.
matrix_market_header read_matrix_market_header(view<char const> text, std::string const& name,
                                               strictness how = strictness::strict);

/// The type whose range real values must fit.
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
/// Comments and empty lines may be anywhere, lines may end in CRLF, and the text may begin with
/// a byte order mark.
/// Values may be "nan" and "inf"; a finite text whose value overflows the type `of_reals` is
/// refused, or if lenient infinite.  Duplicate entries are kept.
///
/// Cost     O(bytes) work, O(log bytes) span besides the longest line.
/// Errors   bad_input "NAME:LINE: reason", for the first wrong line.
matrix_market read_matrix_market(cpu::threads const& ex, view<char const> text,
                                 std::string const& name, real_type of_reals = real_type::f64,
                                 strictness how = strictness::strict);

}  // namespace ravel::examples
