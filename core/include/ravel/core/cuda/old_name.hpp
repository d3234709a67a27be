#pragma once

/// The old name ravel::cuda of the namespace ravel::gpu: with this header, code that uses it
/// compiles until it is changed.
///
/// Do not include it where `using namespace ravel` stands next to CUB or Thrust: nvcc's generated
/// code names their namespace `cuda` unqualified.  It will be removed in the release after next.

namespace ravel::inline v0 {
namespace gpu {}
namespace cuda = gpu;
}  // namespace ravel::inline v0
