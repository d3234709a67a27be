#pragma once

/// @file
/// The machine of gpu::executor: what forms on a device are chosen by.  It is plain data, so that a
/// host without a device can query which form a device would take.

#include <ravel/core/cuda/tuning.hpp>
#include <ravel/core/tile.hpp>

namespace ravel::inline v0::gpu {

class executor;

/// A device, as an H200 unless something else is said.
struct device {
  /// Compute capability, as 10 * major + minor, of the code that runs on it: no more than the
  /// greatest one that the program was compiled for.
  int capability = 90;
  index_t shared_bytes = index_t{227} << 10;  ///< of shared memory, the most that a block may have
  tuning sizes{};
};

/// What every stream of tiles needs of a device: bulk copies with mbarriers, and room for its stages.
constexpr bool has_streams(device const& d) {
  return d.capability >= 90 && d.shared_bytes >= index_t{227} << 10;
}

}  // namespace ravel::inline v0::gpu
