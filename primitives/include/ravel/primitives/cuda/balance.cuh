#pragma once

/// Load balancing on a device: a warp processes a run of elements in chunks, and marks where
/// segments begin in each.
///
/// The generic steps search for the segment of every element, within the range of its tile.  Here a
/// warp searches once, for the first element of its run (chunk_segments.cuh).

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/balance/cuda.hpp>
#include <ravel/primitives/cuda/chunk_segments.cuh>
#include <ravel/primitives/segment_visits.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

struct balance_policy {
  static constexpr int warps = 8;                           // warps of a block
  static constexpr index_t most_chunks = 8, runs_each = 4;  // chunks of a run; runs of a warp
};

/// Adapts a visit of single elements to the interface of a visit by segments.
template <class Visit>
struct visit_one_by_one {
  struct place {
    index_t segment, begin;
  };
  Visit visit;
  RAVEL_HD place of_segment(index_t s, index_t begin) const { return {s, begin}; }
  __device__ void operator()(place const& opened, index_t i) const {
    visit(i, opened.segment, i - opened.begin);
  }
};
template <class Visit>
using by_segments = std::conditional_t<visits_segments<Visit>, Visit, visit_one_by_one<Visit>>;

template <class Segments, class Visit>
struct balance_runs {
  using policy = balance_policy;
  static constexpr int threads = policy::warps * warp_size;
  using visitor = by_segments<std::remove_cvref_t<decltype(ravel::detail::on_tile(
      std::declval<Visit const&>(), std::declval<tile>()))>>;
  using in_segments = chunk_segments<Segments, visitor>;
  using shared = typename in_segments::shared;
  static constexpr int items = in_segments::items;
  static constexpr int chunk = in_segments::chunk;

  Segments segments;
  Visit visit_all;
  index_t n, length;  // number of elements, and elements of a run

  /// Visits the elements of a chunk from `begin` on.  With Full, the chunk is known to be complete.
  template <bool Full>
  __device__ static void visit_chunk(visitor const& visit, in_segments& in, index_t begin,
                                     index_t end) {
    typename in_segments::of_segment segment[items];
    in.find(segment);
    index_t const first = begin + threadIdx.x % warp_size;
    if constexpr (visits_segments<visitor>) {
      if constexpr (Full) {
        decltype(visit.load(segment[0], index_t{})) x[items];
#pragma unroll
        for (int k = 0; k < items; ++k) x[k] = visit.load(segment[k], first + k * warp_size);
#pragma unroll
        for (int k = 0; k < items; ++k) visit.store(segment[k], first + k * warp_size, x[k]);
      } else {
#pragma unroll
        for (int k = 0; k < items; ++k) {
          index_t const i = first + k * warp_size;
          if (i < end) visit.store(segment[k], i, visit.load(segment[k], i));
        }
      }
    } else {
#pragma unroll
      for (int k = 0; k < items; ++k) {
        index_t const i = first + k * warp_size;
        if (Full || i < end) visit(segment[k], i);
      }
    }
  }

  /// One warp processes one run.
  __device__ void work(index_t run, shared& known) const {
    index_t const begin = run * length;
    index_t const end = ::min(begin + length, n);
    visitor const visit = {ravel::detail::on_tile(visit_all, tile{run, begin, end})};
    in_segments in(segments, visit, known, begin);
    for (index_t first = begin; first < end; first += chunk) {
      in.mark(first, ::min(first + chunk, end));
      if (first + chunk <= end) {
        visit_chunk<true>(visit, in, first, end);
      } else {
        visit_chunk<false>(visit, in, first, end);
      }
      in.go_on();
    }
  }
};

template <class Runs>
__global__ void __launch_bounds__(Runs::threads)
    balance_runs_kernel(__grid_constant__ Runs const runs) {
  __shared__ typename Runs::shared known[Runs::policy::warps];
  await_preceding_kernel();
  index_t const warp = threadIdx.x / warp_size;
  index_t const run = index_t{blockIdx.x} * Runs::policy::warps + warp;
  if (run * runs.length < runs.n) runs.work(run, known[warp]);
}

}  // namespace detail

template <class Segments, class Visit>
void launch_form(balance_by_marks, executor const& ex, balance_call<Segments, Visit> const& c) {
  using runs = detail::balance_runs<Segments, Visit>;
  using policy = detail::balance_policy;
  index_t const n = c.n;
  if (n == 0) return;
  constexpr auto* kernel = detail::balance_runs_kernel<runs>;
  // A block at least is resident, so that fewer elements have runs of one chunk.
  constexpr index_t of_block = policy::warps * policy::runs_each * index_t{runs::chunk};
  index_t const blocks = n <= of_block ? 1 : ex.room_for(kernel, runs::threads);
  index_t const length =
      ravel::detail::clamped(div_up(n, blocks * of_block), index_t{1}, policy::most_chunks) *
      runs::chunk;
  ex.launch(grid{div_up(n, length * policy::warps), runs::threads}.early(), kernel,
            runs{c.segments, c.visit, n, length});
}

}  // namespace ravel::inline v0::gpu
