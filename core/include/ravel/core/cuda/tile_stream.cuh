#pragma once

/// A tile stream through persistent thread blocks: the kernel of every single-pass primitive that
/// reads memory once, at the speed of a copy (sm_90 and later).
///
/// One thread block runs on each multiprocessor, and its warps have roles.  They synchronise by the
/// mbarriers of a ring of stages, each of which holds a tile in shared memory:
///
///     producer     draws the next tile and begins the copy into a free stage
///     markers      a warp each, in flows that have any: write data into the stage that no copy can
///                  provide, such as flags at the offsets of segments
///     reducers     a warp each: publish the aggregate of a tile, as soon as it has landed
///     look-ahead   a warp, or one for each piece of totals that do not fit in a word: computes
///                  the exclusive prefix of the block's next tile, from the published aggregates
///     workers      groups of threads: scan a tile, put results into the stage
///     storer       copies the stage out, and frees it; or several, a lane each
///
/// Publishing an aggregate never blocks, so aggregates are published long before they are needed,
/// and copies in both directions stay in flight.
///
/// How prefixes are computed, and operands grouped, is in core/cuda/stream_prefixes.cuh.
///
/// Source   Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
///          NVR-2016-002; for combining published aggregates early, Maleki, Yang and Burtscher,
///          "Higher-Order and Tuple-Based Massively-Parallel Prefix Sums", PLDI 2016.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/stream_prefixes.cuh>
#include <ravel/core/cuda/tile_ring.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/tiles_ahead.cuh>
#include <ravel/core/cuda/warp.cuh>

namespace ravel::inline v0::gpu {
namespace detail {

/// A flow whose workers call work instead of take, fold and put, which it does not have.
template <class Flow>
concept works_by_warps =
    counts_by_warps<Flow> && !requires(Flow const& flow, char* stage, index_t t) {
  flow.take(stage, t, 0);
};

/// The roles that core/cuda/pack_stream.cuh has too: the producer, and those that compute prefixes.
template <class Flow, class Layout>
struct stream_roles : stream_prefixes<Flow, Layout> {
  using prefixes = stream_prefixes<Flow, Layout>;
  using layout = Layout;
  using prefixes::flow, prefixes::count, prefixes::tickets, prefixes::shared, prefixes::stage,
      prefixes::no_tile;

  /// The producer's loop, by one thread.  It draws tickets, and passes them to markers some tiles
  /// before it loads them.
  __device__ void produce(word64 drawn) const {
    index_t const draws = index_t{count} + gridDim.x;  // each block draws one past the end
    int ends = 0;                                      // end marks passed so far
    bool is_first = true;
    ring_place next{0};
    auto const draw_next = [&] {
      if (ends == layout::ends) return;
      unsigned t = no_tile;
      if (ends == 0) {
        ticket const now = settle(*tickets, drawn, draws);
        if (is_first) shared.epoch = now.epoch;  // written once, as other warps read it afterwards
        is_first = false;
        if (now.tile < count) {
          t = static_cast<unsigned>(now.tile);
          drawn = gpu::request_ticket(*tickets);
        }
      }
      ends += t == no_tile;
      shared.next[next.stage] = t;
      if constexpr (layout::markers > 0) shared.drawn[next.stage].arrive();
      next.template advance<layout::stages>();
    };
    for (int k = 0; k < layout::drawn_ahead; ++k) draw_next();

    ring_place here{0, 1};
    ring_place landing{0, 0};
    int left = layout::ends;
    for (index_t k = 0; left > 0; ++k) {
      draw_next();
      if (k >= layout::stages) shared.free[here.stage].wait(here.parity);
      unsigned const t = shared.next[here.stage];
      barrier& landed = shared.landed[here.stage];
      shared.tile[here.stage] = t;
      if (t == no_tile) {
        // the marker does not arrive at end marks
        if constexpr (layout::markers > 0) landed.arrive();
        landed.arrive();
        --left;
      } else {
        if (k >= layout::loading) {
          shared.landed[landing.stage].wait(landing.parity);
          landing.template advance<layout::stages>();
        }
        flow.load(stage(here.stage), t, landed);
      }
      here.template advance<layout::stages>();
    }
  }
};

}  // namespace detail

/// The layout of a flow in a block's shared memory.
template <class Flow>
struct stream_layout : detail::stream_stages<Flow> {
  using at = detail::stream_stages<Flow>;
  using at::group_warps, at::stages, at::workers;

