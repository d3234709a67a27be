#pragma once

/// @file
/// A stream of tiles of which some is kept: as core/cuda/tile_stream.cuh, with a second
/// chain, of how much is kept ahead of each tile (sm_90 and later).
///
/// What a tile keeps depends on what stands ahead of it, so what is kept ahead of it is
/// known only after another round of questions.  Two roles more see to that, so that
/// nobody who can publish waits for it:
///
///     workers      scan a tile, lay what is kept side by side in the stage, and publish
///                  how much that is
///     counters     a warp each: what is kept ahead of a tile, from what all blocks publish
///     storers      a warp each: write what is kept where it belongs, and free the stage
///
/// Source   as of tile_stream.cuh.

#include <ravel/core/cuda/tile_ring.cuh>
#include <ravel/core/cuda/tile_stream.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cuda {

/// How such a flow is laid out in a thread block.
template <class Flow>
struct pack_stream_layout {
  using state = carrier_t<typename Flow::monoid>;

  static constexpr int group_warps = Flow::threads / warp_size;
  static constexpr int workers = Flow::groups * Flow::threads;
  static constexpr int reducers = 4;
  static constexpr int counters = 2;
  static constexpr int storers = 2;
  static constexpr int threads = workers + (reducers + 2 + counters + storers) * warp_size;

  static constexpr std::size_t stage_bytes = (Flow::stage_bytes + 127) / 128 * 128;
  static constexpr int stages =
      static_cast<int>(std::min(detail::ring_bytes / stage_bytes, std::size_t{11}));
  static constexpr int ends = std::max({reducers, Flow::groups, counters, storers});
  static constexpr std::size_t loading_bytes = 72 << 10;
  static constexpr int loading = std::min(
      stages - reducers, static_cast<int>((loading_bytes + stage_bytes - 1) / stage_bytes));
  static_assert(stages >= reducers + loading && loading >= 1);

  struct control {
    barrier landed[stages];    // the copy into the stage is complete
    barrier known[stages];     // what is ahead of the tile is known, and its total published
    barrier told[stages];      // how much the tile keeps is published
    barrier finished[stages];  // the workers have laid side by side what they keep
    barrier counted[stages];   // how much is kept ahead is known
    barrier free[stages];
    unsigned tile[stages];
    int kept[stages];
    index_t place[stages];
    unsigned epoch;
    int group_kept[Flow::groups * 2 * group_warps];
    shared_array<state, stages> ahead;
    shared_array<state, Flow::groups * 2 * group_warps> warp_total;
  };
  static constexpr std::size_t bytes = stages * stage_bytes + sizeof(control);
  static_assert(bytes <= 227 << 10, "the stages of a flow do not fit in shared memory");
};

namespace detail {

/// What the tiles ahead of one combine to: those of the groups of 32 before its own, which
/// the warp remembers, and those of its group.  Sum is the monoid of what is remembered,
/// and State what is published.
template <class State, class Sum>
struct tiles_ahead {
  using message = detail::message<State>;
  using word = typename message::word;
  word const* words;
  unsigned tag;
  Sum m;
  carrier_t<Sum> whole;  // through `group` groups
  unsigned group = 0;

  /// By a warp, for tiles t that grow from call to call.
  __device__ carrier_t<Sum> operator()(unsigned t) {
    using T = carrier_t<Sum>;
    constexpr int at_once = 6;  // groups, of which the last may be that of the tile
    for (;; group += at_once) {
      unsigned const first = group * warp_size + threadIdx.x % warp_size;
      word got[at_once];
      unsigned missing = 0;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (unsigned const at = first + k * warp_size; at < t) {
          got[k] = load_relaxed(words + at);
          missing |= 1u << k;
        }
      }
      for (;;) {
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          if ((missing >> k & 1) && message::tag(got[k]) == tag) missing &= ~(1u << k);
        }
        if (__all_sync(whole_warp, missing == 0)) break;
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          if (missing >> k & 1) got[k] = load_relaxed(words + first + k * warp_size);
        }
      }
      T of_group[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        bool const is = first + k * warp_size < t;
        of_group[k] = warp_fold(is ? T(message::value(got[k])) : T(m.identity()), m);
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (group + k == t / warp_size) {
          group += k;
          return m(whole, of_group[k]);
        }
        whole = m(whole, of_group[k]);
      }
    }
  }
};

/// A count as it is published: in words as wide as those of the values.
template <class State>
using published_count_of = std::conditional_t<(sizeof(State) <= 4), std::int32_t, std::int64_t>;

