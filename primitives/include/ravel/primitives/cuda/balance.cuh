#pragma once

/// @file
/// Balance on a device: a warp goes through a run of elements, chunk by chunk, and notes
/// where segments begin.
///
/// The steps ask of every element which segment it is in, by a search among those of its
/// tile.  Here a warp searches once, for the first of its run.  Then its lanes read offsets
/// side by side, each that of a segment, and leave in shared memory a bit where it begins, and
/// what is the same for all its elements; each element takes that of the nearest bit ahead.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/segments.hpp>
#include <ravel/primitives/balance.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::cuda {
namespace detail {

struct balance_policy {
  static constexpr int warps = 8;                           // of a block
  static constexpr int items = 8;                           // of a chunk, for a lane
  static constexpr int windows = 4;                         // of 32 offsets, read at once
  static constexpr index_t most_chunks = 8, runs_each = 4;  // of a run; for a warp
};

/// A visit of elements one by one as one by segments.
template <class Visit>
struct visit_one_by_one {
  struct place {
    index_t segment, begin;
  };
  Visit visit;
  RAVEL_HD place of_segment(index_t s, index_t begin) const { return {s, begin}; }
  __device__ void operator()(place const& of, index_t i) const {
    visit(i, of.segment, i - of.begin);
  }
};
template <class Visit>
using by_segments = std::conditional_t<visits_segments<Visit>, Visit, visit_one_by_one<Visit>>;

template <class Segments, class Visit>
struct balance_runs {
  using policy = balance_policy;
  static constexpr int threads = policy::warps * warp_size;
  static constexpr int chunk = policy::items * warp_size;
  static constexpr int window = policy::windows * warp_size;
  using visitor = by_segments<std::remove_cvref_t<decltype(ravel::detail::on_tile(
      std::declval<Visit const&>(), std::declval<tile>()))>>;
  using of_segment = decltype(std::declval<visitor const&>().of_segment(index_t{}, index_t{}));

  /// Of a warp.
  struct shared {
    unsigned heads[policy::items];           // where segments begin, a bit each
    shared_array<of_segment, chunk + 1> of;  // the segments that do, and at last an earlier one
  };

  Segments segments;
  Visit visit_all;
  index_t n, length;  // elements, and those of a run

  __device__ index_t begin_of(index_t s) const { return segments.begin(s); }

  /// The last segment that begins at element i or ahead of it: 33 parts at a time.
  __device__ index_t segment_of(index_t i) const {
    int const lane = threadIdx.x % warp_size;
    index_t first = 0, last = segments.count();  // the first is, the last is not
    while (last - first > 1) {
      bool const few = last - first <= warp_size + 1;
      auto const place = [&](int l) {
        return first + (few ? l + 1 : (l + 1) * (last - first) / (warp_size + 1));
      };
      bool const yes = place(lane) < last && begin_of(place(lane)) <= i;
      int const many = __popc(__ballot_sync(whole_warp, yes));
      index_t const found = many > 0 ? place(many - 1) : first;
      if (few) return found;
      if (many < warp_size) last = place(many);
      first = found;
    }
    return first;
  }

  /// Visits the elements of a chunk from `from` on, which are all there if it is Full.
  /// Returns the place of the last segment that begins in it, or `chunk`.
  template <bool Full>
  __device__ int visit_chunk(visitor const& visit, shared& known, index_t from, index_t end) const {
    int const lane = threadIdx.x % warp_size;
    of_segment of[policy::items];
    int last = chunk;
#pragma unroll
    for (int k = 0; k < policy::items; ++k) {
      unsigned const heads = known.heads[k];
      unsigned const ahead = heads & (whole_warp >> (warp_size - 1 - lane));
      int const row_end = k * warp_size + warp_size - 1;
      of[k] = known.of[ahead != 0 ? row_end - __clz(static_cast<int>(ahead)) : last];
      if (heads != 0) last = row_end - __clz(static_cast<int>(heads));
    }
    index_t const first = from + lane;
    if constexpr (visits_segments<visitor>) {
      if constexpr (Full) {
        decltype(visit.load(of[0], index_t{})) x[policy::items];
#pragma unroll
        for (int k = 0; k < policy::items; ++k) x[k] = visit.load(of[k], first + k * warp_size);
#pragma unroll
        for (int k = 0; k < policy::items; ++k) visit.store(of[k], first + k * warp_size, x[k]);
      } else {
#pragma unroll
        for (int k = 0; k < policy::items; ++k) {
          index_t const i = first + k * warp_size;
          if (i < end) visit.store(of[k], i, visit.load(of[k], i));
        }
      }
    } else {
#pragma unroll
      for (int k = 0; k < policy::items; ++k) {
        index_t const i = first + k * warp_size;
        if (Full || i < end) visit(of[k], i);
      }
    }
    return last;
  }