  static constexpr int reducers = detail::reduces_by_rows<Flow>    ? group_warps
                                  : Flow::reducers > 0             ? Flow::reducers
                                  : Flow::stage_bytes > (32 << 10) ? 2
                                                                   : 4;
  static constexpr int markers = Flow::markers;
  static constexpr int look_aheads = detail::pieces_of<typename Flow::monoid>::count;
  static constexpr int threads = workers + (reducers + markers + 2 + look_aheads) * warp_size;
  static_assert(threads <= 1024, "a thread block has room for no more threads");
  static constexpr int folds_at_once = Flow::folds_at_once;

  static constexpr int reduced = detail::reduces_by_rows<Flow> ? 1 : reducers;  // tiles at a time

  /// The number of end marks: each warp that skips stages has to find one at its own stage.
  static constexpr int ends = std::max(std::max(reduced, markers), Flow::groups);

  static constexpr int drawn_ahead = Flow::drawn_ahead;

  /// The number of tiles in flight.  Copies complete in any order, so a reducer, which skips the
  /// tiles of other reducers, may find that an earlier tile has not landed.  The barrier that it
  /// waits for must not be two phases late, since those have the same parity.  The same holds for a
  /// marker, which receives tiles before they are loaded, and finally `ends` end marks.
  static constexpr int loading =
      at::loading_beside(std::max(std::max(reduced, drawn_ahead + 1), ends));
  static_assert(loading >= 1);
  static_assert(stages >= markers, "each marker must begin at a stage of its own");
  static_assert(
      stages > Flow::groups + 1,
      "there must be a stage to load beside those that groups work on and one that is stored");

  struct control : detail::stream_control<Flow> {
    barrier drawn[stages];     // the stage's marker has the number of the tile
    barrier reduced[stages];   // the totals of the tile's rows are known, where reducers fold rows
    barrier finished[stages];  // the workers have written their results
  };
  static constexpr std::size_t bytes = at::own_bytes + stages * at::stage_bytes + sizeof(control);
  static_assert(bytes <= 227 << 10, "the stages of a flow do not fit in shared memory");
};

namespace detail {

/// The kernel.  A stage is not written again before all roles have read it.  Tools that do not
/// follow barriers in shared memory cannot see that: the reducer and the look-ahead warp read it
/// before they arrive at `known`, for which the workers wait before they arrive at `finished`, for
/// which the storers wait before they arrive at `free`.
template <class Flow>
struct stream : stream_roles<Flow, stream_layout<Flow>> {
  using roles = stream_roles<Flow, stream_layout<Flow>>;
  using layout = stream_layout<Flow>;
  using roles::flow, roles::tickets, roles::tiles, roles::shared, roles::stage, roles::no_tile;

  /// The loop of a marker warp.
  __device__ void mark(int marker) const {
    index_t k = marker;
    for (ring_place here{marker};; here.template advance<layout::stages>(layout::markers)) {
      shared.drawn[here.stage].wait(here.parity);
      unsigned const t = shared.next[here.stage];
      if (t == no_tile) break;
      flow.mark(stage(here.stage), t, [&] {
        if (k >= layout::stages) shared.free[here.stage].wait(here.parity ^ 1);
      });
      __syncwarp();
      if (threadIdx.x % warp_size == 0) shared.landed[here.stage].arrive();
      k += layout::markers;
    }
  }

  /// The loop of a storer thread.
  __device__ void store([[maybe_unused]] int storer) const {
    for (ring_place here{0};; here.template advance<layout::stages>()) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      shared.finished[here.stage].wait(here.parity);
      if constexpr (Flow::storers > 1) {
        flow.store(stage(here.stage), t, storer);
      } else {
        flow.store(stage(here.stage), t);
      }
      commit_copies();
      wait_until_read();
      shared.free[here.stage].arrive();
    }
    wait_until_written();
  }

