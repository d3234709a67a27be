#pragma once

/// @file
/// A ring of tiles in the shared memory of persistent thread blocks, by which memory
/// is read without a rest (sm_90 and later).
///
/// One thread block runs on each multiprocessor.  One of its warps, the producer, draws
/// the block's next tiles and begins their copies into free stages of the ring; groups of
/// workers, in turn, take what has landed.  Tiles are drawn, for multiprocessors that take
/// as many as the others wait for the slowest: 0.92 of copy speed, and not 0.98.
///
/// Tiles know nothing of each other here: where they do, core/cuda/tile_stream.cuh is
/// needed.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/error.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/tile.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ravel::inline v0::gpu {
namespace detail {

/// A stage of the ring, and the parity of the phase it is in.
struct ring_place {
  int stage;
  unsigned parity = 0;

  template <int Stages>
  __device__ void advance(int by = 1) {
    stage += by;
    if (stage >= Stages) {
      stage -= Stages;
      parity ^= 1;
    }
  }
};

/// Bytes of a multiprocessor's 227 KB that stages may take.
inline constexpr std::size_t ring_bytes = 224 << 10;

/// Whether `Kernel` was compiled for a device like this one, which has `bytes` bytes of
/// shared memory for it.  Asked once a device.
template <auto Kernel>
bool may_run(executor const& ex, std::size_t bytes) {
  constexpr int most = 64;
  static std::atomic<signed char> known[most] = {};  // 0 unknown, 1 yes, -1 no
  int const device = ex.device();
  if (device >= most) return false;
  if (auto const is = known[device].load(); is != 0) return is > 0;
  on_device const here(device);
  cudaFuncAttributes what = {};
  check(cudaFuncGetAttributes(&what, Kernel), "cuda: asking for the attributes of a kernel");
  bool const can =
      what.ptxVersion >= 90 && what.binaryVersion >= 90 && ex.most_shared_bytes() >= bytes;
  known[device].store(can ? 1 : -1);
  return can;
}

}  // namespace detail

/// How a flow of tiles that know nothing of each other is laid out in a thread block.
template <class Flow>
struct ring_layout {
  static constexpr int group_warps = Flow::threads / warp_size;
  static constexpr int workers = Flow::groups * Flow::threads;
  static constexpr int threads = workers + warp_size;
  static_assert(threads <= 1024, "a thread block has room for no more threads");
  static constexpr std::size_t stage_bytes = (Flow::stage_bytes + 127) / 128 * 128;

  struct control {
    typename Flow::shared of_group[2 * Flow::groups];  // of one tile, and of the next
    barrier landed[16];
    barrier free[16];
    typename Flow::tile tile[16];
    bool is[16];  // a tile, and not the end
  };
  static constexpr int stages = static_cast<int>(
      std::min((detail::ring_bytes - sizeof(control)) / stage_bytes, std::size_t{16}));
  static_assert(stages > Flow::groups, "a stage more than are worked on");

  /// Tiles whose copies are under way.  They land in any order, so a group, which skips the
  /// tiles of the others, may find at its next stage that the tile ahead has not landed; the
  /// barrier it waits at must not be two phases behind, for those have the same parity.
  static constexpr int loading = stages - Flow::groups;

  static constexpr std::size_t bytes = stages * stage_bytes + sizeof(control);
};

namespace detail {

template <class Flow>
struct ring {
  using layout = ring_layout<Flow>;
  Flow const& flow;
  index_t count;  // of tiles
  dispenser* tickets;
  word64* words;  // that the tickets are for
  char* stages;
  typename layout::control& shared;

  __device__ char* stage(int s) const { return stages + s * layout::stage_bytes; }

