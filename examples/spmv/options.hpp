#pragma once

/// The arguments of ravel-spmv, and its report.

#include "measure.hpp"
#include "support/command_line.hpp"
#include "support/device.hpp"
#include "support/report.hpp"

#include <ravel/core/tile.hpp>

#include <string>

namespace ravel::examples {

struct arguments : tool_options {
  std::string file = "-";
  std::string generate;
  std::string algorithm = "auto";
  std::string type = "f64";
  std::string x = "inverse";
  bool strict = false;
  bool mpi = false;
};

/// What is reported of a matrix besides its product.
struct matrix_source {
  std::string file;
  index_t stored;  // entries in the file
};

/// How a product was computed.
struct computed_by {
  device d;
  std::string algorithm, type;
  double seconds;
  int ranks = 0;  // of --mpi
};

/// The report of a product of which `wrong` is what its check found.
report report_product(arguments const& a, matrix_source const& about, computed_by const& by,
                      product_measure const& m, std::string const& wrong);

/// Multiplies on all processes that mpirun has started, and returns the exit code.
int run_on_ranks(arguments const& a);

}  // namespace ravel::examples
