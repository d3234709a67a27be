#pragma once

/// The team that works on a tile on the device: one thread block.

#include <ravel/core/cuda/warp.cuh>

#include <cstdint>
#include <cstring>

namespace ravel::inline v0::gpu {

/// Shared memory for N values of a type that may have a constructor; __shared__ itself does not
/// allow such types.
template <class T, int N>
struct shared_array {
  alignas(T) unsigned char bytes[N * sizeof(T)];
  __device__ T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

/// Functions that read at most 8 bytes for each element, which a thread can keep of several.
template <class F>
inline constexpr bool reads_few_bytes = false;
template <reads_ahead F>
inline constexpr bool reads_few_bytes<F> = sizeof(typename F::element) <= 8;

/// A function of elements of 1 or 2 bytes in memory, whose results are as wide and written to memory.
template <class Load, class Visit>
concept maps_narrow = requires(Load const& load, Visit const& visit) {
  typename Load::only_input;
  load.f(*load.a);
  requires sizeof(*load.a) <= 2 && sizeof(*visit.out) == sizeof(*load.a);
  requires std::is_trivial_v<std::remove_cvref_t<decltype(*load.a)>>;
  requires std::is_trivial_v<std::remove_cvref_t<decltype(*visit.out)>>;
};

/// A thread block as a team, with the operations of cpu::worker.
///
/// It processes a tile in rounds of `threads` consecutive elements, so that every load and store is
/// coalesced; the carry stays in a register.  Every thread of the block must call an operation, and
/// every thread gets its result.
template <int Threads>
struct block_of {
  static_assert(Threads % warp_size == 0 && Threads <= warp_size * warp_size,
                "a block is whole warps, and as many as one warp can scan");
  static constexpr int threads = Threads;
  static constexpr int warps = threads / warp_size;
  static constexpr int rounds = 8;  // rounds for a whole tile
  static constexpr index_t tile_width = index_t{rounds} * threads;

  __device__ static bool leads() { return threadIdx.x == 0; }

  template <class T, int N>
  __device__ static shared_array<T, N>& shared() {
    __shared__ shared_array<T, N> room;
    return room;
  }
  __device__ static void sync() { __syncthreads(); }

  template <class F>
  __device__ static void for_each(tile t, F f) {
    if constexpr (reads_few_bytes<F>) {
      map(
          t, [&](index_t i) { return f.read(i); },
          [&](index_t i, auto const& x) { f.write(i, x); });
    } else {
      for (index_t i = t.begin + threadIdx.x; i < t.end; i += threads) f(i);
    }
  }

  template <class Load, class Visit>
  __device__ static void map(tile t, Load load, Visit visit) {
    if constexpr (maps_narrow<Load, Visit>) {
      if (t.end - t.begin == tile_width && map_vectors(t, load, visit)) return;
    }
    if (t.end - t.begin < tile_width) {
      for (index_t i = t.begin + threadIdx.x; i < t.end; i += threads) visit(i, load(i));
    } else {
      using T = std::remove_cvref_t<decltype(load(t.begin))>;
      T x[rounds];
      index_t const first = t.begin + threadIdx.x;
      for (int k = 0; k < rounds; ++k) x[k] = load(first + k * threads);
      for (int k = 0; k < rounds; ++k) visit(first + k * threads, x[k]);
    }
  }

  /// A tile of small values is transposed in shared memory: then each thread combines adjacent
  /// values in registers, and a warp needs one round of shuffles.
  template <class Load, class M, class T>
  __device__ static T reduce(tile t, Load load, M m, T carry) {
    if constexpr (sizeof(T) <= 16) {
      if (t.end - t.begin == tile_width) return m(carry, reduce_transposed<true>(t, load, m));
      return t.begin < t.end ? m(carry, reduce_transposed<false>(t, load, m)) : carry;
    }
    return scan(t, load, unvisited{}, m, carry);
  }

  template <class Load, class Visit, class M, class T>
  __device__ static T scan(tile t, Load load, Visit visit, M m, T carry) {
    __shared__ shared_array<T, warps> warp_through;  // the inclusive scan of the warps' totals
    int const lane = threadIdx.x % warp_size;
    int const warp = threadIdx.x / warp_size;

    for (index_t base = t.begin; base < t.end; base += threads) {
      index_t const i = base + threadIdx.x;
      T const x = i < t.end ? T(load(i)) : T(m.identity());

      // Scan each warp, then let the first warp scan the warp totals.
      T const in_warp = warp_scan(x, m);
      if (lane == warp_size - 1) warp_through[warp] = in_warp;
      __syncthreads();
      if (warp == 0) {
        T const total = lane < warps ? warp_through[lane] : T(m.identity());
        T const through = warp_scan(total, m);
        if (lane < warps) warp_through[lane] = through;
      }
      __syncthreads();

      // Combine: carry, then the preceding warps, then the preceding lanes.
      T const ahead = warp > 0 ? m(carry, warp_through[warp - 1]) : carry;
      T const left = shuffle_up(in_warp, 1);
      if (i < t.end) visit(i, lane > 0 ? m(ahead, left) : ahead, m(ahead, in_warp));
      carry = m(carry, warp_through[warps - 1]);
      __syncthreads();  // warp_through is rewritten in the next round
    }
    return carry;
  }

  template <int Ways, class Digit, class Put>
  __device__ static void count(tile t, Digit digit, Put put) {
    __shared__ unsigned counts[Ways];
    for (int d = threadIdx.x; d < Ways; d += threads) counts[d] = 0;
    __syncthreads();
    for (index_t i = t.begin + threadIdx.x; i < t.end; i += threads)
      atomicAdd(&counts[digit(i)], 1u);
    __syncthreads();
    for (int d = threadIdx.x; d < Ways; d += threads) put(d, static_cast<index_t>(counts[d]));
    __syncthreads();  // counts is cleared by the next call
  }