template <class Flow>
struct pack_stream {
  using layout = pack_stream_layout<Flow>;
  using control = typename layout::control;
  using state = typename layout::state;
  using message = detail::message<state>;
  using word = typename message::word;
  using count_type = published_count_of<state>;
  using count_message = detail::message<count_type>;
  static_assert(std::is_same_v<typename count_message::word, word>);
  static constexpr unsigned no_tile = ~0u;

  Flow const& flow;
  unsigned count;  // of tiles
  dispenser* tickets;
  word* tiles;   // what each tile combines to
  word* counts;  // how much each tile keeps
  char* stages;
  control& shared;

  __device__ char* stage(int s) const { return stages + s * layout::stage_bytes; }
  __device__ unsigned tag() const { return shared.epoch << 2 | 1; }

  /// One thread.  The ticket of the next tile is drawn while this one's copy begins.
  __device__ void produce(word64 drawn) const {
    index_t const draws = index_t{count} + gridDim.x;  // each block draws one past the end
    ring_place here{0, 1};
    ring_place landing{0, 0};
    int left = layout::ends;
    ticket now{};
    for (index_t k = 0; left > 0; ++k) {
      if (k >= layout::stages) shared.free[here.stage].wait(here.parity);
      barrier& landed = shared.landed[here.stage];
      if (left == layout::ends) now = settle(*tickets, drawn, draws);
      if (k == 0) shared.epoch = now.epoch;
      if (now.tile >= count) {
        shared.tile[here.stage] = no_tile;
        landed.arrive();
        --left;
      } else {
        if (k >= layout::loading) {
          shared.landed[landing.stage].wait(landing.parity);
          landing.template advance<layout::stages>();
        }
        shared.tile[here.stage] = static_cast<unsigned>(now.tile);
        flow.load(stage(here.stage), now.tile, landed);
        drawn = cuda::ask(*tickets);
      }
      here.template advance<layout::stages>();
    }
  }

