#pragma once

/// Many concurrent binary searches on a device, which find where the tiles of a primitive begin.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>

namespace ravel::inline v0::gpu {
namespace detail {

/// A binary search by several lanes of a warp.  The number of scattered loads limits the speed:
/// more than four lanes per search issue more loads than they save.
struct shared_search {
  static constexpr int lanes = 4;
  index_t first, last;  // the result is in [first, last]

  /// Each of `Lanes` lanes probes one position; positions ascend with the lane.
  template <int Lanes, class Before, class Place>
  __device__ void probe(Before const& before, Place place) {
    int const lane = threadIdx.x % Lanes;
    int const first_lane = threadIdx.x % warp_size / Lanes * Lanes;
    bool const open = first < last;
    bool const yes = open && before(place(lane));
    unsigned const of_all = __ballot_sync(whole_warp, yes) >> first_lane;
    int const many = __popc(Lanes == warp_size ? of_all : of_all & ((1u << Lanes % 32) - 1));
    if (open) {
      index_t const after = many > 0 ? place(many - 1) + 1 : first;
      if (many < Lanes) last = place(many);
      first = after;
    }
  }

  /// Narrows the intervals until none of the warp's searches has one longer than `loose`.
  template <int Lanes, class Before>
  __device__ void narrow(Before const& before, index_t loose) {
    while (__any_sync(whole_warp, last - first > loose)) {
      probe<Lanes>(before, [begin = first, left = last - first](int l) {
        return begin + ::min(left - 1, left * (l + 1) / Lanes);
      });
    }
  }
};

struct partition_policy {
  static constexpr int threads = 256;
  static constexpr int searches = threads / shared_search::lanes;  // searches of a block
  // up to this length of interval, the block's bounds are narrowed
  static constexpr index_t loose = 1 << 10;
};

/// The results of a block are close to each other.  Two warps first bound them, by probes at
/// growing distances from where the results would be if shares were equal.  Then each search starts
/// at a linear interpolation between the bounds.
template <class BeforeOf>
__global__ void __launch_bounds__(partition_policy::threads)
    partition_points_kernel(index_t count, index_t size, double share, BeforeOf before_of,
                            index_t* points) {
  await_preceding_kernel();
  using policy = partition_policy;
  constexpr int lanes = shared_search::lanes;
  __shared__ index_t bounds[2];
  int const lane = threadIdx.x % warp_size;
  int const warp = threadIdx.x / warp_size;
  index_t const begin = index_t{blockIdx.x} * policy::searches;
  index_t const end = ::min(begin + policy::searches, count) - 1;

  if (warp < 2) {
    index_t const i = warp == 0 ? begin : end;
    auto const before = before_of(i);
    auto const guess = static_cast<index_t>(share * static_cast<double>(i));
    shared_search bound{0, size};
    bound.probe<warp_size>(before, [guess, size](int l) {  // distances grow by a factor of four
      constexpr int half = warp_size / 2;
      index_t const away = index_t{1} << 2 * (l < half ? half - 1 - l : l - half);
      return ::min(::max(l < half ? guess - away : guess + away - 1, index_t{0}), size - 1);
    });
    bound.narrow<warp_size>(before, policy::loose);
    if (lane == 0) bounds[warp] = warp == 0 ? bound.first : bound.last;
  }
  __syncthreads();

  index_t const i = begin + threadIdx.x / lanes;
  shared_search point{0, 0};
  if (i <= end) point = {bounds[0], bounds[1]};
  auto const before = before_of(i);
  index_t const guess =
      bounds[0] + (bounds[1] - bounds[0]) * (i - begin) / ::max(end - begin, index_t{1});
  point.probe<lanes>(before, [guess, first = point.first, last = point.last](int l) {
    int const away = l < lanes / 2 ? 3 * l - 4 : 3 * (l - lanes / 2);  // probes at -4, -1, 0 and 3
    return ::min(::max(guess + away, first), last - 1);
  });
  point.narrow<lanes>(before, 0);
  if (threadIdx.x % lanes == 0 && i <= end) points[i] = point.first;
}

}  // namespace detail

/// For each i of [0, count]: points[i] is the first index in [0, size) where before_of(i) is false,
/// or `size` if there is none.  before_of(i) must be true up to some index and false from there on,
/// and points must ascend with i.
///
/// The search for points[i] starts around i * share.  By default the last point is assumed to be at
/// the end.
///
/// Cost     O(count log size) work, O(log size) span.
template <class BeforeOf>
void partition_points(executor const& ex, index_t count, index_t size, BeforeOf before_of,
                      index_t* points, double share) {
  if (count == 0) return;
  using policy = detail::partition_policy;
  ex.launch(grid{div_up(count, policy::searches), policy::threads}.early(),
            detail::partition_points_kernel<BeforeOf>, count, size, share, before_of, points);
}
template <class BeforeOf>
void partition_points(executor const& ex, index_t count, index_t size, BeforeOf before_of,
                      index_t* points) {
  auto const steps = static_cast<double>(count > 1 ? count - 1 : 1);
  partition_points(ex, count, size, before_of, points, static_cast<double>(size) / steps);
}

}  // namespace ravel::inline v0::gpu
