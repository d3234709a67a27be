#pragma once

/// Segmented reduce on a device of segments of one length whose elements a load finds for a whole
/// segment at once.
///
/// A warp reduces several segments together: each is found by one lane, which hands what it found
/// to all lanes.  These load 32 elements of each segment at a time, so that adjacent lanes read
/// adjacent elements, and fold the rows of all segments by few shuffles.
///
/// The grouping of operands depends on the length alone.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/reduce_policy.hpp>
#include <ravel/primitives/segmented_reduce/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

template <class Load, class M, class Seed, class Visit>
__global__ void __launch_bounds__(rows_by_warps_policy::threads)
    rows_by_warps_kernel(Load load, index_t count, M m, Seed seed, Visit visit) {
  using T = carrier_t<M>;
  constexpr int rows = rows_by_warps_policy::rows;
  int const lane = threadIdx.x % warp_size;
  index_t const first =
      (index_t{blockIdx.x} * rows_by_warps_policy::threads + threadIdx.x) / warp_size * rows;
  if (first >= count) return;
  index_t const length = load.length;
  auto const found = load.of_segment(::min(first + lane % rows, count - 1));
  std::remove_const_t<decltype(found)> located[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) located[r] = shuffle_from(found, r);
  T sum = T(m.identity());  // of the segment that is the lane's after the fold
  for (index_t begin = 0; begin < length; begin += warp_size) {
    bool const exists = begin + lane < length;
    index_t const rank = exists ? begin + lane : 0;
    T x[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      x[r] = static_cast<T>(located[r](::min(first + r, count - 1) * length + rank));
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (!exists) x[r] = T(m.identity());
    }
    sum = m(sum, warp_fold_each(x, m));
  }
  index_t const s = first + row_of_lane<rows>(lane);
  if (lane < rows && s < count) visit(s, m(T(seed()), sum));
}

}  // namespace detail

template <class Call>
void launch_form(reduce_rows_by_warps, executor const& ex, Call const& c) {
  using policy = rows_by_warps_policy;
  index_t const count = c.segments.count();
  ex.launch({div_up(count, index_t{policy::rows} * (policy::threads / warp_size)), policy::threads},
            detail::rows_by_warps_kernel<
                std::remove_const_t<decltype(c.load)>, std::remove_const_t<decltype(c.m)>,
                std::remove_const_t<decltype(c.seed)>, std::remove_const_t<decltype(c.visit)>>,
            c.load, count, c.m, c.seed, c.visit);
}

}  // namespace ravel::inline v0::gpu
