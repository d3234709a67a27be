#pragma once

/// Segmented reduce on a device of elements that any load computes, each loaded once.
///
/// The merged sequence of elements and segment ends is cut into runs of equal length, so that
/// neither a long segment nor many empty ones unbalance the load; a short segment belongs whole to
/// the run where it ends. A warp processes its run in chunks: its lanes issue the loads of a chunk
/// together, and store the elements in shared memory; then each lane reduces a segment, or all
/// lanes reduce a long one.  A warp waits for earlier runs only if its first segment began in them;
/// these publish their partial results.
///
/// The grouping of operands depends on the segments and on the number of resident warps.
///
/// Source   Merrill and Garland, "Merge-Based Parallel Sparse Matrix-Vector Multiplication", SC
///          2016, for the runs; Greathouse and Daga, "Efficient Sparse Matrix-Vector Multiplication
///          on GPUs Using the CSR Storage Format", SC 2014, for reducing segments in shared memory.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/memory.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/overlapped_loads.cuh>
#include <ravel/primitives/cuda/reduce_policy.hpp>
#include <ravel/primitives/cuda/reduce_types.hpp>
#include <ravel/primitives/cuda/rows_by_warps.cuh>
#include <ravel/primitives/cuda/run_cuts.cuh>
#include <ravel/primitives/cuda/short_segments.cuh>
#include <ravel/primitives/cuda/two_step_load.cuh>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/segmented_reduce/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// Returns carry * values[begin] * ... * values[end - 1], reduced by a warp.  Each lane has
/// adjacent values.
template <class T, class M>
__device__ T combine_by_warp(T const* values, int begin, int end, M m, T carry) {
  int const lane = threadIdx.x % warp_size;
  int const share = ((end - begin) / warp_size + 1) | 1;  // odd, to avoid bank conflicts
  int const first = begin + lane * share;
  int const last = ::min(first + share, end);
  T sum = T(m.identity());
  for (int i = first; i < last; ++i) sum = m(sum, values[i]);
  return m(carry, warp_fold(sum, m));
}

/// The partial results that the 32 * Each runs before `end` have published, from the one where the segment begins
/// that goes on after them, combined by a warp.
template <int Each, class T, class M>
__device__ flagged<T> published_before(tile_states<flagged<T>> const& opens, index_t end, M m) {
  int const lane = threadIdx.x % warp_size;
  segmented<M> const lifted{m};
  index_t const first = end - (warp_size - lane) * Each;
  for (;;) {
    flagged<T> seen[Each];
    bool have[Each];
#pragma unroll
    for (int k = 0; k < Each; ++k) {
      seen[k] = lifted.identity();
      have[k] = first + k < 0 || opens.look(first + k, seen[k]) != published::nothing;
    }
    flagged<T> of_lane = lifted.identity();
    bool ready = true;  // whether all runs have published, from the last begin of a segment on
#pragma unroll
    for (int k = Each - 1; k >= 0; --k) {
      if (of_lane.head) continue;
      ready = ready && have[k];
      if (ready) of_lane = lifted(seen[k], of_lane);
    }
    unsigned const heads = __ballot_sync(whole_warp, of_lane.head);
    int const last_head = heads != 0 ? 31 - __clz(heads) : 0;
    if (__all_sync(whole_warp, ready || lane < last_head)) return warp_fold(of_lane, lifted);
  }
}
/// The part of a run's first segment that lies in earlier runs, computed by a warp.  It mostly begins in the run
/// before; a segment of many runs is looked for in several of them at a time.
template <class T, class M>
__device__ T ahead_of_run(tile_states<flagged<T>> const& opens, index_t run, M m) {
  constexpr int per_lane = sizeof(T) <= 8 ? 8 : 4;
  segmented<M> const lifted{m};
  flagged<T> ahead = published_before<1>(opens, run, m);
  for (index_t end = run - warp_size; !ahead.head; end -= per_lane * warp_size) {
    ahead = lifted(published_before<per_lane>(opens, end, m), ahead);
  }
  return ahead.value;
}

