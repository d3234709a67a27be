#pragma once

/// Executors for a CUDA device in software: every named algorithm on any host, with chosen schedules
/// and widths of blocks.
///
///     ravel::software_device const ex;               // gpu::executor, with its own forms
///     inclusive_scan(ex, in, out, plus{}, scan_algorithm::decoupled_look_back);
///
/// Kernels run as fibres, several blocks at once, in an order that a seed chooses.  This shows a
/// kernel's arithmetic, indexing and barriers, and that blocks synchronise in any order; it does not
/// show speed, nor races between barriers.

#include <cuda_runtime_api.h>  // of software_device/runtime

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/words.cuh>

#include <cstdint>

#ifndef RAVEL_SOFTWARE_WORDS
#  error \
      "link ravel::software_device before ravel: the headers of NVIDIA's assembly were found first"
#endif

namespace ravel::inline v0 {

/// gpu::executor on the device in software, whose memory is the host's.
///
///     software_device{}      schedules that differ from launch to launch
///     software_device{5}     restarts the generator of schedules: the same schedules again
///
/// The generator belongs to the program, not to the executor.  Copies share a stream and a workspace,
/// as those of gpu::executor do.
///
/// Errors   software::fault, at the launch, for what cannot go on: a barrier that a thread misses, a
///          wait that does not end, lanes that meet at different operations; an exception of a
///          caller's operator; cuda_error, at wait(), for a write past an allocation.
class software_device : public gpu::executor {
 public:
  software_device() = default;
  explicit software_device(std::uint64_t seed) { software::dice::seed(seed); }

  /// The machine description, by which forms are chosen: those of the device.
  gpu::device const& machine() const { return gpu::executor::machine(); }
};

/// The steps that all executors share, on blocks of `Threads` threads, so that small inputs have many
/// tiles; in host memory.
template <int Threads = 64, index_t Tile = gpu::block_of<Threads>::tile_width>
struct software_blocks : cpu::sequential {
  using team = gpu::block_of<Threads>;

  static constexpr index_t tile_count(index_t n) { return div_up(n, Tile); }

  template <class F>
  static void for_each_tile(index_t n, F f) {
    if (n == 0) return;
    software::device::launch(
        {static_cast<unsigned>(tile_count(n)), static_cast<unsigned>(team::threads), false, 0, true,
         RAVEL_WARP_SIZE},
        [&] { f(team{}, nth_tile(blockIdx.x, Tile, n)); });
  }
};

}  // namespace ravel::inline v0
