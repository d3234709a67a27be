#pragma once

/// @file
/// Device code without a device.
///
/// support/lockstep/ is an include folder from which test programs of the host compiler take a CUDA
/// runtime for a device in software.  So gpu::executor is compiled unchanged, and its kernels run
/// as fibres, several blocks at once, in random order.  This tests a kernel's arithmetic, indexing
/// and barriers, and that blocks synchronise in any order; it does not test speed, nor races
/// between barriers.
///
/// `lockstep::executor` runs the generic steps on it, with blocks of 64 threads, so that small
/// inputs have many tiles, and in host memory.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cuda/executor.cuh>

namespace ravel::testing::lockstep {

struct executor : cpu::sequential {
  using team = gpu::block_of<64>;

  static constexpr index_t tile_count(index_t n) { return div_up(n, team::tile_width); }

  template <class F>
  static void for_each_tile(index_t n, F f) {
    if (n == 0) return;
    device::launch({static_cast<unsigned>(tile_count(n)), static_cast<unsigned>(team::threads),
                    false, 0, true},
                   [&] { f(team{}, nth_tile(blockIdx.x, team::tile_width, n)); });
  }
};

}  // namespace ravel::testing::lockstep
