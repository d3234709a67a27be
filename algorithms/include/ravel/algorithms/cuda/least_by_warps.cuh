#pragma once

/// Places of the least elements of each segment on a device, of elements that any load computes: a
/// warp reads a segment once.
///
/// Lane j holds the j-th least element so far.  Elements are compared with the last of these, 32 at
/// a time; the few that are less are inserted one after another: of n elements in random order
/// k (1 + ln(n / k)) are expected.
///
/// Source   Johnson, Douze and Jegou, "Billion-scale similarity search with GPUs", IEEE Trans. Big
///          Data 7(3), 2021: WarpSelect, for selections in registers.

#include <ravel/algorithms/least_places/cuda.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/radix_key.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The least `capacity` keys so far and their places, in order, one in each lane.
template <class Bits>
struct least_in_lanes {
  Bits key;
  index_t place = 0;
  int size = 0;
  Bits greatest = 0;

  /// Whether a lane's key is to be inserted.
  __device__ bool takes(Bits x, int capacity) const { return size < capacity || x < greatest; }
  /// Inserts x, which all lanes pass, after equal keys.
  __device__ void insert(Bits x, index_t at, int capacity) {
    int const lane = threadIdx.x % warp_size;
    int const rank = __popc(__ballot_sync(whole_warp, lane < size && key <= x));
    Bits const key_before = shuffle_up(key, 1);
    index_t const place_before = shuffle_up(place, 1);
    if (lane >= rank) {
      key = lane == rank ? x : key_before;
      place = lane == rank ? at : place_before;
    }
    size = ::min(size + 1, capacity);
    greatest = shuffle_from(key, size - 1);
  }
};

constexpr int least_places_threads = 128;

template <class T, class Load, class Segments>
__global__ void __launch_bounds__(least_places_threads)
    least_places_kernel(__grid_constant__ least_places_call<T, Load, Segments> const call) {
  using bits = decltype(radix_key<T>::bits(T{}));
  constexpr int rows = 4;  // loads of a lane in flight
  int const lane = threadIdx.x % warp_size;
  index_t const s = (index_t{blockIdx.x} * least_places_threads + threadIdx.x) / warp_size;
  if (s >= call.segments.count()) return;
  index_t const begin = call.segments.begin(s), end = call.segments.begin(s + 1);
  int const capacity = static_cast<int>(call.each);
  least_in_lanes<bits> least{};
  for (index_t tile = begin; tile < end; tile += rows * warp_size) {
    bits x[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      index_t const i = ::min(tile + r * warp_size + lane, end - 1);
      x[r] = radix_key<T>::bits(static_cast<T>(call.load(i)));
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      index_t const first = tile + r * warp_size;
      unsigned candidates =
          __ballot_sync(whole_warp, first + lane < end && least.takes(x[r], capacity));
      for (; candidates != 0; candidates &= candidates - 1) {
        int const source = __ffs(static_cast<int>(candidates)) - 1;
        bits const candidate = shuffle_from(x[r], source);
        if (least.takes(candidate, capacity))
          least.insert(candidate, first + source - begin, capacity);
      }
    }
  }
  if (lane < capacity) call.out[s * call.each + lane] = least.place;
}

}  // namespace detail

template <class T, class Load, class Segments>
void launch_form(least_places_by_warps, executor const& ex,
                 least_places_call<T, Load, Segments> const& c) {
  if (c.segments.count() == 0) return;
  constexpr int warps = detail::least_places_threads / warp_size;
  ex.launch({div_up(c.segments.count(), index_t{warps}), detail::least_places_threads},
            detail::least_places_kernel<T, Load, Segments>, c);
}

}  // namespace ravel::inline v0::gpu