  /// A warp.
  __device__ void work(index_t run, shared& known) const {
    int const lane = threadIdx.x % warp_size;
    index_t const begin = run * length;
    index_t const end = ::min(begin + length, n);
    visitor const visit = {ravel::detail::on_tile(visit_all, tile{run, begin, end})};
    index_t const first = segment_of(begin), count = segments.count();
    index_t next = first + 1;  // the first segment of the window
    index_t begins[policy::windows + 1];
    auto const read_window = [&] {
#pragma unroll
      for (int k = 0; k < policy::windows; ++k) {
        begins[k] = begin_of(::min(next + k * warp_size + lane, count));
      }
      begins[policy::windows] = begin_of(::min(next + window, count));
    };
    read_window();
    if (lane == 0) known.of[chunk] = visit.of_segment(first, begin_of(first));
    for (index_t from = begin; from < end; from += chunk) {
      index_t const stop = ::min(from + chunk, end);
      if (lane < policy::items) known.heads[lane] = 0;
      __syncwarp();
      for (;;) {
#pragma unroll
        for (int k = 0; k < policy::windows; ++k) {
          index_t const s = next + k * warp_size + lane;
          index_t const following = __shfl_sync(whole_warp, begins[k + 1], 0);
          index_t const behind = __shfl_down_sync(whole_warp, begins[k], 1);
          index_t const its_end = lane < warp_size - 1 ? behind : following;
          if (s < count && from <= begins[k] && begins[k] < stop && begins[k] < its_end) {
            int const place = static_cast<int>(begins[k] - from);
            known.of[place] = visit.of_segment(s, begins[k]);
            atomicOr(&known.heads[place / warp_size], 1u << place % warp_size);
          }
        }
        if (next + window >= count || begins[policy::windows] >= stop) break;
        next += window;
        read_window();
      }
      __syncwarp();
      int const last = from + chunk <= end ? visit_chunk<true>(visit, known, from, end)
                                           : visit_chunk<false>(visit, known, from, end);
      __syncwarp();
      if (lane == 0 && last != chunk) known.of[chunk] = known.of[last];
    }
  }
};

template <class Runs>
__global__ void __launch_bounds__(Runs::threads)
    balance_runs_kernel(__grid_constant__ Runs const runs) {
  __shared__ typename Runs::shared known[Runs::policy::warps];
  index_t const warp = threadIdx.x / warp_size;
  index_t const run = index_t{blockIdx.x} * Runs::policy::warps + warp;
  if (run * runs.length < runs.n) runs.work(run, known[warp]);
}

}  // namespace detail

/// As the steps of for_each_in_segments where segments have numbers.
template <class Segments, class Visit>
void for_each_in_numbered_on(executor const& ex, index_t n, Segments segments, Visit visit) {
  using runs = detail::balance_runs<Segments, Visit>;
  using policy = detail::balance_policy;
  if (n == 0) return;
  constexpr auto* kernel = detail::balance_runs_kernel<runs>;
  index_t const warps = ex.room_for(kernel, runs::threads) * policy::warps;
  index_t const chunks = div_up(n, warps * policy::runs_each * index_t{runs::chunk});
  index_t const length = std::clamp(chunks, index_t{1}, policy::most_chunks) * runs::chunk;
  ex.launch({div_up(n, length * policy::warps), runs::threads}, kernel,
            runs{segments, visit, n, length});
}

}  // namespace ravel::inline v0::cuda
