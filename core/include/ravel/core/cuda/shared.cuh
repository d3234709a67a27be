#pragma once

/// The dynamic shared memory of a block.

namespace ravel::inline v0::gpu {

/// The launch's dynamic shared memory, aligned to 128 bytes.
__device__ inline char* shared_bytes() {
  extern __shared__ __align__(128) char bytes[];
  return bytes;
}

}  // namespace ravel::inline v0::gpu