/// The contents of a run: elements [begin, end), and the ends of segments [first, last).
struct run_range {
  index_t first, last, begin, end;
  // whether the first segment began in an earlier run, and whether the last continues
  bool begun, cut;
};
template <class Segments>
RAVEL_HD run_range find_range(Segments const& segments, index_t n, run_cuts const& cuts,
                              index_t run) {
  // Clamps that change nothing unless offsets descend.
  auto const bounded = [](index_t x, index_t low, index_t high) {
    return x < low ? low : x < high ? x : high;
  };
  index_t const first = bounded(cuts.starts[run], 0, segments.count());
  index_t const last = bounded(cuts.starts[run + 1], 0, segments.count());
  index_t const total = n + segments.count(), next = (run + 1) * cuts.length;
  index_t const begin = run * cuts.length - first, end = (next < total ? next : total) - last;
  index_t const of_first = segments.begin(first), of_last = segments.begin(last);
  bool const begun = begin - of_first > cuts.chunk, cut = end - of_last > cuts.chunk;
  index_t const start = bounded(begun ? begin : of_first, 0, n);
  return {first, last, start, bounded(cut ? end : of_last, start, n), begun, cut};
}

/// The end of the segment that belongs to the lane, among the 32 from `segment` on.
template <class Segments>
__device__ std::uint32_t end_of_lane(Segments const& segments, index_t segment) {
  index_t const s = ::min(segment + threadIdx.x % warp_size, segments.count() - 1);
  return static_cast<std::uint32_t>(segments.begin(s + 1));
}

template <class Load, class Segments, class M, class Seed, class Visit>
struct reduce_runs {
  using T = carrier_t<M>;
  using policy = reduce_policy<sizeof(T)>;
  static constexpr int threads = policy::warps * warp_size;
  static constexpr int blocks =
      may_refuse<ravel::detail::on_tile_t<Load>> ? policy::checked_blocks : policy::blocks;
  static constexpr int items = policy::items;
  static constexpr int chunk = items * warp_size;
  static constexpr int windows = policy::windows;
  static constexpr int beyond = 1 << 30;  // the end of segments that end after the run

  Load load_all;
  Segments segments;
  M m;
  Seed seed;
  Visit visit;
  index_t n;  // number of elements
  run_cuts cuts;
  tile_states<flagged<T>> opens;  // published partial results of segments that continue after a run

  using shared = shared_array<T, chunk>;

  /// A warp's progress in its run.
  struct progress {
    index_t first;       // first segment
    int ending;          // number of segments that end in the run
    int segment;         // first segment of the window, relative to `first`
    int done;            // segments of the window that have ended
    int begin;           // begin of the segment that ends next, relative to `base`
    T open;              // partial result of the segment that ends next
    T head;              // in lane 0: partial result of the first segment, if it began before
    bool begun;          // whether it began before
    std::uint32_t base;  // the element that positions are relative to
    std::uint32_t ends[windows];  // segment ends of this window, and of the next ones
  };

  /// Reduces the parts of a window's 32 segments that lie in the chunk [start, stop).  Returns
  /// whether all of them have ended, so that the next window may follow.
  __device__ bool add_up_window(progress& at, T const* values, int start, int stop) const {
    int const lane = threadIdx.x % warp_size;
    bool const exists = at.segment + lane < at.ending;
    int const ends = exists ? static_cast<int>(at.ends[0] - at.base) : beyond;
    int const begins = __shfl_up_sync(whole_warp, ends, 1);
    int const ended = __popc(__ballot_sync(whole_warp, ends <= stop));
    int const begin = ::max(lane > 0 ? begins : at.begin, start) - start;
    int const end = ::min(ends, stop) - start;
    T sum = lane == at.done ? at.open : T(m.identity());
    bool const is_long = end - begin > policy::long_segment;
    if (!is_long) {
      auto const value = [=](int i) { return values[i]; };
      sum = combine_several<policy::at_once>(sum, value, begin, end, m);
    }
    for (unsigned todo = __ballot_sync(whole_warp, is_long); todo != 0; todo &= todo - 1) {
      int const owner = __ffs(static_cast<int>(todo)) - 1;
      T const whole =
          combine_by_warp(values, __shfl_sync(whole_warp, begin, owner),
                          __shfl_sync(whole_warp, end, owner), m, shuffle_from(sum, owner));
      if (lane == owner) sum = whole;
    }
    if (at.done <= lane && lane < ended) {
      if (at.begun && at.segment + lane == 0) {
        at.head = sum;
      } else {
        visit(at.first + at.segment + lane, m(T(seed()), sum));
      }
    }
    if (ended < warp_size) {
      at.open = shuffle_from(sum, ended);
      at.done = ended;
      return false;
    }
    at.open = T(m.identity());
    at.done = 0;
    at.begin = __shfl_sync(whole_warp, ends, warp_size - 1);
    at.segment += warp_size;
#pragma unroll
    for (int k = 0; k + 1 < windows; ++k) at.ends[k] = at.ends[k + 1];
    at.ends[windows - 1] = end_of_lane(segments, at.first + at.segment + (windows - 1) * warp_size);
    return true;
  }

