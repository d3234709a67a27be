#pragma once

/// @file
/// Sums and scans of a thread's adjacent halves, two per instruction.
///
/// A word (a, b) is scanned by two packed additions, of (0, a) and of the prefix in both halves.
/// Scanning half by half wastes half of each packed addition and doubles the dependency chain: 0.80
/// of copy speed for 2^28 halves on an H200, and 0.96 in pairs.

#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/cuda/thread_scan.cuh>

#include <cuda_fp16.h>

#include <cstring>

namespace ravel::inline v0::gpu {
namespace detail {

template <int Vectors>
struct pairs_of_halves {
  using values = neighbours<__half, Vectors>;
  static constexpr int words = 4 * Vectors;

  static __device__ __half2 pair(unsigned word) {
    __half2 x;
    std::memcpy(static_cast<void*>(&x), &word, sizeof(x));
    return x;
  }
  static __device__ unsigned word(__half2 x) {
    unsigned bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
  }

  template <bool Backward, class M>
  static __device__ __half fold(values const& x, M const&) {
    constexpr int chains = 4;
    __half2 sum[chains];
#pragma unroll
    for (int k = 0; k < words; ++k) {
      __half2 const w = pair(x.word(k));
      sum[k % chains] = k < chains ? w : __hadd2(sum[k % chains], w);
    }
    __half2 const all = __hadd2(__hadd2(sum[0], sum[1]), __hadd2(sum[2], sum[3]));
    return __hadd(__low2half(all), __high2half(all));
  }
  /// Returns  the last inclusive prefix.
  template <bool Inclusive, bool Backward, class M>
  static __device__ __half scan(values const& x, M const&, __half ahead_of_all, values& y) {
    __half2 ahead = __half2half2(ahead_of_all);
#pragma unroll
    for (int k = 0; k < words; ++k) {
      int const i = Backward ? words - 1 - k : k;
      unsigned const w = x.word(i);
      __half2 const neighbour = pair(Backward ? w >> 16 : w << 16);
      __half2 const through = __hadd2(__hadd2(neighbour, pair(w)), ahead);
      y.word(i) = word(Inclusive ? through : __hadd2(neighbour, ahead));
      ahead = Backward ? __low2half2(through) : __high2half2(through);
    }
    return __low2half(ahead);
  }
};

template <int Vectors>
struct in_thread_form<__half, __half, plus<__half>, Vectors> {
  using type = pairs_of_halves<Vectors>;
};
template <int Vectors>
struct in_thread_form<__half, __half, flipped<plus<__half>>, Vectors> {
  using type = pairs_of_halves<Vectors>;
};

}  // namespace detail
}  // namespace ravel::inline v0::gpu
