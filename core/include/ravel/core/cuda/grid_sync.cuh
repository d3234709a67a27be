#pragma once

/// A barrier for all blocks of a launch (grid barrier), which must be resident together.

#include <ravel/core/cuda/words.cuh>

namespace ravel::inline v0::gpu {

/// Waits until every thread of every block has called this; their earlier writes are then visible.
///
/// The highest bit of the counter flips when the last block arrives: the increments of all blocks
/// add up to that bit, whatever the counter was.  So it needs no reset between barriers or
/// launches.
///
/// Source   The barrier of CUDA's cooperative groups.
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
