#pragma once

/// Find first on a device: warps take tiles in order, and stop at the first tile that begins after
/// a known match.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/find_first/call.hpp>
#include <ravel/primitives/find_first/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The state that all blocks of a search share, initially 0.
struct first_match {
  word64 left;      // n - i for the least match i so far
  word64 finished;  // number of blocks that have finished
};

/// The least match i in [begin, begin + rounds * warp_size) and less than n; n if there is none.
/// All lanes of a warp call this.
template <class Holds>
__device__ index_t first_of_tile(index_t begin, index_t n, Holds const& holds) {
  constexpr int rounds = find_first_policy::rounds;
  index_t const first = begin + threadIdx.x % warp_size;
  unsigned held = 0;
  if (begin + rounds * warp_size <= n) {
#pragma unroll
    for (int k = 0; k < rounds; ++k) {
      held |= static_cast<bool>(holds(first + k * warp_size)) ? 1u << k : 0u;
    }
  } else {
#pragma unroll 1
    for (int k = 0; first + k * warp_size < n; ++k) {
      held |= static_cast<bool>(holds(first + k * warp_size)) ? 1u << k : 0u;
    }
  }
  if (!__any_sync(whole_warp, held != 0)) return n;
  int k = 0;
  unsigned lanes = __ballot_sync(whole_warp, (held & 1) != 0);
  while (lanes == 0) lanes = __ballot_sync(whole_warp, (held >> ++k & 1) != 0);
  return begin + k * warp_size + lowest_bit(lanes);
}

template <class Holds, class Found>
__global__ void __launch_bounds__(find_first_policy::threads)
    find_first_kernel(index_t n, Holds holds, Found found, first_match* match) {
  // elements of a warp's tile
  constexpr index_t width = index_t{find_first_policy::rounds} * warp_size;
  index_t const stride = gridDim.x * find_first_policy::width;
  index_t begin = blockIdx.x * find_first_policy::width + threadIdx.x / warp_size * width;
  for (index_t stop = n; begin < stop; begin += stride) {
    word64 const left = load_relaxed(&match->left);  // loaded together with the tile's elements
    index_t const here = first_of_tile(begin, n, holds);
    if (here < n) {
      if (threadIdx.x % warp_size == 0) atomicMax(&match->left, static_cast<word64>(n - here));
      break;
    }
    stop = n - static_cast<index_t>(shuffle_from(left, 0));
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&match->finished, word64{1}) + 1 < gridDim.x) return;
  __threadfence();
  found(n - static_cast<index_t>(load_relaxed(&match->left)));
}

}  // namespace detail

template <class Call>
void launch_form(find_first_in_tiles, executor const& ex, Call const& c) {
  using policy = find_first_policy;
  auto* const kernel = &detail::find_first_kernel<decltype(c.holds), decltype(c.found)>;
  auto const match = ex.scratch<detail::first_match>(1);
  ex.clear(match);
  index_t const blocks = std::min(div_up(c.n, policy::width), ex.room_for(kernel, policy::threads));
  ex.launch({blocks, policy::threads}, kernel, c.n, c.holds, c.found, match.data());
}

}  // namespace ravel::inline v0::gpu
