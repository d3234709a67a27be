#pragma once

/// The prefixes of a tile stream: its stages in shared memory, and the warps that publish the
/// aggregates of tiles and compute their exclusive prefixes (sm_90 and later).
///
/// If order matters, the grouping of operands depends on the tiles alone: 32 tiles form a group,
/// the total of a group is a tree over its tiles, and groups are folded from the left.  So
/// floating-point results repeat bit for bit, whatever the number of multiprocessors and the order
/// in which blocks run.
///
/// core/cuda/tile_stream.cuh describes all roles of a stream.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_ring.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/tiles_ahead.cuh>
#include <ravel/core/cuda/warp.cuh>

namespace ravel::inline v0::gpu::detail {

/// A flow whose reducers call count instead of take and fold.
template <class Flow>
concept counts_by_warps = requires(Flow const& flow, char* stage, index_t t) {
  flow.count(stage, t);
};
/// A flow whose reducers fold each tile together: each warp folds a row, the parts of 32 threads.
template <class Flow>
concept reduces_by_rows = requires {
  Flow::reduces_by_rows;
};
template <class M>
inline constexpr bool is_segmented = false;
template <class M>
inline constexpr bool is_segmented<segmented<M>> = true;

/// The layout of a stream's stages in shared memory, which all streams have in common.
template <class Flow>
struct stream_stages {
  static constexpr int group_warps = Flow::threads / warp_size;
  static constexpr int workers = Flow::groups * Flow::threads;
  static constexpr std::size_t own_bytes = std::is_empty_v<typename Flow::shared>
                                               ? 0
                                               : (sizeof(typename Flow::shared) + 127) / 128 * 128;
  static constexpr std::size_t stage_bytes = (Flow::stage_bytes + 127) / 128 * 128;
  static constexpr int stages =
      static_cast<int>(std::min((ring_bytes - own_bytes) / stage_bytes, std::size_t{11}));

  /// The number of tiles in flight, if `reserved` stages are set aside.  72 KB in flight keep
  /// memory busy; more would only delay all other memory traffic.
  static constexpr std::size_t loading_bytes = 72 << 10;
  static constexpr int loading_beside(int reserved) {
    return std::min(stages - reserved,
                    static_cast<int>((loading_bytes + stage_bytes - 1) / stage_bytes));
  }
};

/// The shared state of the roles of a block.
template <class Flow>
struct stream_control {
  using state = carrier_t<typename Flow::monoid>;
  static constexpr int stages = stream_stages<Flow>::stages;

  barrier landed[stages];  // the copy into the stage is complete, and marks are set
  barrier known[stages];   // the tile's prefix is known, and its total published
  barrier free[stages];
  unsigned next[stages];  // the tile that the stage holds or will hold
  unsigned tile[stages];
  unsigned epoch;
  shared_array<state, stages> ahead;
  /// The totals of the rows of a tile, for as many tiles: for each stage if reducers fold rows,
  /// otherwise for two of each group.
  static constexpr int tiles_of_rows = reduces_by_rows<Flow> ? stages : Flow::groups * 2;
  shared_array<state, tiles_of_rows * stream_stages<Flow>::group_warps> warp_total;
};

/// The roles that publish aggregates and compute prefixes.  `Layout` defines the number of warps of
/// each role, and the roles' shared state.
template <class Flow, class Layout>
struct stream_prefixes {
  using layout = Layout;
  using control = typename layout::control;
  using state = carrier_t<typename Flow::monoid>;
  using pieces = pieces_of<typename Flow::monoid>;
  using message = detail::message<carrier_t<typename pieces::monoid>>;
  using word = typename message::word;
  static constexpr unsigned no_tile = ~0u;

  Flow const& flow;
  unsigned count;  // number of tiles
  dispenser* tickets;
  word* tiles;  // published totals: the first piece of all tiles, then the second
  char* stages;
  control& shared;

  __device__ char* stage(int s) const { return stages + s * layout::stage_bytes; }
  __device__ unsigned tag() const { return shared.epoch << 2 | 1; }

  /// The loop of a reducer warp.
  __device__ void reduce(int reducer) const {
    int const lane = threadIdx.x % warp_size;
    for (ring_place here{reducer};; here.template advance<layout::stages>(layout::reducers)) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      bool const is_needed = t + 1 < count;  // false for the last tile
      state const total =
          is_needed || Flow::counts_last ? fold_tile(here.stage, t) : state(flow.m.identity());
      state const part = flow.to_publish(stage(here.stage), t, total);
      if (is_needed) publish(t, part);
      __syncwarp();
      if (lane == 0) shared.known[here.stage].arrive();
    }
  }

