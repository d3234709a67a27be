#pragma once

/// Loads of memory that is not written meanwhile: streaming, or for repeated reads.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

/// *source, as a streaming load: evict-first in the L2 cache of a device, so that data that is read
/// again stays.  The memory must not be written meanwhile.
template <class T>
RAVEL_HD T read_once(T const* source) {
#ifdef RAVEL_DEVICE_CODE
  if constexpr (std::is_trivially_copyable_v<T> &&
                (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T)) {
    unsigned long long first;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
    T x;
    if constexpr (sizeof(T) == 2) {
      unsigned short bits;
      asm("ld.global.nc.L1::no_allocate.L2::cache_hint.b16 %0, [%1], %2;"
          : "=h"(bits)
          : "l"(source), "l"(first));
      memcpy(&x, &bits, sizeof(T));
    } else if constexpr (sizeof(T) == 4) {
      unsigned bits;
      asm("ld.global.nc.L1::no_allocate.L2::cache_hint.b32 %0, [%1], %2;"
          : "=r"(bits)
          : "l"(source), "l"(first));
      memcpy(&x, &bits, sizeof(T));
    } else {
      unsigned long long bits;
      asm("ld.global.nc.L1::no_allocate.L2::cache_hint.b64 %0, [%1], %2;"
          : "=l"(bits)
          : "l"(source), "l"(first));
      memcpy(&x, &bits, sizeof(T));
    }
    return x;
  }
#endif
  return *source;
}

/// *source, which the compiler may hoist above earlier stores on a device (a read-only load), and
/// which stays in its caches.
template <class T>
RAVEL_HD T read_ahead(T const* source) {
#if defined(RAVEL_DEVICE_CODE)
  if constexpr (std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
                alignof(T) == sizeof(T)) {
    T x;
    if constexpr (sizeof(T) == 4) {
      unsigned bits;
      asm("ld.global.nc.b32 %0, [%1];" : "=r"(bits) : "l"(source));
      memcpy(&x, &bits, sizeof(T));
    } else {
      unsigned long long bits;
      asm("ld.global.nc.b64 %0, [%1];" : "=l"(bits) : "l"(source));
      memcpy(&x, &bits, sizeof(T));
    }
    return x;
  }
#endif
  return *source;
}

}  // namespace ravel::inline v0
