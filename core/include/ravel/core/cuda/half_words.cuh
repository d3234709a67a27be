#pragma once

/// Arrays of small numbers in registers, one or two per register; and a way to reduce register
/// pressure.

#include <cstring>

namespace ravel::inline v0::gpu {

/// Makes the compiler recompute later what it has computed from x so far, instead of keeping the
/// results in registers.
template <class T>
__device__ void forget_results_of(T& x) {
  if constexpr (sizeof(T) % sizeof(unsigned) == 0) {
    unsigned words[sizeof(T) / sizeof(unsigned)];
    std::memcpy(words, &x, sizeof(T));
    for (unsigned& word : words) asm volatile("" : "+r"(word));
    std::memcpy(static_cast<void*>(&x), words, sizeof(T));
  }
}

/// N numbers, one per register.
template <int N>
class whole_words {
  unsigned words_[N];

 public:
  __device__ unsigned operator[](int k) const { return words_[k]; }
  __device__ void set(int k, unsigned x) { words_[k] = x; }
};

/// N numbers below 2^16, two per register, initially 0.  Indices must be compile-time constants, as
/// in unrolled loops.
template <int N>
class half_words {
  unsigned words_[(N + 1) / 2] = {};

 public:
  __device__ unsigned operator[](int k) const {
    return k % 2 == 0 ? words_[k / 2] & 0xffff : words_[k / 2] >> 16;
  }
  __device__ void set(int k, unsigned x) {
    unsigned& word = words_[k / 2];
    word = k % 2 == 0 ? (word & 0xffff0000) | x : (word & 0xffff) | x << 16;
  }
};

}  // namespace ravel::inline v0::gpu
