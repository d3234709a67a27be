#pragma once

/// The tile of LightScan: a block of 1024 threads holds rows of 32 elements in registers, without a
/// transposition through shared memory.
///
/// A warp has K adjacent rows, and a lane one element of each.  It scans a row by shuffles,
/// broadcasts the last lane's prefix, and the next row starts from that (Algorithm 2 of the
/// paper).  The first warp scans the totals of the warps, one in each lane.
///
///     row 0     x0  x1 ... x31    --- last prefix --+
///     row 1    x32 x33 ... x63    <-----------------+
///
/// Source   Liu and Aluru, "LightScan: Faster Scan Primitive on CUDA Compatible Manycore
///          Processors", arXiv:1604.04815, 2016.

#include <ravel/core/cuda/block.cuh>
#include <ravel/primitives/cuda/named/held_tile.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0::gpu {

/// A tile with the interface of held_tile.
template <class T>
class lightscan_tile {
 public:
  static constexpr int warps = warp_size;
  static constexpr int threads = warps * warp_size;
  static constexpr int rows = scan_policy::rows_of_lightscan(sizeof(T));
  static constexpr index_t width = index_t{threads} * rows;
  static constexpr int at_once = 1;

  /// The shared memory of the block.
  struct room {
    shared_array<T, warps> of_warp;
    shared_array<T, 1> through;
  };

 private:
  room& room_;
  tile t_{};
  T x_[rows];
  T ahead_of_warp_{};

  __device__ static int lane() { return threadIdx.x % warp_size; }
  __device__ static int warp() { return threadIdx.x / warp_size; }
  __device__ index_t first() const {
    return t_.begin + index_t{warp()} * rows * warp_size + lane();
  }
  __device__ bool full() const { return t_.end - t_.begin == width; }

 public:
  __device__ explicit lightscan_tile(room& r) : room_(r) {}

  template <class Load, class M>
  __device__ void load(tile t, Load load, M m) {
    t_ = t;
    index_t const begin = first();
    if (full()) {
#pragma unroll
      for (int r = 0; r < rows; ++r) x_[r] = T(load(begin + r * warp_size));
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        index_t const i = begin + r * warp_size;
        x_[r] = i < t_.end ? T(load(i)) : T(m.identity());
      }
    }
  }

  /// Replaces each element by its inclusive prefix, and returns the last one.  ahead(total), which
  /// the first warp calls, must return the tile's exclusive prefix.
  template <class M, class Ahead>
  __device__ T scan(M m, Ahead ahead) {
    T through_row = x_[0];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      x_[r] = warp_scan(x_[r], m);
      if (r > 0) x_[r] = m(through_row, x_[r]);
      through_row = shuffle_from(x_[r], warp_size - 1);
    }
    if (lane() == 0) room_.of_warp[warp()] = through_row;
    __syncthreads();

    if (warp() == 0) scan_totals_of_warps<warps>(room_.of_warp, room_.through, m, ahead);
    __syncthreads();

    ahead_of_warp_ = room_.of_warp[warp()];
#pragma unroll
    for (int r = 0; r < rows; ++r) x_[r] = m(ahead_of_warp_, x_[r]);
    return room_.through[0];
  }

  /// After a scan: calls visit(i, before, through) for each element.
  template <class Visit>
  __device__ void visit(Visit visit) const {
    index_t const begin = first();
    T ahead_of_row = ahead_of_warp_;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      index_t const i = begin + r * warp_size;
      if constexpr (ravel::detail::only_through<std::remove_cvref_t<Visit>>) {
        if (i < t_.end) visit(i, x_[r], x_[r]);
      } else {
        T const left = shuffle_up(x_[r], 1);
        if (i < t_.end) visit(i, lane() > 0 ? left : ahead_of_row, x_[r]);
        ahead_of_row = shuffle_from(x_[r], warp_size - 1);
      }
    }
  }
};

}  // namespace ravel::inline v0::gpu
