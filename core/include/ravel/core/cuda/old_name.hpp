#pragma once

/// @file
/// The name that ravel::gpu had before: include this, and code that says ravel::cuda compiles until
/// it is changed.  Leave it out where `using namespace ravel` stands beside CUB or Thrust: nvcc's
/// own code names their namespace `cuda` unqualified.  It goes with the release after next.

namespace ravel::inline v0 {
namespace gpu {}
namespace cuda = gpu;
}  // namespace ravel::inline v0
