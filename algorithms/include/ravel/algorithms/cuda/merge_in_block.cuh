#pragma once

/// Merge sort of words in shared memory by one block: each thread sorts a few in registers, then runs are
/// merged in pairs.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::gpu::detail {

/// Each thread sorts `Own` consecutive keys by a network; then runs are merged in pairs, by each
/// thread from its place on their merge path on.  A call of its own, since few blocks have crowded keys: inlined
/// it takes registers from the sort of all others, which then takes 6 % longer.
template <int Own, class U>
[[gnu::noinline]] __device__ void sort_by_merges_of(U* staged, int m) {
  int const first = static_cast<int>(threadIdx.x) * Own;
  U key[Own];
#pragma unroll
  for (int k = 0; k < Own; ++k) {
    key[k] = first + k < m ? staged[first + k] : static_cast<U>(~U{0});
  }
#pragma unroll
  for (int round = 0; round < Own; ++round) {
#pragma unroll
    for (int k = round % 2; k + 1 < Own; k += 2) {
      U const lower = ::min(key[k], key[k + 1]);
      key[k + 1] = ::max(key[k], key[k + 1]);
      key[k] = lower;
    }
  }
  for (int run = Own;; run *= 2) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Own; ++k) staged[first + k] = key[k];
    __syncthreads();
    if (run >= m) return;
    int const begin = first / (2 * run) * (2 * run), diagonal = first - begin;
    if (begin >= m) continue;  // copies of the greatest word
    U const *const a = staged + begin, *const b = a + run;
    int i = ::max(diagonal - run, 0);
    for (int last = ::min(diagonal, run); i < last;) {
      int const middle = (i + last) / 2;
      if (b[diagonal - 1 - middle] < a[middle]) {
        last = middle;
      } else {
        i = middle + 1;
      }
    }
    int j = diagonal - i;
    U of_a = a[i], of_b = b[j];
#pragma unroll
    for (int k = 0; k < Own; ++k) {
      bool const second = j < run && (i >= run || of_b < of_a);
      key[k] = second ? of_b : of_a;
      U const next = second ? b[++j] : a[++i];
      (second ? of_b : of_a) = next;
    }
  }
}

/// Merges, by as many keys of a thread as keep most threads busy.
template <int Threads, int Items, class U>
__device__ void sort_by_merges(U* staged, int m) {
  constexpr int few = Items < 5 ? Items : 5;
  if (m <= Threads * few) {
    sort_by_merges_of<few>(staged, m);
  } else {
    sort_by_merges_of<Items>(staged, m);
  }
}

}  // namespace ravel::inline v0::gpu::detail
