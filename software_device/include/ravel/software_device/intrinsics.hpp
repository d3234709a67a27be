#pragma once

/// CUDA's names for device operations, for a device in software.

#include <ravel/core/vocabulary.hpp>
#include <ravel/software_device/device.hpp>

#include <cstring>

#ifndef RAVEL_WARP_SIZE
#  define RAVEL_WARP_SIZE 32
#endif

// Names that CUDA gives.
// NOLINTBEGIN(readability-identifier-naming)
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static thread_local

namespace ravel::software {

/// A value as a word, and back.
template <class T>
std::uint64_t word_of(T x) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  std::uint64_t word = 0;
  std::memcpy(&word, &x, sizeof(T));
  return word;
}
template <class T>
T value_of(std::uint64_t word) {
  T x;
  std::memcpy(&x, &word, sizeof(T));
  return x;
}

/// `x` of lane `from`, or the lane's own if there is no such lane.
template <class T>
T shuffled(char const* what, unsigned mask, T x, int from) {
  return value_of<T>(shuffle(what, mask, word_of(x), from));
}
inline int lane() { return static_cast<int>(device::thread() % device::lanes()); }

/// The words of the lanes in `mask`, folded.
template <class Fold>
unsigned reduced(char const* what, unsigned mask, unsigned x, Fold fold) {
  std::uint64_t const* const words = meet(what, mask, x);
  unsigned all = 0;
  for (unsigned l = 0; l < device::lanes(); ++l) {
    if ((mask >> l & 1) != 0) all = fold(all, static_cast<unsigned>(words[l]));
  }
  return all;
}

/// Changes shared data; other threads may run before and after.
template <class T, class Change>
T atomically(T* at, Change change) {
  T const before = *at;
  *at = change(before);
  device::changed();
  if (dice::roll(4) == 0) device::poll();
  return before;
}

}  // namespace ravel::software

/// The type of threadIdx.x and similar variables, which reads the current thread's value.
template <unsigned (*Read)()>
struct software_index {
  struct {
    operator unsigned() const { return Read(); }
  } x;
};
inline constexpr software_index<ravel::software::device::thread> threadIdx{};
inline constexpr software_index<ravel::software::device::block> blockIdx{};
inline constexpr software_index<ravel::software::device::threads> blockDim{};
inline constexpr software_index<ravel::software::device::blocks> gridDim{};

inline void __syncthreads() { ravel::software::sync(0, ravel::software::device::threads()); }
inline void __syncwarp(unsigned mask = 0xffffffffu >> (32 - RAVEL_WARP_SIZE)) {
  ravel::software::meet("__syncwarp", mask, 0);
}
inline int __syncthreads_count(bool yes) {
  return static_cast<int>(ravel::software::sync_and_count(yes));
}
template <class T>
T __shfl_sync(unsigned mask, T x, int lane) {
  return ravel::software::shuffled("__shfl_sync", mask, x, lane & (RAVEL_WARP_SIZE - 1));
}
template <class T>
T __shfl_up_sync(unsigned mask, T x, unsigned delta) {
  return ravel::software::shuffled("__shfl_up_sync", mask, x,
                                   ravel::software::lane() - static_cast<int>(delta));
}
template <class T>
T __shfl_down_sync(unsigned mask, T x, unsigned delta) {
  return ravel::software::shuffled("__shfl_down_sync", mask, x,
                                   ravel::software::lane() + static_cast<int>(delta));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T x, int bits) {
  return ravel::software::shuffled("__shfl_xor_sync", mask, x, ravel::software::lane() ^ bits);
}
inline unsigned __ballot_sync(unsigned mask, bool yes) {
  return ravel::software::votes("__ballot_sync", mask, yes);
}
template <class T>
T __ldcs(T const* from) {
  return *from;
}
inline bool __all_sync(unsigned mask, bool yes) {
  return ravel::software::votes("__all_sync", mask, yes) == mask;
}
inline bool __any_sync(unsigned mask, bool yes) {
  return ravel::software::votes("__any_sync", mask, yes) != 0;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T x) {
  return ravel::software::matches("__match_any_sync", mask, ravel::software::word_of(x));
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned x) {
  return ravel::software::reduced("__reduce_add_sync", mask, x,
                                  [](unsigned a, unsigned b) { return a + b; });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned x) {
  return ravel::software::reduced("__reduce_or_sync", mask, x,
                                  [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned x) {
  return ravel::software::reduced("__reduce_max_sync", mask, x,
                                  [](unsigned a, unsigned b) { return a < b ? b : a; });
}

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
template <class T>
T min(T x, T y) {
  return y < x ? y : x;
}
template <class T>
T max(T x, T y) {
  return x < y ? y : x;
}

/// The dot product of the bytes of two words, added to a third.
inline unsigned __dp4a(unsigned x, unsigned y, unsigned sum) {
  for (int k = 0; k < 32; k += 8) sum += (x >> k & 0xff) * (y >> k & 0xff);
  return sum;
}
/// Four of the eight bytes of two words, selected by the digits of `which`.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned which) {
  std::uint64_t const bytes = std::uint64_t{high} << 32 | low;
  unsigned picked = 0;
  for (int k = 0; k < 4; ++k) {
    picked |= static_cast<unsigned>(bytes >> 8 * (which >> 4 * k & 7) & 0xff) << 8 * k;
  }
  return picked;
}

/// 32 bits, from bit `shift` on, of the concatenation of high and low.
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  std::uint64_t const both = std::uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both >> (shift % 32));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  std::uint64_t const both = std::uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both << (shift % 32) >> 32);
}