  /// The loop of a worker thread.
  __device__ void work(int group, int place) const {
    bool odd = false;
    for (ring_place here{group};; here.template advance<layout::stages>(Flow::groups), odd = !odd) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      auto const ahead_of_tile = [&] {
        shared.known[here.stage].wait(here.parity);
        return typename roles::state(shared.ahead[here.stage]);
      };
      if constexpr (reduces_by_rows<Flow>) {
        shared.reduced[here.stage].wait(here.parity);
        flow.put(stage(here.stage), t, place, &shared.warp_total[here.stage * layout::group_warps],
                 ahead_of_tile);
      } else if constexpr (works_by_warps<Flow>) {
        flow.work(stage(here.stage), t, group, place, odd, ahead_of_tile);
      } else {
        auto part = flow.take(stage(here.stage), t, place);
        int const first = (2 * group + odd) * layout::group_warps;
        auto const ahead = roles::ahead_of_thread(here, group, place, first, flow.fold(part));
        flow.put(stage(here.stage), t, place, part, ahead,
                 typename roles::state(shared.ahead[here.stage]));
      }
      fence_copies();
      __syncwarp();
      if (place % warp_size == 0) shared.finished[here.stage].arrive();
    }
  }

  __device__ void run() const {
    int const warp = threadIdx.x / warp_size;
    int const lane = threadIdx.x % warp_size;
    constexpr int producer = layout::workers / warp_size + layout::reducers;
    word64 first = 0;
    if (warp == producer && lane == 0) {
      first = gpu::request_ticket(*tickets);  // overlaps the initialisation of the barriers
    }
    if constexpr (requires { flow.fetch(0); }) {  // before the block's tile is known
      if (warp == producer + 1 && lane == 0) flow.fetch(blockIdx.x);
    }
    if (threadIdx.x == 0) {
      for (int s = 0; s < layout::stages; ++s) {
        shared.drawn[s].begin(1);
        shared.landed[s].begin(layout::markers > 0 ? 2 : 1);
        // look-ahead, and the reducer, which reads the stage
        shared.known[s].begin(layout::look_aheads + 1);
        shared.reduced[s].begin(layout::group_warps);
        shared.finished[s].begin(layout::group_warps);
        shared.free[s].begin(Flow::storers);
      }
      fence_barriers();
    }
    flow.prepare();
    __syncthreads();
    if (warp < producer - layout::reducers) {
      work(threadIdx.x / Flow::threads, threadIdx.x % Flow::threads);
    } else if (warp < producer) {
      if constexpr (reduces_by_rows<Flow>) {
        roles::reduce_rows(warp - (producer - layout::reducers));
      } else {
        roles::reduce(warp - (producer - layout::reducers));
      }
    } else if (warp == producer) {
      if (lane == 0) roles::produce(first);
    } else if (warp == producer + 1) {
      if (lane < Flow::storers) store(lane);
    } else if (warp < producer + 2 + layout::look_aheads) {
      roles::look_ahead(warp - (producer + 2));
      if (lane == 0) {
        clear_after_last_epoch(*tickets, tiles, shared.epoch, layout::look_aheads);
      }
    } else {
      if constexpr (layout::markers > 0) mark(warp - (producer + 2 + layout::look_aheads));
    }
  }
};

template <class Flow>
__global__ void __launch_bounds__(stream_layout<Flow>::threads, 1)
    stream_kernel(__grid_constant__ Flow const flow, unsigned count, dispenser* tickets,
                  typename stream<Flow>::word* tiles) {
#ifdef RAVEL_BULK_COPIES
  await_preceding_kernel();
  using layout = stream_layout<Flow>;
  char* const stages = shared_bytes() + layout::own_bytes;
  auto& shared =
      *reinterpret_cast<typename layout::control*>(stages + layout::stages * layout::stage_bytes);
  stream<Flow>{{{flow, count, tickets, tiles, stages, shared}}}.run();
#endif
}

}  // namespace detail