  /// One of the reducers, a warp.
  __device__ void reduce(int reducer) const {
    int const lane = threadIdx.x % warp_size;
    for (ring_place here{reducer};; here.template advance<layout::stages>(layout::reducers)) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      if (t + 1 < count) {  // nobody asks for the last
        state const total = fold_tile(here.stage, t);
        if (lane == 0) store_relaxed(tiles + t, message::pack(tag(), total));
      }
      __syncwarp();
      if (lane == 0) shared.known[here.stage].arrive();
    }
  }

  __device__ state fold_tile(int s, unsigned t) const {
    int const lane = threadIdx.x % warp_size;
    auto const& m = flow.m;
    state sum = m.identity();
#pragma unroll 2
    for (int k = 0; k < layout::group_warps; ++k) {
      state const x = flow.fold(flow.take(stage(s), t, k * warp_size + lane));
      if constexpr (commutes<typename Flow::monoid>) {
        sum = m(sum, x);
      } else {
        sum = m(sum, warp_fold(x, m));
      }
    }
    if constexpr (commutes<typename Flow::monoid>) sum = warp_fold(sum, m);
    return sum;
  }

  /// A warp.
  __device__ void look_ahead() const {
    tiles_ahead<state, typename Flow::monoid> ahead{tiles, 0, flow.m, state(flow.seed())};
    for (ring_place here{0};; here.template advance<layout::stages>()) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      ahead.tag = tag();
      state const x = ahead(t);
      if (threadIdx.x % warp_size == 0) {
        shared.ahead[here.stage] = x;
        shared.known[here.stage].arrive();
      }
      __syncwarp();
    }
    clear_after_last_epoch();
  }

  /// One of the counters, a warp.  It asks when its own tile has published, for by then
  /// those ahead have too, most likely.
  __device__ void count_ahead(int counter) const {
    tiles_ahead<count_type, plus<index_t>> ahead{counts, 0, {}, 0};
    for (ring_place here{counter};; here.template advance<layout::stages>(layout::counters)) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      shared.told[here.stage].wait(here.parity);
      ahead.tag = tag();
      index_t const place = ahead(t);
      if (threadIdx.x % warp_size == 0) {
        shared.place[here.stage] = place;
        shared.counted[here.stage].arrive();
      }
      __syncwarp();
    }
    clear_after_last_epoch();
  }

  /// After the last epoch tags would repeat: the last warp to ask clears all words.  Each
  /// that was written has been read by then, and so is not in flight.
  __device__ void clear_after_last_epoch() const {
    if (shared.epoch != dispenser::last_epoch || threadIdx.x % warp_size != 0) return;
    if (atomicAdd(&tickets->finished, 1u) == gridDim.x * (1 + layout::counters) - 1) {
      for (index_t s = 0; s < memory::state_slots; ++s) tiles[s] = {};
      tickets->finished = 0;
    }
  }

  /// A thread of a group of workers.
  __device__ void work(int group, int place) const {
    auto const& m = flow.m;
    int const lane = place % warp_size;
    int const warp = place / warp_size;
    bool odd = false;
    for (ring_place here{group};; here.template advance<layout::stages>(Flow::groups), odd = !odd) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      auto part = flow.take(stage(here.stage), t, place);

      // What stands ahead of the thread: scan the totals of threads, then of warps.
      state const through = warp_scan(flow.fold(part), m);
      int const first = (2 * group + odd) * layout::group_warps;
      if (lane == warp_size - 1) shared.warp_total[first + warp] = through;
      state const left = shuffle_up(through, 1);
      sync_group(group, Flow::threads);
      state of_warps = m.identity();
#pragma unroll
      for (int w = 0; w < layout::group_warps; ++w) {
        if (w < warp) of_warps = m(of_warps, state(shared.warp_total[first + w]));
      }
      shared.known[here.stage].wait(here.parity);
      state ahead = m(state(shared.ahead[here.stage]), of_warps);
      if (lane > 0) ahead = m(ahead, left);

      // How much is kept ahead of it in the tile: the same again.
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
        shared.told[here.stage].arrive();
      }
      flow.put(stage(here.stage), part, ahead, of_warps_kept + kept - few);
      fence_copies();  // ahead of the copy that will take the stage
      __syncwarp();
      if (lane == 0) shared.finished[here.stage].arrive();
    }
  }

  /// One of the storers, a warp.
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

  __device__ void run() const {
    int const warp = threadIdx.x / warp_size;
    int const lane = threadIdx.x % warp_size;
    constexpr int reducer = layout::workers / warp_size;
    constexpr int producer = reducer + layout::reducers;
    constexpr int counter = producer + 2;
    constexpr int storer = counter + layout::counters;
    word64 first = 0;
    if (warp == producer && lane == 0) {
      first = cuda::ask(*tickets);  // on its way while the barriers begin
    }
    if (threadIdx.x == 0) {
      for (int s = 0; s < layout::stages; ++s) {
        shared.landed[s].begin(1);
        shared.known[s].begin(2);  // look-ahead and reducer, who still reads the stage
        shared.told[s].begin(1);
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
      reduce(warp - reducer);
    } else if (warp == producer) {
      if (lane == 0) produce(first);
    } else if (warp == producer + 1) {
      look_ahead();
    } else if (warp < storer) {
      count_ahead(warp - counter);
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
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using layout = pack_stream_layout<Flow>;
  char* const stages = shared_bytes();
  auto& shared =
      *reinterpret_cast<typename layout::control*>(stages + layout::stages * layout::stage_bytes);
  pack_stream<Flow>{flow, count, tickets, tiles, counts, stages, shared}.run();
#endif
}

}  // namespace detail

/// Whether this device runs streams of this flow.
template <class Flow>
bool can_stream_pack(executor const& ex) {
  return detail::may_run<detail::pack_stream_kernel<Flow>>(ex.device(),
                                                           pack_stream_layout<Flow>::bytes);
}

/// Streams `n` elements, of which a tile is Flow::items, through a flow that keeps some:
/// monoid, m, seed, threads, groups, items, stage_bytes, load, take and fold as of
/// stream_tiles, and
///
///     keep(part, ahead)            how many thread k keeps of its part, which is told which
///     put(stage, part, ahead, i)   writes them into the stage, as the i-th and following of
///                                  what the tile keeps; all threads have taken theirs
///     store(stage, place, kept)    writes what the tile keeps out of the stage; by a warp
///     total(kept)                  is told how much is kept of all
///
/// The flow must be one that can_stream_pack.
template <class Flow>
void stream_pack_tiles(executor const& ex, index_t n, Flow const& flow) {
  using kernel = detail::pack_stream<Flow>;
  using layout = typename kernel::message::layout;
  index_t const count = div_up(n, index_t{Flow::items});
  expects(count <= 0x7fffffff, "cuda: ", n, " elements are more tiles than can be counted");
  auto const states = ex.states<layout>(2 * count);
  ex.launch({std::min(count, index_t{detail::multiprocessors(ex)}),
             pack_stream_layout<Flow>::threads, false, pack_stream_layout<Flow>::bytes},
            detail::pack_stream_kernel<Flow>, flow, static_cast<unsigned>(count), states.tickets(),
            states.words(), states.words() + count);
}

}  // namespace ravel::inline v0::cuda
