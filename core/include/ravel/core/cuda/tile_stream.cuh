#pragma once

/// @file
/// A stream of tiles through persistent thread blocks: the kernel of every
/// primitive that reads memory once, at the speed of a copy (sm_90 and later).
///
/// One thread block runs on each multiprocessor, and its warps have roles.  They
/// meet at the barriers of a ring of stages, each of which holds a tile in shared
/// memory:
///
///     producer     draws the next tile and begins the copy into a free stage
///     markers      a warp each, of flows that have any: put into the stage what no copy
///                  can, such as flags at the offsets of segments
///     reducers     a warp each: publish what a tile combines to, as soon as it landed
///     look-ahead   a warp: what stands ahead of the block's next tile, from what all
///                  blocks have published
///     workers      groups of threads: scan a tile, put results into the stage
///     storer       copies the stage out, and frees it
///
/// Nobody who can publish waits for anybody, so totals are there long before they
/// are wanted, and copies in both directions never rest.
///
/// Which operands are combined with which is fixed by the tiles alone: 32 tiles
/// are a group, a group's total is a tree over its tiles, and the groups are
/// folded from the left.  So floating-point results repeat bit for bit, whatever
/// the number of multiprocessors and the order in which blocks meet.
///
/// Source   Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
///          Look-back", NVR-2016-002; for combining what others published ahead
///          of time, Maleki, Yang and Burtscher, "Higher-Order and Tuple-Based
///          Massively-Parallel Prefix Sums", PLDI 2016.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_ring.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>
#include <cstring>

namespace ravel::inline v0::cuda {
namespace detail {

/// A tile's total as one word, with its epoch: 8 bytes for a value of up to 4,
/// 16 for one of up to 12.
template <class T>
struct message {
  static_assert(sizeof(T) <= 12, "what a tile publishes must fit in a word with its tag");
  using word = std::conditional_t<(sizeof(T) <= 4), word64, word128>;
  using layout = std::conditional_t<(sizeof(T) <= 4), std::uint32_t, std::uint64_t>;

  static __device__ word pack(unsigned tag, T const& x) {
    if constexpr (sizeof(T) <= 4) {
      unsigned bits = 0;
      std::memcpy(&bits, &x, sizeof(T));
      return word64{tag} << 32 | bits;
    } else {
      unsigned bits[4] = {0, 0, 0, tag};
      std::memcpy(bits, &x, sizeof(T));
      return {word64{bits[1]} << 32 | bits[0], word64{bits[3]} << 32 | bits[2]};
    }
  }
  static __device__ unsigned tag(word w) {
    if constexpr (sizeof(T) <= 4) {
      return static_cast<unsigned>(w >> 32);
    } else {
      return static_cast<unsigned>(w.high >> 32);
    }
  }
  static __device__ T value(word w) {
    T x;
    std::memcpy(static_cast<void*>(&x), &w, sizeof(T));
    return x;
  }
};

/// The head flag rides in the tag.
template <class T>
struct message<flagged<T>> {
  using plain = message<T>;
  using word = typename plain::word;
  using layout = typename plain::layout;
  static constexpr unsigned head = 2;

  static __device__ word pack(unsigned tag, flagged<T> const& x) {
    return plain::pack(x.head ? tag | head : tag, x.value);
  }
  static __device__ unsigned tag(word w) { return plain::tag(w) & ~head; }
  static __device__ flagged<T> value(word w) {
    return {plain::value(w), (plain::tag(w) & head) != 0};
  }
};

template <class M>
inline constexpr bool is_segmented = false;
template <class M>
inline constexpr bool is_segmented<segmented<M>> = true;

}  // namespace detail

/// How a flow is laid out in a thread block.
template <class Flow>
struct stream_layout {
  using state = carrier_t<typename Flow::monoid>;

  static constexpr int group_warps = Flow::threads / warp_size;
  static constexpr int workers = Flow::groups * Flow::threads;
  static constexpr int reducers = Flow::stage_bytes > (32 << 10) ? 2 : 4;
  static constexpr int markers = Flow::markers;
  static constexpr int threads = workers + (reducers + markers + 3) * warp_size;

