#pragma once

/// Files with the sizes of gpu::tuning.

#include <ravel/core/cuda/tuning.hpp>

#include <map>
#include <string>

namespace ravel::examples {

/// The contents of a file.
struct tuning_file {
  std::string device, compute_capability;
  bool measured = false;  // on that device
  std::string note = {};
  gpu::tuning sizes = {};
  /// Microseconds of a scan by scan_algorithm::local_sums.of_rows<r>(), which a program chooses when it
  /// is compiled.
  std::map<int, double> local_sums = {};
};

/// The r of the shortest, or 0 if none was measured.
int best_rows(tuning_file const& file);

/// Sizes that are missing in the file have their built-in values.
///
///     gpu::executor ex;
///     ex.tune(read_tuning("sm_90.json").sizes);
///
/// Errors   bad_input, with the file's name and the reason.
tuning_file read_tuning(std::string const& path);

std::string json_of(tuning_file const& file);

}  // namespace ravel::examples
