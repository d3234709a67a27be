#pragma once

/// @file
/// A thread's adjacent elements in registers, read and written 16 bytes at a time.

#include <cstring>

namespace ravel::inline v0::gpu::detail {

/// 16 bytes of shared memory, which a thread reads or writes by one instruction.
using vector128 = uint4;

/// A thread's adjacent elements of a tile: `Vectors` vectors of 16 bytes.  Threads that read tiles in
/// shared memory have an odd number where they can, which avoids bank conflicts.
template <class T, int Vectors>
struct neighbours {
  static constexpr int per_vector = 16 / static_cast<int>(sizeof(T));
  static constexpr int count = Vectors * per_vector;
  vector128 v[Vectors];

  static __device__ neighbours read(char const* from) {
    neighbours x;
#pragma unroll
    for (int i = 0; i < Vectors; ++i) x.v[i] = reinterpret_cast<vector128 const*>(from)[i];
    return x;
  }
  __device__ void write(char* to) const {
#pragma unroll
    for (int i = 0; i < Vectors; ++i) reinterpret_cast<vector128*>(to)[i] = v[i];
  }
  __device__ unsigned& word(int k) {
    vector128& x = v[k / 4];
    return k % 4 == 0 ? x.x : k % 4 == 1 ? x.y : k % 4 == 2 ? x.z : x.w;
  }
  __device__ unsigned word(int k) const { return const_cast<neighbours*>(this)->word(k); }

  /// Element k.  k must be a compile-time constant, as in an unrolled loop, so that the vectors
  /// stay in registers.
  __device__ T get(int k) const {
    T x;
    if constexpr (sizeof(T) == 8) {
      unsigned const bits[2] = {word(2 * k), word(2 * k + 1)};
      std::memcpy(static_cast<void*>(&x), bits, 8);
    } else {
      constexpr int in_word = 4 / static_cast<int>(sizeof(T));
      unsigned const bits = word(k / in_word) >> (k % in_word * 8 * static_cast<int>(sizeof(T)));
      std::memcpy(static_cast<void*>(&x), &bits, sizeof(T));
    }
    return x;
  }
  __device__ void set(int k, T const& x) {
    if constexpr (sizeof(T) == 8) {
      unsigned bits[2];
      std::memcpy(bits, &x, 8);
      word(2 * k) = bits[0];
      word(2 * k + 1) = bits[1];
    } else if constexpr (sizeof(T) == 4) {
      unsigned bits;
      std::memcpy(&bits, &x, 4);
      word(k) = bits;
    } else {
      constexpr int width = 8 * static_cast<int>(sizeof(T));
      constexpr int in_word = 32 / width;
      unsigned bits = 0;
      std::memcpy(&bits, &x, sizeof(T));
      int const shift = k % in_word * width;
      unsigned const rest = word(k / in_word) & ~(((1u << width) - 1) << shift);
      word(k / in_word) = rest | bits << shift;
    }
  }
};

}  // namespace ravel::inline v0::gpu::detail