  /// Loads the elements [first, stop) of a chunk, with one bounds test for all of them.
  template <class L, class Place>
  __device__ static void load_untested(L const& load, index_t first, index_t stop, T* values,
                                       Place place) {
    int const lane = threadIdx.x % warp_size;
    if (load.inside(first, stop)) {
      T x[items];
#pragma unroll
      for (int k = 0; k < items; ++k) x[k] = static_cast<T>(load.unchecked(place(k)));
#pragma unroll
      for (int k = 0; k < items; ++k) values[k * warp_size + lane] = x[k];
    } else {
#pragma unroll 1
      for (int k = 0; k < items; ++k) {
        values[k * warp_size + lane] = static_cast<T>(load(place(k)));
      }
    }
  }

  /// One warp processes one run.
  __device__ void work(index_t run, T* values, dispenser& tickets) const {
    int const lane = threadIdx.x % warp_size;
    // only its epoch is used, at the end
    word64 const drawn = lane == 0 ? request_ticket(tickets) : 0;
    auto const [first, last, begin, end, begun, cut] = find_range(segments, n, cuts, run);

    auto const load = ravel::detail::on_tile(load_all, tile{run, begin, end});
    index_t const base = begin / warp_size * warp_size;
    int const start = static_cast<int>(begin - base), size = static_cast<int>(end - base);
    progress at{
        first, static_cast<int>(last - first),   0, 0, start, T(m.identity()), T(m.identity()),
        begun, static_cast<std::uint32_t>(base), {}};
#pragma unroll
    for (int k = 0; k < windows; ++k) at.ends[k] = end_of_lane(segments, first + k * warp_size);

    constexpr std::true_type inside_run{};
    constexpr std::false_type at_edge{};
    decltype(index_of(load, index_t{})) indices[items] = {};
    T x[items];
    // Lanes outside of the run load another element of it instead, because a branch would serialise
    // the loads.
    auto const place = [&]<bool Inside>(std::bool_constant<Inside>, int pos, int k) {
      int const i = pos + k * warp_size + lane;
      return base + (Inside ? i : ::max(start, ::min(i, size - 1)));
    };
    auto const load_indices = [&](auto inside, int pos) {
#pragma unroll
      for (int k = 0; k < items; ++k) indices[k] = index_of(load, place(inside, pos, k));
    };
    auto const load_chunk = [&](auto inside, int pos) {
      bool can_load = true, valid = true;
      if constexpr (may_refuse<decltype(load)>) {
        can_load = load.can_load();
        valid = can_load;
#pragma unroll
        for (int k = 0; k < items; ++k) valid &= load.valid(place(inside, pos, k), indices[k]);
      }
      auto const load_next_indices = [&] {
        if (decltype(inside)::value || pos + chunk < size) load_indices(inside, pos + chunk);
      };
      if (can_load) {  // no branch in between, so that all loads are in flight together
#pragma unroll
        for (int k = 0; k < items; ++k) {
          x[k] = value_of_index<T>(load, place(inside, pos, k), indices[k]);
        }
        load_next_indices();
#pragma unroll
        for (int k = 0; k < items; ++k) values[k * warp_size + lane] = x[k];
      }
      if (!valid) {
#pragma unroll 1
        for (int k = 0; k < items; ++k) {
          values[k * warp_size + lane] = static_cast<T>(load(place(inside, pos, k)));
        }
        load_next_indices();  // loaded again, so that the indices occupy no registers meanwhile
      }
    };
    constexpr bool untested = may_be_inside<decltype(load)>;
    if constexpr (!untested) {
      if (start < size) load_indices(at_edge, 0);
    }
    int pos = 0;
    do {
      bool const is_inside = pos >= start && pos + 2 * chunk <= size;
      if constexpr (untested) {
        index_t const first = base + ::max(start, pos), stop = base + ::min(size, pos + chunk);
        if (is_inside) {
          load_untested(load, first, stop, values,
                        [&](int k) { return place(inside_run, pos, k); });
        } else if (start < size) {
          load_untested(load, first, stop, values, [&](int k) { return place(at_edge, pos, k); });
        }
      } else if (is_inside) {
        load_chunk(inside_run, pos);
      } else if (start < size) {
        load_chunk(at_edge, pos);
      }
      __syncwarp();
      int const stop = ::min(size, pos + chunk);
      while (add_up_window(at, values, pos, stop)) {
      }
      __syncwarp();
      pos += chunk;
    } while (pos < size);

    unsigned const epoch =
        __shfl_sync(whole_warp, lane == 0 ? settle(tickets, drawn, cuts.runs).epoch : 0, 0);
    auto open_states = opens;
    open_states.epoch = epoch;
    // whether the segment that goes on after this run begins in it
    bool const begins = at.ending > 0 || !begun;
    if (cut && lane == 0) {
      T const open = begins ? m(T(seed()), at.open) : at.open;
      open_states.publish(run, published::part, flagged<T>{open, begins});
    }
    if (begun && at.ending > 0) {
      T const ahead = ahead_of_run<T>(open_states, run, m);
      if (lane == 0) visit(first, m(ahead, at.head));
    }
    if (lane == 0 && epoch == dispenser::last_epoch &&
        atomicAdd(&tickets.finished, 1u) == static_cast<unsigned>(cuts.runs) - 1) {
      for (index_t s = 0; s < memory::state_slots; ++s) opens.words[s] = {};
      tickets.finished = 0;
    }
  }
};

