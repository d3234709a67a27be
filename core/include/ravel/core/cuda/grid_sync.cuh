#pragma once

/// @file
/// A barrier for all blocks of a launch, which must be alive all at once.

#include <ravel/core/cuda/words.cuh>

namespace ravel::inline v0::gpu {

/// Every thread of every block waits for all others, and sees what they wrote.
///
/// The highest bit of the gate flips when the last block has come: the blocks add up to
/// it, whatever the gate was, so that nobody resets it between barriers or launches.
///
/// Source   the barrier of CUDA's cooperative groups.
__device__ inline void sync_grid(unsigned* gate) {
  constexpr unsigned flips = 0x80000000;
  __syncthreads();
  if (threadIdx.x == 0 && gridDim.x > 1) {
    __threadfence();
    unsigned const others = gridDim.x - 1;
    unsigned const was = atomicAdd(gate, blockIdx.x == 0 ? flips - others : 1u);
    while (((was ^ detail::load_acquire(gate)) & flips) == 0) {
    }
  }
  __syncthreads();
}

}  // namespace ravel::inline v0::gpu