  static constexpr std::size_t stage_bytes = (Flow::stage_bytes + 127) / 128 * 128;
  static constexpr int stages =
      static_cast<int>(std::min(detail::ring_bytes / stage_bytes, std::size_t{11}));

  /// Stages that say that there are no more tiles: whoever skips stages meets one.
  static constexpr int ends = std::max({reducers, markers, Flow::groups});

  /// So many tiles ahead of their load markers know them: what they ask memory for takes
  /// longer than the copies.
  static constexpr int drawn_ahead = markers > 0 ? 3 : 0;

  /// Tiles whose copies are under way: what keeps memory busy, and no more, for it also
  /// keeps everything else in memory waiting.
  ///
  /// Copies land in any order, so a reducer, which skips the tiles of the others,
  /// may find the tile ahead of its own not landed.  The barrier it waits at must
  /// not be two phases behind, for those have the same parity.  Nor must a marker's,
  /// which is told of tiles that are not loaded yet, and at last of `ends` ends.
  static constexpr std::size_t loading_bytes = 72 << 10;
  static constexpr int loading =
      std::min(stages - std::max({reducers, drawn_ahead + 1, ends}),
               static_cast<int>((loading_bytes + stage_bytes - 1) / stage_bytes));
  static_assert(loading >= 1);
  static_assert(stages >= markers, "markers begin at a stage each");
  static_assert(stages > Flow::groups + 1, "a stage more than are worked on and stored");

  struct control {
    barrier drawn[stages];     // which tile the stage is for is known, to its marker
    barrier landed[stages];    // the copy into the stage is complete, and the marks made
    barrier known[stages];     // what is ahead of the tile is known, and its total published
    barrier finished[stages];  // the workers have put their results
    barrier free[stages];
    unsigned next[stages];  // the tile that the stage is for, or soon will be
    unsigned tile[stages];
    unsigned epoch;
    shared_array<state, stages> ahead;
    shared_array<state, Flow::groups * 2 * group_warps> warp_total;
  };
  static constexpr std::size_t bytes = stages * stage_bytes + sizeof(control);
  static_assert(bytes <= 227 << 10, "the stages of a flow do not fit in shared memory");
};

namespace detail {

template <class Flow>
struct stream {
  using layout = stream_layout<Flow>;
  using control = typename layout::control;
  using state = typename layout::state;
  using message = detail::message<state>;
  using word = typename message::word;
  static constexpr unsigned no_tile = ~0u;

  Flow const& flow;
  unsigned count;  // of tiles
  dispenser* tickets;
  word* tiles;  // what each tile combines to
  char* stages;
  control& shared;

  __device__ char* stage(int s) const { return stages + s * layout::stage_bytes; }

  /// One thread.  Tickets are drawn, and told to markers, some tiles ahead of their load.
  __device__ void produce(word64 drawn) const {
    index_t const draws = index_t{count} + gridDim.x;  // each block draws one past the end
    int ends = 0;                                      // that were told
    ring_place next{0};
    auto const draw_next = [&] {
      if (ends == layout::ends) return;
      unsigned t = no_tile;
      if (ends == 0) {
        ticket const now = settle(*tickets, drawn, draws);
        shared.epoch = now.epoch;
        if (now.tile < count) {
          t = static_cast<unsigned>(now.tile);
          drawn = cuda::ask(*tickets);
        }
      }
      ends += t == no_tile;
      shared.next[next.stage] = t;
      if constexpr (layout::markers > 0) shared.drawn[next.stage].arrive();
      next.advance<layout::stages>();
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
        if constexpr (layout::markers > 0) landed.arrive();  // for the marker
        landed.arrive();
        --left;
      } else {
        if (k >= layout::loading) {
          shared.landed[landing.stage].wait(landing.parity);
          landing.advance<layout::stages>();
        }
        flow.load(stage(here.stage), t, landed);
      }
      here.advance<layout::stages>();
    }
  }

