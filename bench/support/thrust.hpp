#pragma once

/// Thrust with the oneTBB backend, if a CUDA toolkit provides Thrust: a peer on the CPU.  The host
/// compiler compiles it, and no device is needed.

#ifdef RAVEL_BENCH_THRUST
#  include <thrust/system/tbb/execution_policy.h>
#  include <thrust/version.h>
#endif

#include "support/harness.hpp"

#include <string>

namespace ravel::bench {

/// Records the version of Thrust.
inline void note_thrust([[maybe_unused]] suite& s) {
#ifdef RAVEL_BENCH_THRUST
  s.context["thrust"] = std::to_string(THRUST_MAJOR_VERSION) + '.' +
                        std::to_string(THRUST_MINOR_VERSION) + '.' +
                        std::to_string(THRUST_SUBMINOR_VERSION);
#endif
}

}  // namespace ravel::bench
