#pragma once

/// Non-temporal stores.
///
/// A normal store to memory that is not cached first fetches the cache line that it overwrites, so
/// writing n bytes moves 2 n.  A non-temporal store does not, and leaves other data in the caches.
/// That is right for outputs larger than the caches, and wrong for data that is read again soon.

#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_memory.hpp>

#include <cstring>

namespace ravel::inline v0::cpu {

/// Bytes from which on a sequence exceeds any cache: 32 MiB.
inline constexpr index_t beyond_caches = index_t{1} << 25;

/// Copies n numbers by non-temporal stores.  A stream_fence() must follow before another thread
/// reads them.
template <simd::number T>
void stream(T const* in, T* out, index_t n) {
  constexpr index_t line = 64;
  auto const* source = reinterpret_cast<char const*>(in);
  auto* target = reinterpret_cast<char*>(out);
  auto* const end = target + n * index_t{sizeof(T)};
  auto const past_line = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(out) % line);
  auto const copy = [&](index_t bytes) {
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
    source += bytes;
    target += bytes;
  };
  copy(std::min<index_t>((line - past_line) % line, end - target));
  for (; end - target >= line; source += line, target += line) {
    for (int k = 0; k < line; k += simd::vector_bytes) simd::stream_vector(target + k, source + k);
  }
  copy(end - target);
}

/// Orders streaming stores before all later writes.
inline void stream_fence() {
#if RAVEL_VECTOR_BYTES >= 16
  __builtin_ia32_sfence();
#endif
}

}  // namespace ravel::inline v0::cpu
