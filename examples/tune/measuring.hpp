#pragma once

/// The measurements of ravel-tune on a device.

#include "tune/crossover.hpp"

#include <string>
#include <vector>

namespace ravel::examples {

/// The best value of one of the sizes of gpu::tuning for some work.
struct measured_size {
  std::string name, work;
  std::vector<timing_of_both> times;
  index_t best;
};

/// Seconds of a call with this number of elements for each thread.
struct timing_of_rows {
  int rows;
  double seconds;
};

struct measured_device {
  std::string name, compute_capability;
  std::vector<measured_size> sizes;
  std::vector<timing_of_rows> local_sums;  // of_rows
};

/// Measures the current device, each form at each size `repeats` times.
///
/// Errors   bad_input on the CPU, where there is nothing to tune.
template <class Backend>
measured_device measure(int repeats);

}  // namespace ravel::examples