  /// One of the markers, a warp.
  __device__ void mark(int marker) const {
    index_t k = marker;
    for (ring_place here{marker};; here.advance<layout::stages>(layout::markers)) {
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

  /// One thread.
  __device__ void store() const {
    for (ring_place here{0};; here.advance<layout::stages>()) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      shared.finished[here.stage].wait(here.parity);
      flow.store(stage(here.stage), t);
      commit_copies();
      wait_until_read();
      shared.free[here.stage].arrive();
    }
    wait_until_written();
  }

  /// One of the reducers, a warp.
  __device__ void reduce(int reducer) const {
    int const lane = threadIdx.x % warp_size;
    for (ring_place here{reducer};; here.advance<layout::stages>(layout::reducers)) {
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
    if constexpr (is_segmented<typename Flow::monoid>) {  // from the last, as far as a head
      for (int k = layout::group_warps - 1; k >= 0 && !sum.head; --k) {
        sum = m(warp_fold(flow.fold(flow.take(stage(s), t, k * warp_size + lane)), m), sum);
      }
    } else {
#pragma unroll 4
      for (int k = 0; k < layout::group_warps; ++k) {
        state const x = flow.fold(flow.take(stage(s), t, k * warp_size + lane));
        if constexpr (commutes<typename Flow::monoid>) {
          sum = m(sum, x);
        } else {
          sum = m(sum, warp_fold(x, m));
        }
      }
      if constexpr (commutes<typename Flow::monoid>) sum = warp_fold(sum, m);
    }
    return sum;
  }

  __device__ unsigned tag() const { return shared.epoch << 2 | 1; }

  /// A warp.  What is ahead of a tile is what the groups before its own combine to,
  /// which the warp remembers, and then the tiles of its group before it.
  __device__ void look_ahead() const {
    state whole = flow.seed();  // through `group` groups
    unsigned group = 0;
    for (ring_place here{0};; here.advance<layout::stages>()) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      state const ahead = combine_ahead(t, whole, group);
      if (threadIdx.x % warp_size == 0) {
        shared.ahead[here.stage] = ahead;
        shared.known[here.stage].arrive();
      }
      __syncwarp();
    }
    if (threadIdx.x % warp_size == 0) clear_after_last_epoch(*tickets, tiles, shared.epoch);
  }

  __device__ state combine_ahead(unsigned t, state& whole, unsigned& group) const {
    constexpr int at_once = 6;  // groups, of which the last may be that of the tile
    auto const& m = flow.m;
    for (;; group += at_once) {
      // All words at once, for an answer takes longer than a tile's share of time, and
      // those that are missing again.
      unsigned const first = group * warp_size + threadIdx.x % warp_size;
      word got[at_once];
      unsigned missing = 0;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (unsigned const at = first + k * warp_size; at < t) {
          got[k] = load_relaxed(tiles + at);
          missing |= 1u << k;
        }
      }
      for (;;) {
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          if ((missing >> k & 1) && message::tag(got[k]) == tag()) missing &= ~(1u << k);
        }
        if (__all_sync(whole_warp, missing == 0)) break;
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          if (missing >> k & 1) got[k] = load_relaxed(tiles + first + k * warp_size);
        }
      }
      state of_group[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        bool const is = first + k * warp_size < t;
        of_group[k] = warp_fold(is ? message::value(got[k]) : state(m.identity()), m);
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

  /// A thread of a group of workers.
  __device__ void work(int group, int place) const {
    auto const& m = flow.m;
    int const lane = place % warp_size;
    int const warp = place / warp_size;
    bool odd = false;
    for (ring_place here{group};; here.advance<layout::stages>(Flow::groups), odd = !odd) {
      shared.landed[here.stage].wait(here.parity);
      unsigned const t = shared.tile[here.stage];
      if (t == no_tile) break;
      auto part = flow.take(stage(here.stage), t, place);

      // Scan the totals of the threads, then those of the warps.
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
      state const ahead_of_tile = shared.ahead[here.stage];
      state ahead = m(ahead_of_tile, of_warps);
      if (lane > 0) ahead = m(ahead, left);
      flow.put(stage(here.stage), t, place, part, ahead, ahead_of_tile);
      fence_copies();
      __syncwarp();
      if (lane == 0) shared.finished[here.stage].arrive();
    }
  }

  __device__ void run() const {
    int const warp = threadIdx.x / warp_size;
    int const lane = threadIdx.x % warp_size;
    constexpr int producer = layout::workers / warp_size + layout::reducers;
    word64 first = 0;
    if (warp == producer && lane == 0) {
      first = cuda::ask(*tickets);  // on its way while the barriers begin
    }
    if (threadIdx.x == 0) {
      for (int s = 0; s < layout::stages; ++s) {
        shared.drawn[s].begin(1);
        shared.landed[s].begin(layout::markers > 0 ? 2 : 1);
        shared.known[s].begin(2);  // look-ahead and reducer, who still reads the stage
        shared.finished[s].begin(layout::group_warps);
        shared.free[s].begin(1);
      }
      fence_barriers();
    }
    __syncthreads();
    if (warp < producer - layout::reducers) {
      work(threadIdx.x / Flow::threads, threadIdx.x % Flow::threads);
    } else if (warp < producer) {
      reduce(warp - (producer - layout::reducers));
    } else if (warp == producer) {
      if (lane == 0) produce(first);
    } else if (warp == producer + 1) {
      if (lane == 0) store();
    } else if (warp == producer + 2) {
      look_ahead();
    } else {
      if constexpr (layout::markers > 0) mark(warp - (producer + 3));
    }
  }
};

template <class Flow>
__global__ void __launch_bounds__(stream_layout<Flow>::threads, 1)
    stream_kernel(__grid_constant__ Flow const flow, unsigned count, dispenser* tickets,
                  typename stream<Flow>::word* tiles) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using layout = stream_layout<Flow>;
  char* const stages = shared_bytes();
  auto& shared =
      *reinterpret_cast<typename layout::control*>(stages + layout::stages * layout::stage_bytes);
  stream<Flow>{flow, count, tickets, tiles, stages, shared}.run();
#endif
}

}  // namespace detail

