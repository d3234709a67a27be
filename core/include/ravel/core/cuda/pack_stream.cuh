#pragma once

/// A tile stream that keeps a part of each tile (sm_90 and later): as core/cuda/tile_stream.cuh,
/// with a second prefix sum, over the numbers of elements kept.
///
/// Which elements a tile keeps depends on its exclusive prefix, so the number kept before it is
/// known only after a second look-back.  Two more roles do this, so that no warp that publishes has
/// to wait for it:
///
///     workers      scan a tile, compact the elements kept within the stage, and publish their
///                  number
///     counters     a warp each: compute the number of elements kept before a tile, from the
///                  published counts
///     storers      a warp each: write the kept elements to the output, and free the stage
///
/// Source   See tile_stream.cuh.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/cuda/tiles_ahead.cuh>

namespace ravel::inline v0::gpu {

/// The layout of such a flow in a block's shared memory.
template <class Flow>
struct pack_stream_layout : detail::stream_stages<Flow> {
  using at = detail::stream_stages<Flow>;
  using at::group_warps, at::stages, at::workers;

  static constexpr int reducers = 4;
  static constexpr int markers = 0;
  static constexpr int counters = 2;
  static constexpr int storers = 2;
  static constexpr int threads = workers + (reducers + 2 + counters + storers) * warp_size;
  static constexpr int folds_at_once = 2;

  static constexpr int ends =
      std::max(std::max(reducers, Flow::groups), std::max(counters, storers));
  static constexpr int drawn_ahead = 0;
  static constexpr int loading = at::loading_beside(ends);
  static_assert(loading >= 1);

  /// The shared state of the roles, besides the stages.
  struct control : detail::stream_control<Flow> {
    barrier published[stages];  // the tile's number of kept elements is published
    barrier finished[stages];   // the workers have compacted the kept elements
    barrier counted[stages];    // the number kept before the tile is known
    int kept[stages];
    index_t place[stages];
    int group_kept[Flow::groups * 2 * group_warps];
  };
  static constexpr std::size_t bytes = at::own_bytes + stages * at::stage_bytes + sizeof(control);
  static_assert(bytes <= 227 << 10, "the stages of a flow do not fit in shared memory");
};

namespace detail {

/// The type in which a count is published: its word is as wide as those of the values.
template <class State>
using published_count_of = std::conditional_t<(sizeof(State) <= 4), std::int32_t, std::int64_t>;

template <class Flow>
struct pack_stream : stream_roles<Flow, pack_stream_layout<Flow>> {
  using roles = stream_roles<Flow, pack_stream_layout<Flow>>;
  using layout = pack_stream_layout<Flow>;
  using roles::flow, roles::count, roles::tickets, roles::tiles, roles::shared, roles::stage,
      roles::tag, roles::no_tile;
  using typename roles::state, typename roles::word;
  using count_type = published_count_of<state>;
  using count_message = detail::message<count_type>;
  static_assert(std::is_same_v<typename count_message::word, word>);

  word* counts;  // the count of each tile

  /// The loop of a counter warp.  It polls once its own tile has published: by then most preceding
  /// tiles have published too.
  __device__ void count_ahead(int counter) const {
    tiles_ahead<count_type, plus<index_t>> ahead{counts, 0, {}, 0};
    for (ring_place here{counter};; here.template advance<layout::stages>(layout::counters)) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      shared.published[here.stage].wait(here.parity);
      ahead.tag = tag();
      index_t const place = ahead(t);
      if (threadIdx.x % warp_size == 0) {
        shared.place[here.stage] = place;
        shared.counted[here.stage].arrive();
      }
      __syncwarp();
    }
  }

  /// The loop of a worker thread.
  __device__ void work(int group, int place) const {
    int const lane = place % warp_size;
    int const warp = place / warp_size;
    bool odd = false;
    for (ring_place here{group};; here.template advance<layout::stages>(Flow::groups), odd = !odd) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      auto part = flow.take(stage(here.stage), t, place);
      int const first = (2 * group + odd) * layout::group_warps;
      state const ahead = roles::ahead_of_thread(here, group, place, first, flow.fold(part));

      // Scans the numbers kept by the threads: how many elements of the tile are kept before this
      // thread's.
      int const few = flow.keep(part, ahead);
      int const kept = warp_scan(few, plus<int>{});
      if (lane == warp_size - 1) shared.group_kept[first + warp] = kept;
      sync_group(group, Flow::threads);
      int of_warps_kept = 0, of_tile = 0;
#pragma unroll
      for (int w = 0; w < layout::group_warps; ++w) {
        if (w < warp) of_warps_kept += shared.group_kept[first + w];
        of_tile += shared.group_kept[first + w];
      }
      if (place == 0) {
        if (t + 1 < count) store_relaxed(counts + t, count_message::pack(tag(), of_tile));
        shared.kept[here.stage] = of_tile;
        shared.published[here.stage].arrive();
      }
      flow.put(stage(here.stage), part, ahead, of_warps_kept + kept - few);
      fence_copies();  // before the bulk copy that reads the stage
      __syncwarp();
      if (lane == 0) shared.finished[here.stage].arrive();
    }
  }

