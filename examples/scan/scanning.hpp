#pragma once

/// Prefix sums by a named algorithm, on a backend or on the device in software.

#include <ravel/core/view.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ravel::examples {

struct scan_job {
  std::string algorithm;  // a name of named.hpp; empty: the executor's own
  bool is_exclusive = false;
  int threads = 0;
  int repeats = 0;
};

struct scanned {
  std::vector<std::int64_t> results;
  double seconds = 0;       // in the backend's memory: the median of the repeats
  std::string counts = {};  // in lines, if they are wanted
};

/// Errors   bad_input for an algorithm that needs a device, on the CPU.
template <class Backend>
scanned scan_numbers(view<std::int64_t const> in, scan_job const& job);

/// The same on the device in software; with counts of what it does.
scanned scan_in_software(view<std::int64_t const> in, scan_job const& job, bool with_counts);

}  // namespace ravel::examples
