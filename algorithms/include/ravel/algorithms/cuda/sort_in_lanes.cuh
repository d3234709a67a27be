#pragma once

/// Sorting networks on registers: a thread sorts its keys, and groups of lanes of a warp sort
/// theirs together by shuffles.
///
/// Which registers are exchanged does not depend on the keys, so nothing diverges and no register
/// is indexed at run time.
///
/// Source   Batcher, "Sorting networks and their applications", AFIPS 1968: merge exchange within a
///          thread, and bitonic merges between lanes.

#include <ravel/core/cuda/warp.cuh>

namespace ravel::inline v0::gpu::detail {

template <class U>
__device__ void compare_exchange(U& x, U& y) {
  if constexpr (sizeof(U) <= 4) {
    U const least = ::min(x, y);
    y = ::max(x, y);
    x = least;
  } else {  // one comparison instead of a min and a max
    bool const is_other = y < x;
    U const least = is_other ? y : x;
    y = is_other ? x : y;
    x = least;
  }
}

/// The comparators of Batcher's merge exchange for runs of Run keys, at distance Far and then at
/// smaller distances.
template <int Run, int Far, int N, class U>
__device__ void merge_exchange(U (&x)[N]) {
#pragma unroll
  for (int i = Far % Run; i + Far < N; ++i) {
    bool const is_first = (i - Far % Run) % (2 * Far) < Far;
    if (is_first && i / (2 * Run) == (i + Far) / (2 * Run)) compare_exchange(x[i], x[i + Far]);
  }
  if constexpr (Far > 1) {
    merge_exchange<Run, Far / 2>(x);
  } else if constexpr (2 * Run < N) {
    merge_exchange<2 * Run, 2 * Run>(x);
  }
}

/// Sorts the N keys of a thread, for any N.
template <int N, class U>
__device__ void sort_in_thread(U (&x)[N]) {
  if constexpr (N > 1) merge_exchange<1, 1>(x);
}

/// Permutes registers: register k moves to k ^ bits, where bits < N, a power of two.
template <int Bit = 1, int N, class U>
__device__ void xor_permute(U (&x)[N], int bits) {
  bool const swap = (bits & Bit) != 0;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    if ((k & Bit) == 0) {
      U const first = x[k];
      x[k] = swap ? x[k + Bit] : first;
      x[k + Bit] = swap ? first : x[k + Bit];
    }
  }
  if constexpr (2 * Bit < N) xor_permute<2 * Bit>(x, bits);
}

/// Sorts a bitonic sequence: comparators at distance Far, then at half of it, and so on.
template <int Far, int N, class U>
__device__ void merge_bitonic(U (&x)[N]) {
#pragma unroll
  for (int k = 0; k < N; ++k) {
    if ((k & Far) == 0) compare_exchange(x[k], x[k + Far]);
  }
  if constexpr (Far > 1) merge_bitonic<Far / 2>(x);
}

/// The lesser or the greater of two.
template <class U>
__device__ U one_of(U x, U y, bool greater) {
  return (x < y) != greater ? x : y;
}

/// Each group of `lanes` adjacent lanes sorts its keys, N of each lane; both are powers of two.
/// Afterwards the first lane of the group has the least keys.  `lanes` must be uniform in a warp.
template <int N, class U>
__device__ void sort_in_lanes(U (&x)[N], int lanes) {
  int const lane = threadIdx.x % warp_size;
  sort_in_thread(x);
#pragma unroll 1
  for (int run = 1; run < lanes; run *= 2) {
    // Compares with the other run in reverse: then the lesser half goes to the first run, and both
    // halves are bitonic.
#pragma unroll
    for (int k = 0; k < N / 2; ++k) {
      U const y = __shfl_xor_sync(whole_warp, x[N - 1 - k], 2 * run - 1);
      U const z = __shfl_xor_sync(whole_warp, x[k], 2 * run - 1);
      bool const greater = (lane & run) != 0;
      x[k] = one_of(x[k], y, greater);
      x[N - 1 - k] = one_of(x[N - 1 - k], z, greater);
    }
#pragma unroll 1
    for (int far = run / 2; far > 0; far /= 2) {
#pragma unroll
      for (int k = 0; k < N; ++k) {
        U const y = __shfl_xor_sync(whole_warp, x[k], far);
        x[k] = one_of(x[k], y, (lane & far) != 0);
      }
    }
    merge_bitonic<N / 2>(x);
  }
}

}  // namespace ravel::inline v0::gpu::detail
