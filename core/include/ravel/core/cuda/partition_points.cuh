#pragma once

/// @file
/// Many binary searches at once on a device: where the tiles of a primitive begin.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/tile.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// What some lanes of a warp search together.  Here and there is what memory is slow at, so more
/// than four lanes ask it for more than they gain.
struct shared_search {
  static constexpr int lanes = 4;
  index_t first, last;  // the answer is one of these, or between them

  /// Each of `Lanes` lanes asks at a place, which does not lie before those of lower lanes.
  template <int Lanes, class Before, class Place>
  __device__ void ask(Before const& before, Place place) {
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

  /// Until no search of the warp has more than `loose` left.
  template <int Lanes, class Before>
  __device__ void narrow(Before const& before, index_t loose) {
    while (__any_sync(whole_warp, last - first > loose)) {
      ask<Lanes>(before, [begin = first, left = last - first](int l) {
        return begin + ::min(left - 1, left * (l + 1) / Lanes);
      });
    }
  }
};

struct partition_policy {
  static constexpr int threads = 256;
  static constexpr int searches = threads / shared_search::lanes;  // of a block
  static constexpr index_t loose = 1 << 10;                        // its bounds
};

/// A block's searches are near each other.  Two warps find about where, the more closely the nearer
/// that is to where it would be if all had the same share; and then each is looked for where
/// it would be between those two.
template <class BeforeOf>
__global__ void __launch_bounds__(partition_policy::threads)
    partition_points_kernel(index_t count, index_t size, double share, BeforeOf before_of,
                            index_t* points) {
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
    bound.ask<warp_size>(before, [guess, size](int l) {  // each four times as far as the one before
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
  point.ask<lanes>(before, [guess, first = point.first, last = point.last](int l) {
    int const away = l < lanes / 2 ? 3 * l - 4 : 3 * (l - lanes / 2);  // -4, -1, 0 and 3
    return ::min(::max(guess + away, first), last - 1);
  });
  point.narrow<lanes>(before, 0);
  if (threadIdx.x % lanes == 0 && i <= end) points[i] = point.first;
}

}  // namespace detail

/// points[i] = the first index in [0, size) for which before_of(i) is false, given that
/// it is true up to some point and false from there on; `size` if it never is.  And that the
/// point of i + 1 is not before that of i.
///
/// They are looked for around i * share at first, by default as if the last were at the end.
///
/// Cost     O(count log size) work, O(log size) span.
template <class BeforeOf>
void partition_points(executor const& ex, index_t count, index_t size, BeforeOf before_of,
                      index_t* points, double share) {
  if (count == 0) return;
  using policy = detail::partition_policy;
  ex.launch({div_up(count, policy::searches), policy::threads},
            detail::partition_points_kernel<BeforeOf>, count, size, share, before_of, points);
}
template <class BeforeOf>
void partition_points(executor const& ex, index_t count, index_t size, BeforeOf before_of,
                      index_t* points) {
  auto const steps = static_cast<double>(count > 1 ? count - 1 : 1);
  partition_points(ex, count, size, before_of, points, static_cast<double>(size) / steps);
}

}  // namespace ravel::inline v0::gpu