/// Whether this device runs streams of this flow.
template <class Flow>
bool can_stream(executor const& ex) {
  return detail::may_run<detail::stream_kernel<Flow>>(ex.device(), stream_layout<Flow>::bytes);
}

/// Streams `n` elements, of which a tile is Flow::items, through a flow:
///
///     monoid, m           what the totals of tiles are combined with
///     seed()              what is ahead of the first element
///     threads, groups     of a group of workers, and how many groups
///     items, stage_bytes  of a tile: its elements, and its room in shared memory
///     load(stage, t, b)   begin copies of tile t to the stage that arrive at barrier
///                         b, and arrive there; by one thread
///     markers             how many warps mark stages, or 0
///     mark(stage, t, await)   what a marker puts there, if there are any, after await(),
///                         and what it may ask for before; by a warp
///     take(stage, t, k)   the part of tile t that is thread k's, in registers
///     fold(part)          what it combines to
///     put(stage, t, k, part, ahead, ahead_of_tile)   the results of thread k, who
///                         knows what is ahead of its part, and of the tile; all
///                         threads have taken theirs
///     store(stage, t)     begin copies of results out of the stage; by one thread
///
/// The flow must be one that can_stream.
template <class Flow>
void stream_tiles(executor const& ex, index_t n, Flow const& flow) {
  using kernel = detail::stream<Flow>;
  index_t const count = div_up(n, index_t{Flow::items});
  expects(count <= 0x7fffffff, "cuda: ", n, " elements are more tiles than can be counted");
  auto const states = ex.states<typename kernel::message::layout>(count);
  ex.launch({std::min(count, index_t{detail::multiprocessors(ex)}), stream_layout<Flow>::threads,
             false, stream_layout<Flow>::bytes},
            detail::stream_kernel<Flow>, flow, static_cast<unsigned>(count), states.tickets(),
            states.words());
}

}  // namespace ravel::inline v0::cuda