/// The elements of type T in two words, each chosen from one of them.
template <class T, class Choose>
unsigned chosen_of_words(unsigned x, unsigned y, Choose choose) {
  constexpr unsigned width = 8 * sizeof(T);
  unsigned all = 0;
  for (unsigned shift = 0; shift < 32; shift += width) {
    auto const one = choose(static_cast<T>(x >> shift), static_cast<T>(y >> shift));
    all |= unsigned{static_cast<std::make_unsigned_t<T>>(one)} << shift;
  }
  return all;
}
inline unsigned __vminu4(unsigned x, unsigned y) {
  return chosen_of_words<std::uint8_t>(x, y, min<std::uint8_t>);
}
inline unsigned __vmins4(unsigned x, unsigned y) {
  return chosen_of_words<std::int8_t>(x, y, min<std::int8_t>);
}
inline unsigned __vminu2(unsigned x, unsigned y) {
  return chosen_of_words<std::uint16_t>(x, y, min<std::uint16_t>);
}
inline unsigned __vmins2(unsigned x, unsigned y) {
  return chosen_of_words<std::int16_t>(x, y, min<std::int16_t>);
}
inline unsigned __vmaxu4(unsigned x, unsigned y) {
  return chosen_of_words<std::uint8_t>(x, y, max<std::uint8_t>);
}
inline unsigned __vmaxs4(unsigned x, unsigned y) {
  return chosen_of_words<std::int8_t>(x, y, max<std::int8_t>);
}
inline unsigned __vmaxu2(unsigned x, unsigned y) {
  return chosen_of_words<std::uint16_t>(x, y, max<std::uint16_t>);
}
inline unsigned __vmaxs2(unsigned x, unsigned y) {
  return chosen_of_words<std::int16_t>(x, y, max<std::int16_t>);
}

/// 0xff in each byte that differs.
inline unsigned __vcmpne4(unsigned x, unsigned y) {
  unsigned differ = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    if ((x >> shift & 0xff) != (y >> shift & 0xff)) differ |= 0xffu << shift;
  }
  return differ;
}
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __clz(unsigned x) { return std::countl_zero(x); }
inline int __ffs(unsigned x) { return x == 0 ? 0 : std::countr_zero(x) + 1; }
inline void __threadfence() {}
inline void __nanosleep(unsigned) { ravel::software::device::poll(); }

template <class T>
T atomicAdd(T* to, std::type_identity_t<T> x) {
  return ravel::software::atomically(to, [=](T y) { return static_cast<T>(y + x); });
}
template <class T>
T atomicAnd(T* to, std::type_identity_t<T> x) {
  return ravel::software::atomically(to, [=](T y) { return static_cast<T>(y & x); });
}
template <class T>
T atomicOr(T* to, std::type_identity_t<T> x) {
  return ravel::software::atomically(to, [=](T y) { return static_cast<T>(y | x); });
}
template <class T>
T atomicMax(T* to, std::type_identity_t<T> x) {
  return ravel::software::atomically(to, [=](T y) { return y < x ? x : y; });
}
template <class T>
T atomicCAS(T* to, std::type_identity_t<T> expected, std::type_identity_t<T> x) {
  return ravel::software::atomically(to, [=](T y) { return y == expected ? x : y; });
}
// NOLINTEND(readability-identifier-naming)
