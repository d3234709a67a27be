#pragma once

/// The machine description of gpu::executor, on which the choice of forms depends.  It is plain
/// data, so a host without a device can compute which form a device would take.

#include <ravel/core/cuda/tuning.hpp>

namespace ravel::inline v0::gpu {

class executor;

/// A device.  The defaults are those of an H200.
struct device {
  /// Compute capability, as 10 * major + minor, of the code that runs on it: no more than the
  /// greatest one that the program was compiled for.
  int capability = 90;
  index_t shared_bytes = index_t{227} << 10;  ///< the most shared memory that a block can use
  index_t multiprocessors = 132;
  tuning sizes{};
};

/// Whether the device meets the needs of every tile stream: bulk copies with mbarriers, and shared
/// memory for the stages.
constexpr bool has_streams(device const& d) {
  return d.capability >= 90 && d.shared_bytes >= index_t{227} << 10;
}

}  // namespace ravel::inline v0::gpu
