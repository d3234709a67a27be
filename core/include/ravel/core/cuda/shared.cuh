#pragma once

/// @file
/// Dynamic shared memory.

namespace ravel::inline v0::gpu {

/// The launch's `shared_bytes`, aligned to 128 bytes.
__device__ inline char* shared_bytes() {
  extern __shared__ __align__(128) char bytes[];
  return bytes;
}

}  // namespace ravel::inline v0::gpu
