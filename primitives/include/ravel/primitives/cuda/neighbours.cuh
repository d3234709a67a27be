#pragma once

/// A thread's adjacent elements in registers, read and written 16 bytes at a time.

#include <cstring>
#include <type_traits>

namespace ravel::inline v0::gpu::detail {

/// 16 bytes of shared memory, which a thread reads or writes by one instruction.
using vector128 = uint4;

/// The type of 4, 8 or 16 bytes that one instruction reads.
template <int Bytes>
using vector_of_bytes =
    std::conditional_t<Bytes == 4, unsigned, std::conditional_t<Bytes == 8, uint2, uint4>>;

/// A thread's adjacent elements of a tile: `Vectors` vectors of `Bytes` bytes.  Threads that read
/// tiles in shared memory have an odd number where they can, which avoids bank conflicts.
template <class T, int Vectors, int Bytes = 16>
struct neighbours {
  using vector = vector_of_bytes<Bytes>;
  static constexpr int per_vector = 16 / static_cast<int>(sizeof(T));  // of 16 bytes
  static constexpr int count = Vectors * Bytes / static_cast<int>(sizeof(T));
  vector v[Vectors];

  static __device__ neighbours read(char const* in) {
    neighbours x;
#pragma unroll
    for (int i = 0; i < Vectors; ++i) x.v[i] = reinterpret_cast<vector const*>(in)[i];
    return x;
  }
  /// As read, from `skew` bytes after `in`, less than 16 and a multiple of the size of an element;
  /// up to 16 bytes more are read.
  static __device__ neighbours read_after(char const* in, int skew) {
    auto const more = neighbours<T, Vectors + 16 / Bytes, Bytes>::read(in);
    constexpr int words = Vectors * Bytes / 4;
    unsigned w[words + 4];
#pragma unroll
    for (int i = 0; i < words + 4; ++i) w[i] = more.word(i);
#pragma unroll
    for (int distance = 1; distance <= 2; ++distance) {
      if ((skew / 4 & distance) != 0) {
#pragma unroll
        for (int i = 0; i < words + 4 - distance; ++i) w[i] = w[i + distance];
      }
    }
    neighbours x;
#pragma unroll
    for (int i = 0; i < words; ++i) {
      x.word(i) = sizeof(T) >= 4 ? w[i] : __funnelshift_r(w[i], w[i + 1], skew % 4 * 8);
    }
    return x;
  }
  __device__ void write(char* out) const {
#pragma unroll
    for (int i = 0; i < Vectors; ++i) reinterpret_cast<vector*>(out)[i] = v[i];
  }
  __device__ unsigned& word(int k) {
    if constexpr (Bytes == 4) {
      return v[k];
    } else if constexpr (Bytes == 8) {
      return k % 2 == 0 ? v[k / 2].x : v[k / 2].y;
    } else {
      vector& x = v[k / 4];
      return k % 4 == 0 ? x.x : k % 4 == 1 ? x.y : k % 4 == 2 ? x.z : x.w;
    }
  }
  __device__ unsigned word(int k) const { return const_cast<neighbours*>(this)->word(k); }

  /// Element k.  k must be a compile-time constant, as in an unrolled loop, so that the vectors
  /// stay in registers.
  __device__ T get(int k) const {
    T x;
    if constexpr (sizeof(T) == 16) {
      unsigned const bits[4] = {word(4 * k), word(4 * k + 1), word(4 * k + 2), word(4 * k + 3)};
      std::memcpy(static_cast<void*>(&x), bits, 16);
    } else if constexpr (sizeof(T) == 8) {
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
    if constexpr (sizeof(T) >= 8) {
      constexpr int words = static_cast<int>(sizeof(T)) / 4;
      unsigned bits[words];
      std::memcpy(bits, &x, sizeof(T));
#pragma unroll
      for (int w = 0; w < words; ++w) word(words * k + w) = bits[w];
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
