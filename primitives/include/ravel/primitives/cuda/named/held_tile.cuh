#pragma once

/// A tile that a thread block holds in registers while it scans it: the common part of the named
/// single-pass scans, which differ only in how a tile gets its prefix.
///
/// The tile is as wide as that of cuda/scan.cuh.  That kernel does not use this class: nvcc 13.0
/// would give it twice the registers.

#include <ravel/core/cuda/block.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/tuples.hpp>

namespace ravel::inline v0::gpu {

/// Scan across warps, which the first warp calls with all its lanes.  Replaces the totals of Warps
/// warps by their exclusive prefixes, and stores the last inclusive prefix.  They start from the
/// tile's exclusive prefix, ahead(total).
template <int Warps, class Totals, class Through, class M, class Ahead>
__device__ void scan_totals_of_warps(Totals& totals, Through& through, M m, Ahead ahead) {
  using sum = carrier_t<M>;
  int const lane = threadIdx.x % warp_size;
  sum const of_warp = lane < Warps ? sum(totals[lane]) : sum(m.identity());
  sum const through_warp = warp_scan(of_warp, m);
  sum const of_tile = shuffle_from(through_warp, Warps - 1);
  sum const ahead_of_tile = ahead(of_tile);
  sum const left = shuffle_up(through_warp, 1);
  if (lane < Warps) totals[lane] = lane > 0 ? m(ahead_of_tile, left) : ahead_of_tile;
  if (lane == 0) through[0] = m(ahead_of_tile, of_tile);
}

/// A tile of `threads` * `rows` values, which is loaded once, scanned, and visited.
///
///     __shared__ typename held::room room;
///     held x(room);
///     x.load(t, load, m);
///     T const through = x.scan(m, [&](T const& total) { return prefix of the tile; });
///     x.visit(visit);
///
/// The tile's prefix is needed only after its total is known: the first warp then calls the
/// function for it, with all its lanes.  After a scan the tile holds inclusive prefixes, and may be
/// scanned again.
///
/// With Stride, every Stride-th element is scanned: totals and prefixes are tuples of Stride sums.
/// A thread holds whole tuples, so its k-th element has place k % Stride in its tuple.
template <class T, int Stride = 1, int Rows = scan_policy::rows(sizeof(T))>
class held_tile {
  static_assert(Stride * sizeof(T) <= scan_policy::largest,
                "scan_algorithm: a tile of values this large does not fit in shared memory");

 public:
  using sum = std::conditional_t<Stride == 1, T, ravel::detail::tuple_of<T, Stride>>;
  static constexpr int threads = scan_policy::threads;
  static constexpr int rows =
      std::max(1, std::min(Rows, scan_policy::rows(sizeof(T))) / Stride) * Stride;
  static constexpr int warps = threads / warp_size;
  static constexpr index_t width = index_t{threads} * rows;
  // resident blocks on a multiprocessor, which limits the registers
  static constexpr int at_once = 3;

  /// The shared memory of the block.
  struct room {
    shared_array<T, static_cast<int>(width)> exchange;
    shared_array<sum, warps> of_warp;
    shared_array<sum, 1> through;
  };

 private:
  room& room_;
  tile t_{};
  T x_[rows];
  sum ahead_of_warp_{};

  // A warp has `rows` rows of 32 adjacent elements.  It reads and writes them row by row,
  // coalesced, and transposes them through shared memory so that each thread has `rows` adjacent
  // elements.
  __device__ static int lane() { return threadIdx.x % warp_size; }
  __device__ static int warp() { return threadIdx.x / warp_size; }
  __device__ T* transposed() const { return &room_.exchange[warp() * rows * warp_size]; }
  __device__ index_t first() const {
    return t_.begin + index_t{warp()} * rows * warp_size + lane();
  }
  __device__ static T& at_place(sum& x, [[maybe_unused]] int k) {
    if constexpr (Stride == 1) {
      return x;
    } else {
      return x.x[k % Stride];
    }
  }
  __device__ bool full() const { return t_.end - t_.begin == width; }

 public:
  __device__ explicit held_tile(room& r) : room_(r) {}

  /// The monoid of totals and prefixes: of tuples if Stride > 1.
  template <class M>
  __device__ static auto of_sums(M m) {
    if constexpr (Stride == 1) {
      return m;
    } else {
      return ravel::detail::tuple_monoid<M, Stride>{m};
    }
  }

  template <class Load, class M>
  __device__ void load(tile t, Load load, M m) {
    t_ = t;
    T* const of_warp = transposed();
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

  /// Replaces each element by its inclusive prefix.  Returns the last one, in the first thread
  /// only. ahead(total) must return the tile's exclusive prefix.
  template <class M, class Ahead>
  __device__ sum scan(M m, Ahead ahead) {
    auto const join = of_sums(m);
    // Computes the total of each thread, then of each warp, then of the tile.
    sum of_thread{};
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      T& y = at_place(of_thread, k);
      y = k < Stride ? x_[k] : m(y, x_[k]);
    }
    sum const through_thread = warp_scan(of_thread, join);
    sum through = shuffle_up(through_thread, 1);
    if (lane() == warp_size - 1) room_.of_warp[warp()] = through_thread;
    __syncthreads();

    if (warp() == 0) scan_totals_of_warps<warps>(room_.of_warp, room_.through, join, ahead);
    __syncthreads();

    ahead_of_warp_ = room_.of_warp[warp()];
    through = lane() > 0 ? join(ahead_of_warp_, through) : ahead_of_warp_;
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      T& y = at_place(through, k);
      x_[k] = y = m(y, x_[k]);
    }
    return room_.through[0];
  }

  /// Must be called between two scans: resets the elements of the last tile past the end to the
  /// identity.
  template <class M>
  __device__ void clear_after_end(M m) {
    index_t const begin = t_.begin + (index_t{warp()} * warp_size + lane()) * rows;
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      if (begin + k >= t_.end) x_[k] = m.identity();
    }
  }

  /// After a scan: calls visit(i, before, through) for each element.
  template <class Visit>
  __device__ void visit(Visit visit) const {
    T* const of_warp = transposed();
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
        sum ahead = ahead_of_warp_;
        visit(begin + r * warp_size,
              place >= Stride ? T(of_warp[place >= Stride ? place - Stride : 0])
                              : at_place(ahead, place),
              through);
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