template <class Runs>
__global__ void __launch_bounds__(Runs::threads, Runs::blocks)
    reduce_runs_kernel(__grid_constant__ Runs const runs, dispenser* tickets) {
  __shared__ typename Runs::shared values[Runs::policy::warps];
  index_t const run = block_in_order() * index_t{Runs::policy::warps} + threadIdx.x / warp_size;
  if (run < runs.cuts.runs) runs.work(run, &values[threadIdx.x / warp_size][0], *tickets);
}

template <class Runs, class Load, class Segments, class M, class Seed, class Visit>
void launch_runs(executor const& ex, index_t n, Load load, Segments segments, M m, Seed seed,
                 Visit visit, run_cuts const& cuts) {
  using states = tile_states<flagged<typename Runs::T>>;
  index_t const count = cuts.runs;
  auto const words = ex.template states<flagged<typename Runs::T>>(count);
  auto const apart = ex.template scratch<flagged<typename Runs::T>>(states::apart ? 2 * count : 0);
  ex.launch({div_up(count, index_t{Runs::policy::warps}), Runs::threads}, reduce_runs_kernel<Runs>,
            Runs{load, segments, m, seed, visit, n, cuts, states{words.words(), apart.data(), 0}},
            words.tickets());
}

template <class Runs>
void leave_room(executor const& ex) {
  constexpr std::size_t in_block = sizeof(typename Runs::shared) * Runs::policy::warps + 1024;
  ex.template set_shared_carveout<reduce_runs_kernel<Runs>>(in_block * Runs::blocks);
}

/// The type of the runs for a call.
template <class Call>
using runs_of_call =
    reduce_runs<std::remove_const_t<decltype(Call::load)>,
                std::remove_cvref_t<decltype(without_cuts(std::declval<Call const&>().segments))>,
                std::remove_const_t<decltype(Call::m)>, std::remove_const_t<decltype(Call::seed)>,
                std::remove_const_t<decltype(Call::visit)>>;

}  // namespace detail

template <class Call>
void launch_form(reduce_segments_in_runs, executor const& ex, Call const& c) {
  using runs = detail::runs_of_call<Call>;
  using policy = typename runs::policy;
  auto const segments = detail::without_cuts(c.segments);
  detail::leave_room<runs>(ex);
  index_t const warps =
      ex.room_for(detail::reduce_runs_kernel<runs>, runs::threads) * policy::warps;
  detail::run_cuts cuts = detail::cuts_for(c.n + segments.count(), runs::chunk, warps,
                                           policy::runs_each, policy::most_chunks);
  auto const starts = ex.template scratch<index_t>(cuts.runs + 1);
  detail::find_starts(ex, segments, cuts, starts.data());
  cuts.starts = starts.data();
  detail::launch_runs<runs>(ex, c.n, c.load, segments, c.m, c.seed, c.visit, cuts);
}

}  // namespace ravel::inline v0::gpu
