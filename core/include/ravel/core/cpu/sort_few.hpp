#pragma once

/// Sort of as many keys as vector registers hold; quicksort, whose partitions end where registers
/// hold the keys; and splits at pivots.

#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_quicksort.hpp>

namespace ravel::inline v0::cpu {

#ifndef RAVEL_CHOOSES_VECTORS
namespace loops {
using simd::quicksort_loop;
}
#endif

/// The greatest number of keys that sort_few sorts, and the capacity that its array must have.
template <std::unsigned_integral U>
inline constexpr index_t most_few = 1024 / index_t{sizeof(U)};

/// Whether vectors here are wide enough that sort_few beats a scalar sort.
inline bool sorts_in_vectors() {
#if defined(RAVEL_CHOOSES_VECTORS)
  return loops::vectors_in_use() != vector_width::of_16_bytes;
#elif defined(RAVEL_SIMD)
  return simd::vector_bytes > 16;
#else
  return false;
#endif
}

/// Sorts keys[0, n), of 4 or 8 bytes, for n <= most_few<U>.  The array must have room for
/// most_few<U> keys: those from n on are overwritten.
template <std::unsigned_integral U>
void sort_few(U* keys, index_t n) {
  static_assert(sizeof(U) == 4 || sizeof(U) == 8, "sort_few: keys have 4 or 8 bytes");
#if defined(RAVEL_CHOOSES_VECTORS)
  loops::sort_loop<U>::run(keys, n);
#elif defined(RAVEL_SIMD)
  simd::sort_loop<U>::run(keys, n);
#else
  std::sort(keys, keys + n);
#endif
}

/// Sorts n keys, of 4 or 8 bytes, in place: O(n log n) work.  Returns false, with the keys in any
/// order, if vectors here have less than 64 bytes, or if keys divided too unevenly.
template <std::unsigned_integral U>
bool quicksort_keys(U* keys, index_t n) {
  return loops::quicksort_loop<U>::run(keys, n);
}

/// Whether quicksort_keys sorts on this machine, unless keys divide too unevenly.
inline bool quicksorts_keys() {
#if defined(RAVEL_CHOOSES_VECTORS)
  return loops::vectors_in_use() == vector_width::of_64_bytes;
#elif defined(RAVEL_SIMD)
  return simd::vector_bytes == 64;
#else
  return false;
#endif
}

/// Divides n keys at a pivot, the median of a sample; n is more than two times most_few<U>.  Requires
/// quicksorts_keys().
template <std::unsigned_integral U>
divided_keys divide_keys(U* keys, index_t n) {
  return loops::quicksort_loop<U>::divide(keys, n);
}

/// A split of keys into ways_of_keys parts at ascending splitters: part p has the keys less than
/// ends[p] that are in no part before it.  Requires quicksorts_keys().
template <std::unsigned_integral U>
struct key_splitter {
  U ends[ways_of_keys - 1];
  /// below[p] += #{k < n : keys[k] < ends[p]}
  void count(U const* keys, index_t n, index_t* below) const {
    loops::quicksort_loop<U>::count(keys, n, ends, below);
  }
  /// Writes the keys of part p, in their order, from outs[p] on, and advances outs[p]; parts where that
  /// is null are not written.
  void scatter(U const* keys, index_t n, U** outs) const {
    loops::quicksort_loop<U>::scatter(keys, n, ends, outs);
  }
};

}  // namespace ravel::inline v0::cpu
