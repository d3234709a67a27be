#pragma once

/// Stable ranking of a tile's elements by digit, by one block: the core of a radix sort pass.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/half_words.cuh>
#include <ravel/core/cuda/lanes_of_digit.cuh>
#include <ravel/core/cuda/warp.cuh>

namespace ravel::inline v0::gpu {

/// Exclusive scan of a few counts by a block: out[d] = in[0] + ... + in[d - 1].  `out` may be `in`.
template <int Threads, int Ways>
__device__ void scan_few(unsigned const* in, unsigned* out) {
  constexpr int groups = (Ways + warp_size - 1) / warp_size;
  constexpr int warps = Threads / warp_size;
  __shared__ unsigned of_group[groups];
  int const lane = threadIdx.x % warp_size;
  __syncthreads();
  for (int g = threadIdx.x / warp_size; g < groups; g += warps) {
    int const d = g * warp_size + lane;
    unsigned const here = d < Ways ? in[d] : 0;
    unsigned const through = warp_scan(here, plus<unsigned>{});
    if (d < Ways) out[d] = through - here;
    if (lane == warp_size - 1) of_group[g] = through;
  }
  __syncthreads();
  for (int d = threadIdx.x; d < Ways; d += Threads) {
    unsigned ahead = 0;
#pragma unroll
    for (int g = 0; g < groups; ++g) ahead += g < d / warp_size ? of_group[g] : 0u;
    out[d] += ahead;
  }
}

/// Orders a tile by digits of `Bits` bits, by a block.
///
/// Warp w has the tile's elements [32 w m, 32 (w + 1) m), and its lane l those at l, l + 32, ...,
/// of which there are m <= Items:
///
///     rank       for each element: the number of preceding elements of its warp with its digit
///     count      for each digit: its number of elements, passed to one thread as soon as known
///     start      for each digit: the position of its first element in the tile
///     slot       for each element: its position in the tile
///
/// Every thread of the block calls these four, in this order.  Instead it may call
///
///     tally      instead of rank: counts are known earlier, and no ranks occupy registers
///     count, start
///     next_slot  instead of slot, for the thread's elements in order
///
/// Source   Merrill and Garland's ranking in CUB; Ashkiani, Davidson, Meyer and Owens, "GPU
///          Multisplit", PPoPP 2016, for votes within a warp.
template <int Threads, int Items, int Bits = 8>
struct digit_ranks {
  static constexpr int threads = Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr int ways = 1 << Bits;
  static_assert(Threads * Items < 1 << 16, "ranks and places are half words");

  /// The shared memory that a block needs.
  struct room {
    unsigned of_warp[warps][ways];  // counts of each warp, later positions
    unsigned total[ways];
    unsigned start[ways];
  };
  room& in;

  __device__ static int lane() { return threadIdx.x % warp_size; }
  __device__ static int warp() { return threadIdx.x / warp_size; }

  /// Ranks the thread's `m` elements; digit(k) is the digit of the k-th.  `Ranks` stores ranks as
  /// words, or as half words to reduce register pressure.
  template <class Digit, class Ranks>
  __device__ void rank(int m, Digit digit, Ranks& ranks) const {
    unsigned* const counts = in.of_warp[warp()];
    for (int d = lane(); d < ways; d += warp_size) counts[d] = 0;
    __syncwarp();
    unsigned const lower = (1u << lane()) - 1;
#pragma unroll
    for (int k = 0; k < Items; ++k) {
      if (k < m) {
        unsigned const d = digit(k);
        unsigned const same = lanes_of_digit<Bits>(d);
        unsigned const ahead = counts[d];
        unsigned const here = __popc(same & lower);
        __syncwarp();
        if (here == 0) counts[d] = ahead + __popc(same);
        __syncwarp();
        ranks.set(k, ahead + here);
      }
    }
  }

  /// Counts the digits of the warp's elements.
  template <class Digit>
  __device__ void tally(Digit digit) const {
    unsigned* const counts = in.of_warp[warp()];
    for (int d = lane(); d < ways; d += warp_size) counts[d] = 0;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < Items; ++k) atomicAdd(&counts[digit(k)], 1u);
  }
  /// The position of the thread's next element, whose digit is d.
  __device__ unsigned next_slot(unsigned d) const {
    unsigned* const places = in.of_warp[warp()];
    unsigned const same = lanes_of_digit<Bits>(d);
    unsigned const place = places[d];
    unsigned const here = __popc(same & ((1u << lane()) - 1));
    __syncwarp();
    if (here == 0) places[d] = place + __popc(same);
    __syncwarp();
    return place + here;
  }

  /// Calls receive(d, count) for each digit, from one thread per digit.
  template <class Receive>
  __device__ void count(Receive receive) const {
    __syncthreads();
    for (int d = threadIdx.x; d < ways; d += threads) {
      unsigned sum = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) sum += in.of_warp[w][d];
      in.total[d] = sum;
      receive(d, sum);
    }
  }

  __device__ void start() const {
    scan_few<threads, ways>(in.total, in.start);
    for (int d = threadIdx.x; d < ways; d += threads) {
      unsigned place = in.start[d];
      constexpr int at_once = warps % 8 == 0 ? 8 : warps % 2 == 0 ? 2 : 1;
#pragma unroll
      for (int w = 0; w < warps; w += at_once) {
        unsigned here[at_once];
#pragma unroll
        for (int j = 0; j < at_once; ++j) here[j] = in.of_warp[w + j][d];
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
          in.of_warp[w + j][d] = place;
          place += here[j];
        }
      }
    }
    __syncthreads();
  }

  /// Calls count and start, for callers that do not need the counts.
  __device__ void place() const {
    count([](int, unsigned) {});
    start();
  }

  __device__ unsigned slot(unsigned digit, unsigned rank) const {
    return in.of_warp[warp()][digit] + rank;
  }
};

}  // namespace ravel::inline v0::gpu