  template <int Ways, class Digit, class Start, class Visit>
  __device__ static void rank(tile t, Digit digit, Start start, Visit visit) {
    __shared__ index_t next[Ways];  // the position of the next element of each digit
    // for each warp and digit, how many elements of earlier warps in this round have it
    __shared__ unsigned ahead[warps][Ways + 1];
    int const lane = threadIdx.x % warp_size;
    int const warp = threadIdx.x / warp_size;
    constexpr int none = Ways;  // the digit of a thread past the end

    for (int d = threadIdx.x; d < Ways; d += threads) next[d] = start(d);
    for (index_t base = t.begin; base < t.end; base += threads) {
      index_t const i = base + threadIdx.x;
      int const d = i < t.end ? digit(i) : none;

      // Each warp counts its own digits: of the lanes with equal digits the lowest adds their
      // number.
      for (int k = lane; k <= Ways; k += warp_size) ahead[warp][k] = 0;
      __syncwarp();
      unsigned const same = __match_any_sync(whole_warp, d);
      int const lower = __popc(same & ((1u << lane) - 1));
      if (lower == 0) ahead[warp][d] = __popc(same);
      __syncthreads();

      // Scans the counts over warps (exclusively), and keeps each digit's total for this round.
      unsigned total[div_up(Ways, threads)];
      for (int k = 0; k < div_up(Ways, threads); ++k) {
        unsigned sum = 0;
        unsigned const digit_of_mine = threadIdx.x + static_cast<unsigned>(k * threads);
        if (digit_of_mine < Ways) {
          for (int w = 0; w < warps; ++w) {
            unsigned const here = ahead[w][digit_of_mine];
            ahead[w][digit_of_mine] = sum;
            sum += here;
          }
        }
        total[k] = sum;
      }
      __syncthreads();
      if (d != none) visit(i, d, next[d] + ahead[warp][d] + lower);
      __syncthreads();
      for (int k = 0; k < div_up(Ways, threads); ++k) {
        unsigned const digit_of_mine = threadIdx.x + static_cast<unsigned>(k * threads);
        if (digit_of_mine < Ways) next[digit_of_mine] += total[k];
      }
      __syncthreads();
    }
    __syncthreads();  // after an empty tile, the next call must not overwrite shared memory yet
  }

 private:
  /// Maps a whole tile by vectors of 8 bytes, unless the elements are not aligned.
  template <class Load, class Visit>
  __device__ static bool map_vectors(tile t, Load const& load, Visit const& visit) {
    using In = std::remove_cvref_t<decltype(*load.a)>;
    using Out = std::remove_cvref_t<decltype(*visit.out)>;
    constexpr int per_word = 8 / static_cast<int>(sizeof(In));
    auto const* const src = reinterpret_cast<uint2 const*>(load.a + t.begin);
    auto* const dst = reinterpret_cast<uint2*>(visit.out + t.begin);
    if ((reinterpret_cast<std::uintptr_t>(src) | reinterpret_cast<std::uintptr_t>(dst)) % 8 != 0) {
      return false;
    }
    constexpr int many = rounds / per_word;
    uint2 x[many];
#pragma unroll
    for (int k = 0; k < many; ++k) x[k] = src[k * threads + threadIdx.x];
#pragma unroll
    for (int k = 0; k < many; ++k) {
      In in[per_word];
      Out out[per_word];
      std::memcpy(static_cast<void*>(in), &x[k], 8);
#pragma unroll
      for (int i = 0; i < per_word; ++i) out[i] = static_cast<Out>(load.f(in[i]));
      std::memcpy(&x[k], out, 8);
      dst[k * threads + threadIdx.x] = x[k];
    }
    return true;
  }

  template <bool IsWhole, class Load, class M>
  __device__ static auto reduce_transposed(tile t, Load load, M m) {
    using T = std::remove_cvref_t<decltype(m.identity())>;
    // One value of padding for each thread avoids bank conflicts when lanes read adjacent values.
    auto& transposed = shared<T, tile_width + threads>();
    auto& warp_total = shared<T, warps>();
    int const thread = threadIdx.x;
    T x[rounds];
    for (int k = 0; k < rounds; ++k) {
      index_t const i = t.begin + k * threads + thread;
      x[k] = IsWhole || i < t.end ? T(load(i)) : T(m.identity());
    }
    for (int k = 0; k < rounds; ++k) {
      int const place = k * threads + thread;
      transposed[place + place / rounds] = x[k];
    }
    __syncthreads();
    T sum = transposed[thread * (rounds + 1)];
    for (int k = 1; k < rounds; ++k) sum = m(sum, T(transposed[thread * (rounds + 1) + k]));
    T const in_warp = warp_scan(sum, m);
    if (thread % warp_size == warp_size - 1) warp_total[thread / warp_size] = in_warp;
    __syncthreads();
    T total = warp_total[0];
    for (int w = 1; w < warps; ++w) total = m(total, T(warp_total[w]));
    __syncthreads();  // both arrays are rewritten by the next call
    return total;
  }

  struct unvisited {
    template <class T>
    __device__ void operator()(index_t, T const&, T const&) const {}
  };
};

/// The team of for_each_tile: a thread block of 256 threads, or fewer on a device with narrower
/// warps.
using block = block_of<(warp_size < 16 ? warp_size * warp_size : 256)>;

}  // namespace ravel::inline v0::gpu
