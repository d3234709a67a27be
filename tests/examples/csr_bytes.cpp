/// Writes the rows of a matrix as raw bytes, for comparison by other programs:
///
///     csr_bytes FILE|--generate SPECIFICATION
///
/// First the offsets, then the columns, little-endian int64, and then the values, float64 with
/// -0.0 as +0.0.

#include "spmv/generated.hpp"
#include "support/input.hpp"
#include "support/matrix_market.hpp"

#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/duplicates.hpp>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

namespace ravel::examples {
namespace {

template <class R>
void write(R const& bytes) {
  std::fwrite(bytes.data(), sizeof(*bytes.data()), static_cast<std::size_t>(bytes.size()), stdout);
}

template <class Offsets, class Columns, class Values>
void write(csr<Offsets, Columns, Values> const& a) {
  write(a.offsets);
  write(a.columns);
  write(a.values);
}

/// The values of a field, converted to the reference's type.
template <class T>
auto widened(matrix_entries<T> const& e) {
  using wide = std::conditional_t<std::is_arithmetic_v<T>, double, std::complex<double>>;
  cpu::buffer<wide> values(e.values.size());
  for (index_t k = 0; k < values.size(); ++k) values[k] = static_cast<wide>(e.values[k]) + wide(0);
  return values;
}

void run(std::string const& name, std::string const& specification) {
  cpu::threads const ex;
  if (!specification.empty()) {
    auto const made = generate_matrix(ex, specification);
    auto const all = csr_from_coordinates(ex, made.rows, made.rows, made.entries.rows,
                                          made.entries.columns, made.entries.values);
    return write(combine_duplicates_sync(ex, all, maximum{}));
  }
  auto const file = read_matrix_market(ex, read_input(name).all(), name);
  std::visit(
      [&](auto const& e) {
        write(csr_from_coordinates(ex, file.header.rows, file.header.cols, e.rows, e.columns,
                                   widened(e)));
      },
      file.entries);
}

}  // namespace
}  // namespace ravel::examples

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) return 2;
  try {
    ravel::examples::run(argv[1], argc == 3 ? argv[2] : "");
  } catch (std::exception const& e) {
    std::cerr << e.what() << '\n';
    return 2;
  }
}