  /// A warp.  Draws a ticket for so many tiles that they take longer than the ticket, and
  /// finds them while those of the one before are loaded.
  __device__ void produce() const {
    constexpr int batch = 2;
    int const lane = threadIdx.x % warp_size;
    index_t const batches = div_up(count, batch);
    index_t const draws = batches + gridDim.x;  // each block draws one past the end
    word64 drawn = lane == 0 ? ask(*tickets) : 0;
    unsigned epoch = 0;
    auto const draw_next = [&] {
      ticket now{};
      if (lane == 0) {
        now = settle(*tickets, drawn, draws);
        epoch = now.epoch;
        if (now.tile < batches) drawn = ask(*tickets);
      }
      return shuffle_from(now.tile, 0) * batch;
    };
    auto const look = [&](index_t first) {
      return lane < batch && first + lane < count ? flow.look(first + lane) : typename Flow::seen{};
    };

    ring_place here{0, 1};
    ring_place landing{0};
    index_t filled = 0;
    index_t first = draw_next();
    auto seen = look(first);
    while (first < count) {
      auto const found = flow.find(first + lane, seen);
      index_t const next = draw_next();
      seen = look(next);  // and not touched before it is wanted, for it takes as long as a tile
      for (int k = 0; k < batch && first + k < count; ++k) {
        auto const tile = shuffle_from(found, k);
        if (lane == 0) {
          if (filled >= layout::loading) {
            shared.landed[landing.stage].wait(landing.parity);
            landing.advance<layout::stages>();
          }
          if (filled++ >= layout::stages) shared.free[here.stage].wait(here.parity);
          shared.tile[here.stage] = tile;
          shared.is[here.stage] = true;
          flow.load(stage(here.stage), tile, shared.landed[here.stage]);
          here.advance<layout::stages>();
        }
        __syncwarp();
      }
      first = next;
    }
    if (lane == 0) {
      for (int k = 0; k < Flow::groups; ++k) {  // each group meets one end
        if (filled++ >= layout::stages) shared.free[here.stage].wait(here.parity);
        shared.is[here.stage] = false;
        shared.landed[here.stage].arrive();
        here.advance<layout::stages>();
      }
      clear_after_last_epoch(*tickets, words, epoch);
    }
  }

  /// A thread of a group of workers.
  __device__ void work(int group, int place) const {
    bool odd = false;
    for (ring_place here{group};; here.advance<layout::stages>(Flow::groups), odd = !odd) {
      shared.landed[here.stage].wait(here.parity);
      if (!shared.is[here.stage]) break;
      flow.work(stage(here.stage), shared.tile[here.stage], group, place,
                shared.of_group[2 * group + odd]);
      fence_copies();
      __syncwarp();
      if (place % warp_size == 0) shared.free[here.stage].arrive();
    }
  }

  __device__ void run() const {
    if (threadIdx.x == 0) {
      for (int s = 0; s < layout::stages; ++s) {
        shared.landed[s].begin(1);
        shared.free[s].begin(layout::group_warps);
      }
      fence_barriers();
    }
    __syncthreads();
    if (threadIdx.x < layout::workers) {
      work(threadIdx.x / Flow::threads, threadIdx.x % Flow::threads);
    } else {
      produce();
    }
  }
};

template <class Flow>
__global__ void __launch_bounds__(ring_layout<Flow>::threads, 1)
    ring_kernel(__grid_constant__ Flow const flow, index_t count, dispenser* tickets,
                word64* words) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using layout = ring_layout<Flow>;
  char* const stages = shared_bytes();
  auto& shared =
      *reinterpret_cast<typename layout::control*>(stages + layout::stages * layout::stage_bytes);
  ring<Flow>{flow, count, tickets, words, stages, shared}.run();
#endif
}

}  // namespace detail

/// Whether this device runs rings of this flow.
template <class Flow>
bool can_ring(executor const& ex) {
  return detail::may_run<detail::ring_kernel<Flow>>(ex, ring_layout<Flow>::bytes);
}

/// Runs `count` tiles through rings, as a flow says:
///
///     threads, groups     of a group of workers, and how many groups
///     stage_bytes         of a tile: its room in shared memory
///     shared              what a group has in shared memory besides, twice: for its tiles
///                         in turn
///     seen, look(t)       what is read of tile t to find it
///     tile, find(t, seen) what must be known of it to load it
///     load(stage, x, b)   begin the copies of tile x that arrive at barrier b, and arrive
///                         there; by one thread
///     work(stage, x, group, k, shared)   what thread k of a group does with tile x
///
/// The flow must be one that can_ring.
template <class Flow>
void ring_tiles(executor const& ex, index_t count, Flow const& flow) {
  if (count == 0) return;
  auto const states = ex.states<std::uint32_t>(1);  // for their tickets
  ex.launch({std::min(count, ex.multiprocessors()), ring_layout<Flow>::threads, false,
             ring_layout<Flow>::bytes},
            detail::ring_kernel<Flow>, flow, count, states.tickets(), states.words());
}

}  // namespace ravel::inline v0::gpu