/// Whether this device supports the flow.
template <class Flow>
bool can_stream(executor const& ex) {
  return detail::may_run<detail::stream_kernel<Flow>>(ex, stream_layout<Flow>::bytes);
}
template <class Flow>
void expect_stream(executor const& ex, char const* call) {
  expects(can_stream<Flow>(ex), call, ": the kernel was not compiled for device ", ex.device());
}

/// Streams `n` elements, in tiles of Flow::items, through a flow:
///
///     monoid, m           combines the totals of tiles
///     seed()              the prefix of the first element
///     threads, groups     the threads of a group of workers, and the number of groups
///     items, stage_bytes  the elements of a tile, and the bytes of a stage
///     shared, prepare()   block data in front of the stages, at shared_bytes(), and the function
///                         by which all threads of the block first fill it
///     fetch(t)            optional: prefetches the input of tile t to L2.  Each block calls it for
///                         one of the first tiles, while it waits for its ticket
///     load(stage, t, b)   begins copies of tile t to the stage that complete on barrier b, and
///                         arrives there; by one thread
///     markers             the number of warps that mark stages, or 0
///     drawn_ahead         ticket prefetch distance: how many tiles before its load a tile is
///                         passed to its marker, whose loads may take longer than copies; 0
///                         without markers
///     mark(stage, t, await)   writes the marks of a tile, by a warp; it may issue its own loads
///                         before it calls await(), and writes to the stage after that
///     take(stage, t, k)   the part of tile t that belongs to thread k, in registers
///     fold(part)          the total of a part
///     reducers            the number of reducer warps, or 0: as many as suit the stages
///     folds_at_once       unrolling factor of the reducer: the code of all roles must fit in the
///                         instruction cache, of 128 KB
///     reduces_by_rows     optional: there is a reducer for each warp of a group.  Together they fold
///                         each tile, and workers receive the totals of their warps' parts from them,
///                         in place of a part and its prefix: put(stage, t, k, totals, await), where
///                         await() returns the tile's prefix
///     leave(stage, k, part)   by these reducers: leaves data of thread k's part, if any, in the
///                         stage for the workers
///     to_publish(stage, t, total)    the value that tile t publishes, by a warp; for each tile
///     from_published(stage, ahead)   the tile's prefix, from the combined published values of
///                         all preceding tiles
///     put(stage, t, k, part, ahead, ahead_of_tile)   writes the results of thread k, from the
///                         exclusive prefixes of its part and of the tile; all threads have read
///                         their parts
///     count(stage, t)     optional, in place of take and fold in reducers: the total of a tile, by
///                         a warp
///     work(stage, t, group, k, odd, await)   optional, in place of take, fold and put: all the work
///                         of thread k of a group, where await() returns the tile's prefix, and
///                         `odd` alternates from tile to tile of the group
///     counts_last         whether count is called for the last tile too, although its total is
///                         not needed: it may then leave data in each stage for the workers
///     storers             the number of threads that copy results out, up to 32
///     store(stage, t)     begins copies of results out of the stage; by one thread, or, by each of
///                         several storers, store(stage, t, storer)
///
/// Requires can_stream.
template <class Flow>
void stream_tiles(executor const& ex, index_t n, Flow const& flow) {
  using kernel = detail::stream<Flow>;
  index_t const count = div_up(n, index_t{Flow::items});
  expects(count <= 0x7fffffff, "cuda: ", n, " elements are more tiles than can be counted");
  auto const states = ex.states<typename kernel::message::layout>(
      kernel::message::slots(count * stream_layout<Flow>::look_aheads));
  ex.launch(grid{std::min(count, ex.multiprocessors()), stream_layout<Flow>::threads, false,
                 stream_layout<Flow>::bytes}
                .early(),
            detail::stream_kernel<Flow>, flow, static_cast<unsigned>(count), states.tickets(),
            kernel::message::words(states.words()));
}

}  // namespace ravel::inline v0::gpu
