#pragma once

/// A ring buffer of tiles in the shared memory of persistent thread blocks, which keeps memory
/// reads in flight without a gap (sm_90 and later).
///
/// One thread block runs on each multiprocessor.  One of its warps, the producer, draws the block's
/// next tiles and begins their copies into free stages of the ring; groups of workers take turns to
/// process the tiles that have landed.  Tiles are assigned dynamically, by tickets: with a static
/// assignment all wait for the slowest multiprocessor (0.92 of copy speed instead of 0.98).
///
/// Tiles are independent here; core/cuda/tile_stream.cuh passes prefixes between them.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/error.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/warp.cuh>

#include <atomic>

namespace ravel::inline v0::gpu {
namespace detail {

/// A stage of the ring, and the phase parity of its barriers.
struct ring_place {
  int stage;
  unsigned parity = 0;

  template <int Stages>
  __device__ void advance(int steps = 1) {
    stage += steps;
    if (stage >= Stages) {
      stage -= Stages;
      parity ^= 1;
    }
  }
};

/// The bytes of a multiprocessor's 227 KB of shared memory that stages may take.
inline constexpr std::size_t ring_bytes = 224 << 10;

/// Whether `Kernel` was compiled for this device and the device has `bytes` bytes of shared memory
/// for it. Evaluated once per device.
template <auto Kernel>
bool may_run(executor const& ex, std::size_t bytes) {
  constexpr int most_devices = 64;
  static std::atomic<signed char> known[most_devices] = {};  // 0 unknown, 1 yes, -1 no
  int const device = ex.device();
  if (device >= most_devices) return false;
  if (auto const answer = known[device].load(); answer != 0) return answer > 0;
  on_device const guard(device);
  cudaFuncAttributes attributes = {};
  check(cudaFuncGetAttributes(&attributes, Kernel), "cuda: querying the attributes of a kernel");
  bool const can = attributes.ptxVersion >= 90 && attributes.binaryVersion >= 90 &&
                   ex.most_shared_bytes() >= bytes;
  known[device].store(can ? 1 : -1);
  return can;
}

}  // namespace detail

/// The layout of a block's shared memory for a flow of independent tiles.
template <class Flow>
struct ring_layout {
  static constexpr int group_warps = Flow::threads / warp_size;
  static constexpr int workers = Flow::groups * Flow::threads;
  static constexpr int threads = workers + warp_size;
  static_assert(threads <= 1024, "a thread block has room for no more threads");
  static constexpr std::size_t stage_bytes = (Flow::stage_bytes + 127) / 128 * 128;

  /// The shared state of a block's warps, besides the stages.
  struct control {
    typename Flow::shared of_group[2 * Flow::groups];  // for the current tile and the next
    barrier landed[16];
    barrier free[16];
    typename Flow::tile tile[16];
    bool is[16];  // true for a tile, false for the end
  };
  static constexpr int stages = static_cast<int>(
      std::min((detail::ring_bytes - sizeof(control)) / stage_bytes, std::size_t{16}));
  static_assert(stages > Flow::groups,
                "there must be more stages than groups, each of which works on one");

  /// The number of tiles in flight.  Copies complete in any order, so a group, which skips the
  /// tiles of other groups, may find at its next stage that an earlier tile has not landed.  The
  /// barrier that it waits for must not be two phases late, since those have the same parity.
  static constexpr int loading = stages - Flow::groups;

  static constexpr std::size_t bytes = stages * stage_bytes + sizeof(control);
};

namespace detail {

template <class Flow>
struct ring {
  using layout = ring_layout<Flow>;
  Flow const& flow;
  index_t count;  // number of tiles
  dispenser* tickets;
  word64* words;  // the words of tile descriptors that belong to the tickets
  char* stages;
  typename layout::control& shared;

  __device__ char* stage(int s) const { return stages + s * layout::stage_bytes; }

  /// The producer warp's loop.  It draws a ticket for two tiles at a time, as these take longer
  /// than the ticket's latency, and locates them while the previous two are loaded.
  __device__ void produce() const {
    constexpr int batch = 2;
    int const lane = threadIdx.x % warp_size;
    index_t const batches = div_up(count, batch);
    index_t const draws = batches + gridDim.x;  // each block draws one past the end
    word64 drawn = lane == 0 ? request_ticket(*tickets) : 0;
    unsigned epoch = 0;
    auto const draw_next = [&] {
      ticket settled{};
      if (lane == 0) {
        settled = settle(*tickets, drawn, draws);
        epoch = settled.epoch;
        if (settled.tile < batches) drawn = request_ticket(*tickets);
      }
      return shuffle_from(settled.tile, 0) * batch;
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
      seen = look(next);  // used late: the load takes as long as a tile
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
      for (int k = 0; k < Flow::groups; ++k) {  // an end mark for each group
        if (filled++ >= layout::stages) shared.free[here.stage].wait(here.parity);
        shared.is[here.stage] = false;
        shared.landed[here.stage].arrive();
        here.advance<layout::stages>();
      }
      clear_after_last_epoch(*tickets, words, epoch);
    }
  }

  /// The loop of a worker thread.
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
#ifdef RAVEL_BULK_COPIES
  await_preceding_kernel();
  using layout = ring_layout<Flow>;
  char* const stages = shared_bytes();
  auto& shared =
      *reinterpret_cast<typename layout::control*>(stages + layout::stages * layout::stage_bytes);
  ring<Flow>{flow, count, tickets, words, stages, shared}.run();
#endif
}

}  // namespace detail

/// Whether this device supports the flow.
template <class Flow>
bool can_ring(executor const& ex) {
  return detail::may_run<detail::ring_kernel<Flow>>(ex, ring_layout<Flow>::bytes);
}

/// Runs `count` tiles through rings of stages.  A flow defines
///
///     threads, groups     the threads of a group of workers, and the number of groups
///     stage_bytes         the bytes of a stage, which holds a tile
///     shared              further shared memory of a group; there are two, used for alternate
///                         tiles
///     seen, look(t)       data that is loaded to locate tile t
///     tile, find(t, seen) the location of a tile, as load needs it
///     load(stage, x, b)   begins the copies of tile x that complete on barrier b, and arrives
///                         there; by one thread
///     work(stage, x, group, k, shared)   the work of thread k of a group on tile x
///
/// Requires can_ring.
template <class Flow>
void ring_tiles(executor const& ex, index_t count, Flow const& flow) {
  if (count == 0) return;
  auto const states = ex.states<std::uint32_t>(1);  // provides the tickets
  ex.launch(grid{std::min(count, ex.multiprocessors()), ring_layout<Flow>::threads, false,
                 ring_layout<Flow>::bytes}
                .early(),
            detail::ring_kernel<Flow>, flow, count, states.tickets(), states.words());
}

}  // namespace ravel::inline v0::gpu
