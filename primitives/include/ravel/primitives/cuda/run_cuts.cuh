#pragma once

/// Merge-path partition: the merged sequence of elements and segment ends is cut into runs of equal
/// length, one for each tile or warp, so that neither a long segment nor many empty ones unbalance
/// the load.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/reduce_types.hpp>

namespace ravel::inline v0::gpu::detail {

/// Returns the predicate: whether a segment ends before tile t.
template <class Segments>
struct ends_before_tile {
  Segments segments;
  index_t width;
  RAVEL_HD ravel::detail::ends_within<Segments> operator()(index_t t) const {
    return {segments, t * width};
  }
};

/// The partition for `warps` warps: runs of whole chunks, all of the same length.
inline run_cuts cuts_for(index_t all, index_t chunk, index_t warps, index_t runs_each,
                         index_t most_chunks) {
  index_t const chunks = div_up(all, warps * runs_each * chunk);
  index_t const length = ravel::detail::clamped(chunks, index_t{1}, most_chunks) * chunk;
  return {chunk, length, div_up(all, length), nullptr};
}

/// Finds the starts of runs without searches: reads all segment ends in order, 128 for each warp,
/// and writes the starts of the runs that begin among them.
struct pass_ends {
  static constexpr int threads = 256, rounds = 4;
  static constexpr index_t of_warp = rounds * warp_size;

  template <class Segments>
  static __device__ void work(Segments const& segments, run_cuts const& cuts, double per_length,
                              index_t* starts) {
    int const lane = threadIdx.x % warp_size;
    index_t const count = segments.count(), length = cuts.length;
    index_t const first = (index_t{blockIdx.x} * threads + threadIdx.x) / warp_size * of_warp;
    if (first >= count) return;
    index_t ends[rounds];  // position of a segment's end in merged order, the end itself excluded
#pragma unroll
    for (int k = 0; k < rounds; ++k) {
      index_t const s = ::min(first + k * warp_size + lane, count - 1);
      ends[k] = segments.begin(s + 1) + s;
    }
    index_t const before = segments.begin(first) + first;
    auto run = static_cast<index_t>(static_cast<double>(before) * per_length);
    if (run * length > before) --run;  // corrects the rounding of the estimate
    index_t next = run * length;       // where that run begins
    for (; next < before; next += length) ++run;
#pragma unroll
    for (int k = 0; k < rounds; ++k) {
      index_t const last = __shfl_sync(whole_warp, ends[k], warp_size - 1);
      while (next <= last) {
        index_t const begin = next + lane * length;
        int const many = __popc(__ballot_sync(whole_warp, begin <= last));
        int at = 0;  // how many of these 32 segments end before the run
#pragma unroll
        for (int step = warp_size / 2; step > 0; step /= 2) {
          if (__shfl_sync(whole_warp, ends[k], at + step - 1) < begin) at += step;
        }
        if (begin <= last) starts[run + lane] = first + k * warp_size + at;
        run += many;
        next += many * length;
      }
    }
    if (lane == 0 && first + of_warp >= count) starts[cuts.runs] = count;
  }
};

template <class Segments>
__global__ void __launch_bounds__(pass_ends::threads)
    pass_ends_kernel(Segments segments, run_cuts cuts, double per_length, index_t* starts) {
  pass_ends::work(segments, cuts, per_length, starts);
}

/// For more ends than this the starts are searched for.  2^24 ends are read in 48 us, and searched
/// in 8 to 30 us, depending on lengths; 2^20 are read in 9 us, and searched in 12.
inline constexpr index_t most_ends_read = index_t{1} << 21;

/// Finds the start of each run.
template <class Segments>
void find_starts(executor const& ex, Segments segments, run_cuts const& cuts, index_t* starts) {
  index_t const count = segments.count();
  if (count == 0 || count > most_ends_read) {
    return partition_points(ex, cuts.runs + 1, count,
                            ends_before_tile<Segments>{segments, cuts.length}, starts);
  }
  constexpr index_t of_block = pass_ends::threads / warp_size * pass_ends::of_warp;
  ex.launch({div_up(count, of_block), pass_ends::threads}, pass_ends_kernel<Segments>, segments,
            cuts, 1 / static_cast<double>(cuts.length), starts);
}

}  // namespace ravel::inline v0::gpu::detail