  /// The loop of a storer warp.
  __device__ void store(int storer) const {
    for (ring_place here{storer};; here.template advance<layout::stages>(layout::storers)) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      shared.finished[here.stage].wait(here.parity);
      shared.counted[here.stage].wait(here.parity);
      index_t const place = shared.place[here.stage];
      int const kept = shared.kept[here.stage];
      flow.store(stage(here.stage), place, kept);
      if (t + 1 == count && threadIdx.x % warp_size == 0) flow.total(place + kept);
      fence_copies();
      __syncwarp();
      if (threadIdx.x % warp_size == 0) shared.free[here.stage].arrive();
    }
  }

  /// Each warp that polls calls this at its end.
  __device__ void clear_after_polling(int lane) const {
    if (lane == 0) clear_after_last_epoch(*tickets, tiles, shared.epoch, 1 + layout::counters);
  }

  __device__ void run() const {
    int const warp = threadIdx.x / warp_size;
    int const lane = threadIdx.x % warp_size;
    constexpr int reducer = layout::workers / warp_size;
    constexpr int producer = reducer + layout::reducers;
    constexpr int counter = producer + 2;
    constexpr int storer = counter + layout::counters;
    word64 first = 0;
    if (warp == producer && lane == 0) {
      first = gpu::request_ticket(*tickets);  // overlaps the initialisation of the barriers
    }
    if (threadIdx.x == 0) {
      for (int s = 0; s < layout::stages; ++s) {
        shared.landed[s].begin(1);
        shared.known[s].begin(2);  // look-ahead, and the reducer, which also reads the stage
        shared.published[s].begin(1);
        shared.finished[s].begin(layout::group_warps);
        shared.counted[s].begin(1);
        shared.free[s].begin(1);
      }
      fence_barriers();
    }
    __syncthreads();
    if (warp < reducer) {
      work(threadIdx.x / Flow::threads, threadIdx.x % Flow::threads);
    } else if (warp < producer) {
      roles::reduce(warp - reducer);
    } else if (warp == producer) {
      if (lane == 0) roles::produce(first);
    } else if (warp == producer + 1) {
      roles::look_ahead();
      clear_after_polling(lane);
    } else if (warp < storer) {
      count_ahead(warp - counter);
      clear_after_polling(lane);
    } else {
      store(warp - storer);
    }
  }
};

template <class Flow>
__global__ void __launch_bounds__(pack_stream_layout<Flow>::threads, 1)
    pack_stream_kernel(__grid_constant__ Flow const flow, unsigned count, dispenser* tickets,
                       typename pack_stream<Flow>::word* tiles,
                       typename pack_stream<Flow>::word* counts) {
#ifdef RAVEL_BULK_COPIES
  await_preceding_kernel();
  using layout = pack_stream_layout<Flow>;
  char* const stages = shared_bytes() + layout::own_bytes;
  auto& shared =
      *reinterpret_cast<typename layout::control*>(stages + layout::stages * layout::stage_bytes);
  pack_stream<Flow>{{{flow, count, tickets, tiles, stages, shared}}, counts}.run();
#endif
}

}  // namespace detail

/// Whether this device supports the flow.
template <class Flow>
bool can_stream_pack(executor const& ex) {
  return detail::may_run<detail::pack_stream_kernel<Flow>>(ex, pack_stream_layout<Flow>::bytes);
}

/// Streams `n` elements, in tiles of Flow::items, through a flow that keeps some of them.  A flow
/// defines monoid, m, seed, threads, groups, items, stage_bytes, load, take and fold as in
/// stream_tiles, and
///
///     keep(part, ahead)            returns the number of elements that a thread keeps of its
///                                  part, and records in the part which
///     put(stage, part, ahead, i)   writes them into the stage, from position i of the tile's
///                                  kept elements; all threads have read their parts before
///     store(stage, place, kept)    writes the tile's kept elements from the stage to the
///                                  output; by a warp
///     total(kept)                  receives the total number kept
///
/// Requires can_stream_pack.
template <class Flow>
void stream_pack_tiles(executor const& ex, index_t n, Flow const& flow) {
  using kernel = detail::pack_stream<Flow>;
  using layout = typename kernel::message::layout;
  index_t const count = div_up(n, index_t{Flow::items});
  expects(count <= 0x7fffffff, "cuda: ", n, " elements are more tiles than can be counted");
  auto const states = ex.states<layout>(2 * count);
  ex.launch(grid{std::min(count, ex.multiprocessors()), pack_stream_layout<Flow>::threads, false,
                 pack_stream_layout<Flow>::bytes}
                .early(),
            detail::pack_stream_kernel<Flow>, flow, static_cast<unsigned>(count), states.tickets(),
            states.words(), states.words() + count);
}

}  // namespace ravel::inline v0::gpu