  /// The loop of a reducer warp that folds a row of each tile.  The row's total stays in shared
  /// memory for the workers.  The reducers take turns to publish the tile's total.
  __device__ void reduce_rows(int row) const {
    constexpr int rows = layout::group_warps;
    int const lane = threadIdx.x % warp_size;
    for (ring_place here{0};; here.template advance<layout::stages>()) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      int const k = row * warp_size + lane;
      auto const part = flow.take(stage(here.stage), t, k);
      flow.leave(stage(here.stage), k, part);
      state const of_row = warp_fold(flow.fold(part), flow.m);
      state* const totals = &shared.warp_total[here.stage * rows];
      __syncwarp();
      if (lane == 0) {
        totals[row] = of_row;
        shared.reduced[here.stage].arrive();
      }
      __syncwarp();
      if (row == static_cast<int>(t % rows)) {
        shared.reduced[here.stage].wait(here.parity);
        if (t + 1 < count) {
          publish(t, warp_fold(lane < rows ? totals[lane] : state(flow.m.identity()), flow.m));
        }
        __syncwarp();
        if (lane == 0) shared.known[here.stage].arrive();
      }
    }
  }

  /// Publishes a tile's total by a warp: each of the first lanes publishes a piece.
  __device__ void publish(unsigned t, state const& total) const {
#pragma unroll
    for (int p = 0; p < pieces::count; ++p) {
      if (threadIdx.x % warp_size == static_cast<unsigned>(p)) {
        store_relaxed(tiles + (index_t{p} * count + t),
                      message::pack(tag(), pieces::cut(total, p)));
      }
    }
  }

  /// Whether the reducer folds several rows of threads together: if order matters and a value takes
  /// at most two registers.  A scan of 2^28 halves takes 267 us so, and 276 us row by row.
  static constexpr bool folds_by_rows = sizeof(state) <= 8 && layout::folds_at_once > 1;

  __device__ state fold_tile(int s, unsigned t) const {
    int const lane = threadIdx.x % warp_size;
    auto const& m = flow.m;
    state sum = m.identity();
    if constexpr (counts_by_warps<Flow>) {
      sum = flow.count(stage(s), t);
    } else if constexpr (is_segmented<typename Flow::monoid>) {
      // from the last row back to the nearest head
      for (int k = layout::group_warps - 1; k >= 0 && !sum.head; --k) {
        sum = m(warp_fold(flow.fold(flow.take(stage(s), t, k * warp_size + lane)), m), sum);
      }
    } else if constexpr (commutes<typename Flow::monoid>) {
#pragma unroll layout::folds_at_once
      for (int k = 0; k < layout::group_warps; ++k) {
        sum = m(sum, flow.fold(flow.take(stage(s), t, k * warp_size + lane)));
      }
      sum = warp_fold(sum, m);
    } else if constexpr (folds_by_rows) {
      constexpr int rows = layout::folds_at_once;
#pragma unroll 1
      for (int k = 0; k < layout::group_warps; k += rows) {
        state x[rows];
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          x[r] = k + r < layout::group_warps
                     ? flow.fold(flow.take(stage(s), t, (k + r) * warp_size + lane))
                     : state(m.identity());
        }
        sum = m(sum, warp_fold_rows(x, m));
      }
    } else {
#pragma unroll layout::folds_at_once
      for (int k = 0; k < layout::group_warps; ++k) {
        sum = m(sum, warp_fold(flow.fold(flow.take(stage(s), t, k * warp_size + lane)), m));
      }
    }
    return sum;
  }

  /// The loop of a look-ahead warp; there is one for each piece.
  __device__ void look_ahead(int piece = 0) const {
    using monoid = typename pieces::monoid;
    using part = carrier_t<monoid>;
    tiles_ahead<part, monoid> ahead{tiles + index_t{piece} * count, 0, pieces::of(flow.m),
                                    pieces::cut(state(flow.seed()), piece)};
    for (ring_place here{0};; here.template advance<layout::stages>()) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      ahead.tag = tag();
      part const x = ahead(t);
      if (threadIdx.x % warp_size == 0) {
        pieces::put(shared.ahead[here.stage], piece, x);
        shared.known[here.stage].arrive();
      }
      __syncwarp();
    }
  }

  /// The exclusive prefix of a worker thread's part, whose total is `of_thread`.  Scans the totals
  /// of the group's threads by warps, then those of its warps, which are stored in shared memory
  /// from index `first` on, and waits for the tile's prefix.
  __device__ state ahead_of_thread(ring_place here, int group, int place, int first,
                                   state const& of_thread) const {
    auto const& m = flow.m;
    int const lane = place % warp_size;
    int const warp = place / warp_size;
    state const through = warp_scan(of_thread, m);
    if (lane == warp_size - 1) shared.warp_total[first + warp] = through;
    state const left = shuffle_up(through, 1);
    sync_group(group, Flow::threads);
    state of_warps = m.identity();
#pragma unroll
    for (int w = 0; w < layout::group_warps; ++w) {
      if (w < warp) of_warps = m(of_warps, state(shared.warp_total[first + w]));
    }
    shared.known[here.stage].wait(here.parity);
    state const ahead =
        m(flow.from_published(stage(here.stage), state(shared.ahead[here.stage])), of_warps);
    return lane > 0 ? m(ahead, left) : ahead;
  }
};

}  // namespace ravel::inline v0::gpu::detail
