#pragma once

/// Compress: writes the elements whose bits are set contiguously.

#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/simd_compress.hpp>

namespace ravel::inline v0::cpu {

/// How many elements after the last one written compress may overwrite: it stores whole vectors.
inline constexpr index_t compress_slack = 16;

/// Writes each in[k], k in [0, n), whose bit in `keep` is set, contiguously to `out`.  Returns
/// their number. Reads nothing after in[n - 1].
template <class T>
index_t compress(T const* in, index_t n, std::uint64_t const* keep, T* out,
                 prefetch_range const& upcoming = {}) {
#ifdef RAVEL_CHOOSES_VECTORS
  constexpr bool is_word = (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) &&
                           alignof(T) == sizeof(T);
  if constexpr (std::is_trivially_copyable_v<T> && is_word) {
    using bytes = loops::detail::bytes_of<T>;
    return loops::compress_loop<bytes>::run(reinterpret_cast<bytes const*>(in), n, keep,
                                            reinterpret_cast<bytes*>(out), upcoming);
  }
#endif
  return simd::compress_loop<T>::run(in, n, keep, out, upcoming);
}

}  // namespace ravel::inline v0::cpu
