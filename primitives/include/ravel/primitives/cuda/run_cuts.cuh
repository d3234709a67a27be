#pragma once

/// @file
/// How elements and ends of segments, merged in their order, are cut into runs of one length:
/// a tile or a warp for each, so that neither a long segment nor many empty ones keep one
/// busy while others rest.
///
/// Source   Merrill and Garland, "Merge-Based Parallel Sparse Matrix-Vector
///          Multiplication", SC 2016.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/core/segments.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>

namespace ravel::inline v0::cuda {
namespace detail {

/// Which segments end before tile t.
template <class Segments>
struct ends_before_tile {
  Segments segments;
  index_t width;
  RAVEL_HD ravel::detail::ends_within<Segments> operator()(index_t t) const {
    return {segments, t * width};
  }
};

/// How elements and ends of segments are cut: into runs of `length` of them, and the first
/// segment that ends in each run is known.
struct run_cuts {
  index_t chunk, length, runs;
  index_t const* starts;
};

/// Runs of whole chunks, as long as each other, for so many warps.
inline run_cuts cuts_for(index_t all, index_t chunk, index_t warps, index_t runs_each,
                         index_t most_chunks) {
  index_t const chunks = div_up(all, warps * runs_each * chunk);
  index_t const length = std::clamp(chunks, index_t{1}, most_chunks) * chunk;
  return {chunk, length, div_up(all, length), nullptr};
}

/// Finds where the runs begin.
template <class Segments>
void find_starts(executor const& ex, Segments segments, run_cuts const& cuts, index_t* starts) {
  partition_points(ex, cuts.runs + 1, segments.count(),
                   ends_before_tile<Segments>{segments, cuts.length}, starts);
}

}  // namespace detail
}  // namespace ravel::inline v0::cuda
