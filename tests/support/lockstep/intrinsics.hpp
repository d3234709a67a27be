#pragma once

/// @file
/// The names that CUDA gives to what threads of a device do, for a device in software.

#include "support/lockstep/device.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static thread_local

namespace ravel::testing::lockstep {

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

/// `x` of the lane that from(lane) says, or one's own where that is no lane.
template <class T, class From>
T shuffle(char const* what, unsigned mask, T x, From from) {
  return meet(what, mask, word_of(x), [&](std::uint64_t const* words, unsigned lane) {
    int const source = from(static_cast<int>(lane));
    if (source < 0 || source >= static_cast<int>(lanes)) return x;
    expect_named(what, mask, static_cast<unsigned>(source));
    return value_of<T>(words[source]);
  });
}

/// The lanes of `mask` whose word is as wanted.
template <class Wanted>
unsigned vote(char const* what, unsigned mask, std::uint64_t word, Wanted wanted) {
  return meet(what, mask, word, [&](std::uint64_t const* words, unsigned lane) {
    unsigned found = 0;
    for (unsigned l = 0; l < lanes; ++l) {
      if ((mask >> l & 1) != 0 && wanted(words[l], words[lane])) found |= 1u << l;
    }
    return found;
  });
}
inline unsigned votes(char const* what, unsigned mask, bool yes) {
  return vote(what, mask, yes, [](std::uint64_t word, std::uint64_t) { return word != 0; });
}

/// Changes what others may see, between which anything may happen.
template <class T, class Change>
T atomically(T* at, Change change) {
  T const before = *at;
  *at = change(before);
  device::the().changed();
  if (dice::roll(4) == 0) device::poll();
  return before;
}

}  // namespace ravel::testing::lockstep

/// What each thread reads its own value from: threadIdx.x.
template <class Read>
struct lockstep_index {
  struct {
    operator unsigned() const { return Read{}(); }
  } x;
};
inline constexpr auto lockstep_thread = [] { return ravel::testing::lockstep::device::thread(); };
inline constexpr auto lockstep_block = [] { return ravel::testing::lockstep::device::here().id; };
inline constexpr auto lockstep_threads = [] {
  return ravel::testing::lockstep::device::here().width;
};
inline constexpr auto lockstep_blocks = [] {
  return ravel::testing::lockstep::device::the().grid();
};
inline constexpr lockstep_index<decltype(lockstep_thread)> threadIdx{};
inline constexpr lockstep_index<decltype(lockstep_block)> blockIdx{};
inline constexpr lockstep_index<decltype(lockstep_threads)> blockDim{};
inline constexpr lockstep_index<decltype(lockstep_blocks)> gridDim{};

inline void __syncthreads() {
  using ravel::testing::lockstep::device;
  ravel::testing::lockstep::sync(0, device::here().width);
}
inline void __syncwarp(unsigned mask = 0xffffffff) {
  ravel::testing::lockstep::meet("__syncwarp", mask, 0, [](auto, auto) { return 0; });
}
/// Of two counts after one another each has its own number, which the last to come to the
/// other clears.
inline int __syncthreads_count(bool yes) {
  using ravel::testing::lockstep::device;
  auto& block = device::here();
  unsigned const turn = block.count_turn[device::thread()] ^= 1;
  block.counts[turn] += yes ? 1 : 0;
  if (block.barriers[0].arrived + 1 == block.width) block.counts[turn ^ 1] = 0;
  __syncthreads();
  return static_cast<int>(block.counts[turn]);
}
template <class T>
T __shfl_sync(unsigned mask, T x, int lane) {
  return ravel::testing::lockstep::shuffle("__shfl_sync", mask, x, [=](int) { return lane & 31; });
}
template <class T>
T __shfl_up_sync(unsigned mask, T x, unsigned delta) {
  return ravel::testing::lockstep::shuffle(
      "__shfl_up_sync", mask, x, [=](int lane) { return lane - static_cast<int>(delta); });
}
template <class T>
T __shfl_down_sync(unsigned mask, T x, unsigned delta) {
  return ravel::testing::lockstep::shuffle(
      "__shfl_down_sync", mask, x, [=](int lane) { return lane + static_cast<int>(delta); });
}
template <class T>
T __shfl_xor_sync(unsigned mask, T x, int bits) {
  return ravel::testing::lockstep::shuffle("__shfl_xor_sync", mask, x,
                                           [=](int lane) { return lane ^ bits; });
}
inline unsigned __ballot_sync(unsigned mask, bool yes) {
  return ravel::testing::lockstep::votes("__ballot_sync", mask, yes);
}
template <class T>
T __ldcs(T const* from) {
  return *from;
}
inline bool __all_sync(unsigned mask, bool yes) {
  return ravel::testing::lockstep::votes("__all_sync", mask, yes) == mask;
}
inline bool __any_sync(unsigned mask, bool yes) {
  return ravel::testing::lockstep::votes("__any_sync", mask, yes) != 0;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T x) {
  return ravel::testing::lockstep::vote(
      "__match_any_sync", mask, ravel::testing::lockstep::word_of(x),
      [](std::uint64_t word, std::uint64_t mine) { return word == mine; });
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned x) {
  return ravel::testing::lockstep::meet("__reduce_add_sync", mask, x,
                                        [=](std::uint64_t const* words, unsigned) {
                                          unsigned sum = 0;
                                          for (unsigned l = 0; l < 32; ++l) {
                                            if ((mask >> l & 1) != 0)
                                              sum += static_cast<unsigned>(words[l]);
                                          }
                                          return sum;
                                        });
}

template <class Fold>
unsigned lockstep_reduce(char const* what, unsigned mask, unsigned x, Fold fold) {
  return ravel::testing::lockstep::meet(what, mask, x, [=](std::uint64_t const* words, unsigned) {
    unsigned all = 0;
    for (unsigned l = 0; l < 32; ++l) {
      if ((mask >> l & 1) != 0) all = fold(all, static_cast<unsigned>(words[l]));
    }
    return all;
  });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned x) {
  return lockstep_reduce("__reduce_or_sync", mask, x, [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned x) {
  return lockstep_reduce("__reduce_max_sync", mask, x,
                         [](unsigned a, unsigned b) { return a < b ? b : a; });
}

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
/// Four of the eight bytes of two words, as the digits of `which` say.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned which) {
  std::uint64_t const bytes = std::uint64_t{high} << 32 | low;
  unsigned picked = 0;
  for (int k = 0; k < 4; ++k) {
    picked |= static_cast<unsigned>(bytes >> 8 * (which >> 4 * k & 7) & 0xff) << 8 * k;
  }
  return picked;
}

/// The 32 bits from bit `shift` of high and low, side by side.
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  std::uint64_t const both = std::uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both >> (shift % 32));
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
inline void __nanosleep(unsigned) { ravel::testing::lockstep::device::poll(); }

template <class T>
T atomicAdd(T* to, std::type_identity_t<T> x) {
  return ravel::testing::lockstep::atomically(to, [=](T y) { return static_cast<T>(y + x); });
}
template <class T>
T atomicOr(T* to, std::type_identity_t<T> x) {
  return ravel::testing::lockstep::atomically(to, [=](T y) { return static_cast<T>(y | x); });
}
template <class T>
T atomicMax(T* to, std::type_identity_t<T> x) {
  return ravel::testing::lockstep::atomically(to, [=](T y) { return y < x ? x : y; });
}
