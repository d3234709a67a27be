#pragma once

/// @file
/// Reading what nothing writes meanwhile: what a call reads only once, or again.

#include <ravel/core/config.hpp>

#include <cstring>
#include <type_traits>

namespace ravel::inline v0 {

/// *from, which leaves the caches of a device first: what is read again should stay there.
/// Nothing writes it meanwhile.
template <class T>
RAVEL_HD T read_once(T const* from) {
#if defined(RAVEL_DEVICE_CODE) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_trivially_copyable_v<T> &&
                (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T)) {
    unsigned long long first;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
    T x;
    if constexpr (sizeof(T) == 2) {
      unsigned short bits;
      asm("ld.global.nc.L1::no_allocate.L2::cache_hint.b16 %0, [%1], %2;"
          : "=h"(bits)
          : "l"(from), "l"(first));
      memcpy(&x, &bits, sizeof(T));
    } else if constexpr (sizeof(T) == 4) {
      unsigned bits;
      asm("ld.global.nc.L1::no_allocate.L2::cache_hint.b32 %0, [%1], %2;"
          : "=r"(bits)
          : "l"(from), "l"(first));
      memcpy(&x, &bits, sizeof(T));
    } else {
      unsigned long long bits;
      asm("ld.global.nc.L1::no_allocate.L2::cache_hint.b64 %0, [%1], %2;"
          : "=l"(bits)
          : "l"(from), "l"(first));
      memcpy(&x, &bits, sizeof(T));
    }
    return x;
  }
#endif
  return *from;
}

/// *from, which a device may read before what stands before it is written, and which stays in its
/// caches.
template <class T>
RAVEL_HD T read_ahead(T const* from) {
#if defined(RAVEL_DEVICE_CODE)
  if constexpr (std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
                alignof(T) == sizeof(T)) {
    T x;
    if constexpr (sizeof(T) == 4) {
      unsigned bits;
      asm("ld.global.nc.b32 %0, [%1];" : "=r"(bits) : "l"(from));
      memcpy(&x, &bits, sizeof(T));
    } else {
      unsigned long long bits;
      asm("ld.global.nc.b64 %0, [%1];" : "=l"(bits) : "l"(from));
      memcpy(&x, &bits, sizeof(T));
    }
    return x;
  }
#endif
  return *from;
}

}  // namespace ravel::inline v0
