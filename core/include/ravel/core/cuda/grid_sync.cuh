#pragma once

/// @file
/// A barrier for all blocks of a launch, which must be alive all at once.

#include <ravel/core/cuda/words.cuh>

namespace ravel::inline v0::cuda {

/// The highest bit of the gate flips when the last block has come: the blocks add up to
/// it, whatever the gate was, so that nobody resets it between barriers or launches.
///
/// Source   the barrier of CUDA's cooperative groups.
namespace detail {
inline constexpr unsigned gate_flips = 0x80000000;
}

/// Tells all blocks that this one has come, and shows them what its threads wrote.  What it
/// returns is for wait_for_grid, which every thread must call.
__device__ inline unsigned arrive_at_grid(unsigned* gate) {
  __syncthreads();
  if (threadIdx.x != 0 || gridDim.x == 1) return 0;
  __threadfence();
  return atomicAdd(gate, blockIdx.x == 0 ? detail::gate_flips - (gridDim.x - 1) : 1u);
}
__device__ inline void wait_for_grid(unsigned* gate, unsigned was) {
  if (threadIdx.x == 0 && gridDim.x > 1) {
    while (((was ^ detail::load_acquire(gate)) & detail::gate_flips) == 0) {
    }
  }
  __syncthreads();
}

/// Every thread of every block waits for all others, and sees what they wrote.
__device__ inline void sync_grid(unsigned* gate) { wait_for_grid(gate, arrive_at_grid(gate)); }

}  // namespace ravel::inline v0::cuda
