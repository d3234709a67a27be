#pragma once

/// @file
/// The sizes of gpu::tuning in files.

#include <ravel/core/cuda/tuning.hpp>

#include <string>

namespace ravel::examples {

/// What a file says.
struct tuning_file {
  std::string device, compute_capability;
  bool measured = false;  // on that device
  std::string note = {};
  gpu::tuning sizes = {};
};

/// Sizes that the file does not name are those that are built in.
///
///     gpu::executor ex;
///     ex.tune(read_tuning("sm_90.json").sizes);
///
/// Errors   bad_input, which names the file and what is wrong in it.
tuning_file read_tuning(std::string const& path);

std::string json_of(tuning_file const& file);

}  // namespace ravel::examples
