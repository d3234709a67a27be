#pragma once

/// Rows of sparse products in vectors of 64 bytes: sums of products with gathered elements of x.
///
/// The exit branch of a loop over a short row is mispredicted, which discards the loads already
/// issued for the next rows.  Here a row is a few masked vectors: a row of up to 8 doubles needs no
/// loop.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_lanes.hpp>
#include <ravel/core/cpu/simd_memory.hpp>

#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#if defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 64

namespace detail {

/// Returns sum + values * x[columns] in the lanes of `mask`.
[[gnu::always_inline]] inline __m512d add_products(__m512d sum, __mmask8 mask, double const* values,
                                                   std::int32_t const* columns, double const* x) {
  __m512d const none = _mm512_setzero_pd();
  __m512d const gathered =
      _mm512_mask_i32gather_pd(none, mask, _mm256_maskz_loadu_epi32(mask, columns), x, 8);
  return sum + _mm512_maskz_loadu_pd(mask, values) * gathered;
}
[[gnu::always_inline]] inline __m512 add_products(__m512 sum, __mmask16 mask, float const* values,
                                                  std::int32_t const* columns, float const* x) {
  __m512 const none = _mm512_setzero_ps();
  __m512 const gathered =
      _mm512_mask_i32gather_ps(none, mask, _mm512_maskz_loadu_epi32(mask, columns), x, 4);
  return sum + _mm512_maskz_loadu_ps(mask, values) * gathered;
}

}  // namespace detail

/// The loop of cpu::loops::add_up_rows.
template <class T>
struct rows_loop {
  static void run(index_t const* begins, index_t rows, std::int32_t const* columns, T const* values,
                  T const* x, index_t entries, T* sums) {
    constexpr index_t width = lanes<T>, distance = 1024, x_distance = 64, together = 16;
    using mask = std::conditional_t<width == 8, __mmask8, __mmask16>;
    bool const prefetches_x = on_amd();
    index_t prefetched = begins[0];  // the next entry for which later entries are to be prefetched
    for (index_t r = 0; r < rows; ++r) {
      index_t k = begins[r];
      index_t const end = begins[r + 1];
      vector<T> sum{};
      for (;; k += width) {
        if (prefetched < std::min(end, k + width)) {
          auto const* const ahead = reinterpret_cast<char const*>(values + prefetched + distance);
          for (index_t byte = 0; byte < together * index_t{sizeof(T)}; byte += 64) {
            cpu::prefetch_line(ahead + byte);
          }
          cpu::prefetch_line(reinterpret_cast<char const*>(columns + prefetched + distance));
          if (prefetches_x) {  // other processors keep enough gathers outstanding by themselves
            auto const* const upcoming =
                columns + std::min(prefetched + x_distance, entries - together);
            for (index_t i = 0; i < together; ++i) __builtin_prefetch(x + upcoming[i]);
          }
          prefetched += together;
        }
        if (end - k <= width) break;
        sum = detail::add_products(sum, static_cast<mask>(-1), values + k, columns + k, x);
      }
      auto const left = static_cast<mask>((1u << (end - k)) - 1);
      sum = detail::add_products(sum, left, values + k, columns + k, x);
      sums[r] = total<plus<T>, T>(sum, vector<T>{});
    }
  }
};

#endif

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS
