#pragma once

/// @file
/// Many binary searches at once on a device: where the tiles of a primitive begin.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/tile.hpp>

namespace ravel::inline v0::cuda {
namespace detail {

inline constexpr int lanes_of_search = 4;

/// Four lanes ask at once, and so cut what is left to a quarter: more would ask memory
/// for more sectors, and here and there is what memory is slow at.
template <class BeforeOf>
__global__ void __launch_bounds__(256)
    partition_points_kernel(index_t count, index_t size, double share, BeforeOf before_of,
                            index_t* points) {
  constexpr int lanes = lanes_of_search;
  index_t const i = (index_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
  int const lane = threadIdx.x % lanes;
  int const first_lane = threadIdx.x % warp_size / lanes * lanes;
  auto const before = before_of(i);
  index_t first = 0;
  index_t last = i < count ? size : 0;
  auto const ask = [&](auto place) {
    bool const yes = first < last && before(place(lane));
    int const many = __popc(__ballot_sync(whole_warp, yes) >> first_lane & ((1u << lanes) - 1));
    if (first < last) {
      index_t const after = many > 0 ? place(many - 1) + 1 : first;
      if (many < lanes) last = place(many);
      first = after;
    }
  };

  // First around where it would be if all had the same share: most are near, and what is read then
  // is the end of it.
  auto const guess = static_cast<index_t>(share * static_cast<double>(i));
  for (index_t far = 1 << 8; far <= 1 << 20; far <<= 12) {
    if (!__any_sync(whole_warp, last - first > far)) break;
    index_t const near = far >> 6;
    ask([guess, near, far, first, last](int l) {
      index_t const away = l == 0 || l == lanes - 1 ? far : near;
      return ::min(::max(l < lanes / 2 ? guess - away : guess + away, first), last - 1);
    });
  }
  while (__any_sync(whole_warp, first < last)) {
    ask([first, left = last - first](int l) {
      return first + ::min(left - 1, left * (l + 1) / lanes);
    });
  }
  if (lane == 0 && i < count) points[i] = first;
}

}  // namespace detail

/// points[i] = the first index in [0, size) for which before_of(i) is false, given that
/// it is true up to some point and false from there on; `size` if it never is.
///
/// Each is looked for around i * share at first, by default as if the last were at the end.
///
/// Cost     O(count log size) work, O(log size) span.
template <class BeforeOf>
void partition_points(executor const& ex, index_t count, index_t size, BeforeOf before_of,
                      index_t* points, double share) {
  if (count == 0) return;
  constexpr index_t in_block = 256 / detail::lanes_of_search;
  ex.launch({div_up(count, in_block), 256}, detail::partition_points_kernel<BeforeOf>, count, size,
            share, before_of, points);
}
template <class BeforeOf>
void partition_points(executor const& ex, index_t count, index_t size, BeforeOf before_of,
                      index_t* points) {
  auto const steps = static_cast<double>(count > 1 ? count - 1 : 1);
  partition_points(ex, count, size, before_of, points, static_cast<double>(size) / steps);
}

}  // namespace ravel::inline v0::cuda
