#pragma once

/// Sums of segments of floating-point numbers, short ones in vectors of 32 bytes.
///
/// The exit branch of a loop over a short segment is mispredicted.  So numbers that are no whole group of
/// eight are padded by -0.0, which changes no sum: only the number of groups decides a branch.

#include <ravel/core/cpu/loops_by_width.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_reduce.hpp>

#include <concepts>
#include <cstdint>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#ifdef RAVEL_SIMD

namespace detail {

#  if RAVEL_VECTOR_BYTES >= 32

/// The sum of a tree over eight adjacent numbers.
[[gnu::always_inline]] inline float sum_of_eight(float const* x) {
  __m256 const eight = _mm256_loadu_ps(x), twos = _mm256_hadd_ps(eight, eight);
  __m256 const fours = _mm256_hadd_ps(twos, twos);
  return _mm256_cvtss_f32(fours) + _mm_cvtss_f32(_mm256_extractf128_ps(fours, 1));
}
[[gnu::always_inline]] inline double sum_of_eight(double const* x) {
  __m256d const twos = _mm256_hadd_pd(_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4));
  __m128d const fours = _mm256_castpd256_pd128(twos) + _mm256_extractf128_pd(twos, 1);
  return fours[0] + fours[1];
}

/// Writes the first n of x, and -0.0 after them.
[[gnu::always_inline]] inline void pad_to_eight(float const* x, index_t n, float* out) {
  __m256 const padding = _mm256_set1_ps(-0.0f);
#    if RAVEL_VECTOR_BYTES >= 64
  _mm256_store_ps(out, _mm256_mask_loadu_ps(padding, static_cast<__mmask8>((1u << n) - 1), x));
#    else
  __m256i const mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                                          _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  _mm256_store_ps(
      out, _mm256_blendv_ps(padding, _mm256_maskload_ps(x, mask), _mm256_castsi256_ps(mask)));
#    endif
}
[[gnu::always_inline]] inline void pad_to_eight(double const* x, index_t n, double* out) {
#    if RAVEL_VECTOR_BYTES >= 64
  _mm512_store_pd(
      out, _mm512_mask_loadu_pd(_mm512_set1_pd(-0.0), static_cast<__mmask8>((1u << n) - 1), x));
#    else
  __m256d const padding = _mm256_set1_pd(-0.0);
  for (int half = 0; half < 8; half += 4) {
    __m256i const mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(n),
                                            _mm256_setr_epi64x(half, half + 1, half + 2, half + 3));
    _mm256_store_pd(out + half, _mm256_blendv_pd(padding, _mm256_maskload_pd(x + half, mask),
                                                 _mm256_castsi256_pd(mask)));
  }
#    endif
}

/// carry + x[0] + ... + x[n - 1], from the left, for fewer than eight numbers.
template <class T>
[[gnu::always_inline]] inline T add_fewer_than_eight(T carry, T const* x, index_t n) {
  alignas(64) T padded[8];
  pad_to_eight(x, n, padded);
  for (int k = 0; k < 7; ++k) carry += padded[k];
  return carry;
}

#  else

template <class T>
[[gnu::always_inline]] inline T sum_of_eight(T const* x) {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}
template <class T>
[[gnu::always_inline]] inline T add_fewer_than_eight(T carry, T const* x, index_t n) {
  for (index_t k = 0; k < n; ++k) carry += x[k];
  return carry;
}

#  endif

}  // namespace detail

/// The loop of cpu::loops::add_up_segments.
template <std::floating_point T>
struct segment_sums_loop {
  static void run(index_t const* begins, index_t count, T const* in, T carry, T* sums) {
    constexpr index_t eight = 8, many = 2 * loops::small_group_width<T>;
    for (index_t s = 0; s < count; ++s) {
      index_t i = begins[s];
      index_t const end = begins[s + 1];
      if (end - i >= many) [[unlikely]] {
        sums[s] = reduce_loop<plus<T>>::run(in + i, end - i, carry, {});
        continue;
      }
      T sum = carry;
      for (; end - i >= eight; i += eight) sum += detail::sum_of_eight(in + i);
      sums[s] = detail::add_fewer_than_eight(sum, in + i, end - i);
    }
  }
};

#endif

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS
