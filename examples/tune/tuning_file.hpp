#pragma once

/// @file
/// Files with the sizes of gpu::tuning.

#include <ravel/core/cuda/tuning.hpp>

#include <string>

namespace ravel::examples {

/// The contents of a file.
struct tuning_file {
  std::string device, compute_capability;
  bool measured = false;  // on that device
  std::string note = {};
  gpu::tuning sizes = {};
};

/// Sizes that are missing in the file have their built-in values.
///
///     gpu::executor ex;
///     ex.tune(read_tuning("sm_90.json").sizes);
///
/// Errors   bad_input, with the file's name and the reason.
tuning_file read_tuning(std::string const& path);

std::string json_of(tuning_file const& file);

}  // namespace ravel::examples
