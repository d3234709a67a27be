#pragma once

/// @file
/// Shared memory whose size the launch says.

namespace ravel::inline v0::gpu {

/// The grid's `shared_bytes`, from an address that is a multiple of 128.
__device__ inline char* shared_bytes() {
  extern __shared__ __align__(128) char bytes[];
  return bytes;
}

}  // namespace ravel::inline v0::gpu
