#pragma once

/// @file
/// A tile that a thread block holds in registers while it is scanned: the common part of the named
/// single-pass scans, so that they differ only in how tiles learn their prefixes.
///
/// The tile is as wide as that of cuda/scan.cuh, which does not use this class: nvcc 13.0 gives it
/// twice the registers.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/scan.hpp>

#include <type_traits>

namespace ravel::inline v0::gpu {

/// `threads` times `rows` values, loaded once, scanned, and visited.
///
///     __shared__ typename held::room room;
///     held x(room);
///     x.load(t, load, m);
///     T const through = x.scan(m, [&](T const& total) { return prefix of the tile; });
///     x.visit(visit);
///
/// The tile's prefix is needed only after its total is known: the first warp calls for it, with all
/// its lanes.  After a scan the tile holds inclusive prefixes, and may be scanned again.
template <class T>
class held_tile {
  static_assert(sizeof(T) <= scan_policy::largest,
                "scan_algorithm: a tile of values this large does not fit in shared memory");

 public:
  static constexpr int threads = scan_policy::threads;
  static constexpr int rows = scan_policy::rows(sizeof(T));
  static constexpr int warps = threads / warp_size;
  static constexpr index_t width = index_t{threads} * rows;
  static constexpr int at_once = 3;  // blocks per multiprocessor, which limits the registers

  /// Its shared memory.
  struct room {
    shared_array<T, static_cast<int>(width)> exchange;
    shared_array<T, warps> of_warp;
    shared_array<T, 1> through;
  };

 private:
  room& room_;
  tile t_{};
  T x_[rows];
  T ahead_of_warp_{};

  // A warp has `rows` rows of 32 adjacent elements.  It reads and writes row by row, coalesced, and
  // transposes them so that a thread has `rows` adjacent elements.
  __device__ static int lane() { return threadIdx.x % warp_size; }
  __device__ static int warp() { return threadIdx.x / warp_size; }
  __device__ T* turned() const { return &room_.exchange[warp() * rows * warp_size]; }
  __device__ index_t first() const {
    return t_.begin + index_t{warp()} * rows * warp_size + lane();
  }
  __device__ bool full() const { return t_.end - t_.begin == width; }

 public:
  __device__ explicit held_tile(room& r) : room_(r) {}

  template <class Load, class M>
  __device__ void load(tile t, Load load, M m) {
    t_ = t;
    T* const of_warp = turned();
    index_t const begin = first();
    if (full()) {
      T x[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) x[r] = T(load(begin + r * warp_size));
#pragma unroll
      for (int r = 0; r < rows; ++r) of_warp[r * warp_size + lane()] = x[r];
    } else {
#pragma unroll 1
      for (int r = 0; r < rows; ++r) {
        index_t const i = begin + r * warp_size;
        of_warp[r * warp_size + lane()] = i < t_.end ? T(load(i)) : T(m.identity());
      }
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < rows; ++k) x_[k] = of_warp[lane() * rows + k];
  }

  /// Replaces each element by its inclusive prefix, and returns, in the first thread, the last
  /// one.  ahead(total) returns the tile's exclusive prefix.
  template <class M, class Ahead>
  __device__ T scan(M m, Ahead ahead) {
    // The total of each thread, then of each warp, then of the tile.
    T of_thread = x_[0];
#pragma unroll
    for (int k = 1; k < rows; ++k) of_thread = m(of_thread, x_[k]);
    T const through_thread = warp_scan(of_thread, m);
    T sum = shuffle_up(through_thread, 1);
    if (lane() == warp_size - 1) room_.of_warp[warp()] = through_thread;
    __syncthreads();

    // The first warp gets the tile's prefix, and computes that of each warp.
    if (warp() == 0) {
      T const of_warp = lane() < warps ? T(room_.of_warp[lane()]) : T(m.identity());
      T const through_warp = warp_scan(of_warp, m);
      T const of_tile = shuffle_from(through_warp, warps - 1);
      T const ahead_of_tile = ahead(of_tile);
      T const left = shuffle_up(through_warp, 1);
      if (lane() < warps)
        room_.of_warp[lane()] = lane() > 0 ? m(ahead_of_tile, left) : ahead_of_tile;
      if (lane() == 0) room_.through[0] = m(ahead_of_tile, of_tile);
    }
    __syncthreads();

    ahead_of_warp_ = room_.of_warp[warp()];
    sum = lane() > 0 ? m(ahead_of_warp_, sum) : ahead_of_warp_;
#pragma unroll
    for (int k = 0; k < rows; ++k) x_[k] = sum = m(sum, x_[k]);
    return room_.through[0];
  }

  /// Between two scans: resets what the last tile has past its end.
  template <class M>
  __device__ void clear_after_end(M m) {
    index_t const mine = t_.begin + (index_t{warp()} * warp_size + lane()) * rows;
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      if (mine + k >= t_.end) x_[k] = m.identity();
    }
  }

  /// After a scan: calls visit(i, before, through) for each element.
  template <class Visit>
  __device__ void visit(Visit visit) const {
    T* const of_warp = turned();
    index_t const begin = first();
#pragma unroll
    for (int k = 0; k < rows; ++k) of_warp[lane() * rows + k] = x_[k];
    __syncwarp();
    auto const visit_row = [&](int r) {
      int const place = r * warp_size + lane();
      T const through = of_warp[place];
      if constexpr (ravel::detail::only_through<std::remove_cvref_t<Visit>>) {
        visit(begin + r * warp_size, through, through);
      } else {
        visit(begin + r * warp_size,
              place > 0 ? T(of_warp[place > 0 ? place - 1 : 0]) : ahead_of_warp_, through);
      }
    };
    if (full()) {
#pragma unroll
      for (int r = 0; r < rows; ++r) visit_row(r);
    } else {
#pragma unroll 1
      for (int r = 0; r < rows; ++r) {
        if (begin + r * warp_size < t_.end) visit_row(r);
      }
    }
    __syncwarp();  // before the next load overwrites of_warp
  }
};

}  // namespace ravel::inline v0::gpu
