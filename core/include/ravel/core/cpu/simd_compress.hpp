#pragma once

/// Compress in vector registers: writes the numbers whose bits are set contiguously.
///
/// A branch for each element would be mispredicted every second time.  AVX-512 has a compress
/// instruction; AVX2 uses a permutation for each of the 256 patterns of eight bits; the fallback
/// stores every number and advances the output only if the number is kept.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_memory.hpp>

#include <array>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#if defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 32

namespace detail {

/// Elements of up to four bytes that one step compresses.
#  if RAVEL_VECTOR_BYTES >= 64
inline constexpr index_t most_together = 16;
#  else
inline constexpr index_t most_together = 8;
#  endif

/// Elements of type T that one step compresses; 0 if there is no vector form.
template <class T>
inline constexpr index_t together = [] {
  constexpr bool is_word = sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8;
  if (!std::is_trivially_copyable_v<T> || !is_word) return index_t{0};
  return sizeof(T) == 8 ? most_together / 2 : most_together;
}();

/// A bit for each element of a step.
template <class T>
using pattern = std::conditional_t<together<T> <= 8, std::uint8_t, std::uint16_t>;

#  if RAVEL_VECTOR_BYTES >= 64

/// Writes the elements of `in` whose bits are set contiguously to `out`, and unspecified values
/// after them. Elements of less than four bytes are widened for the instruction.
template <class T>
[[gnu::always_inline]] inline void compress_together(T const* in, pattern<T> bits, T* out) {
  // Masked with all lanes: GCC 12 warns of uninitialised reads in the unmasked intrinsics.
  [[maybe_unused]] constexpr __mmask16 all = 0xffff;
  if constexpr (sizeof(T) == 8) {
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(bits, _mm512_loadu_si512(in)));
  } else if constexpr (sizeof(T) == 4) {
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(bits, _mm512_loadu_si512(in)));
  } else if constexpr (sizeof(T) == 2) {
    auto const x = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(in));
    auto const kept = _mm512_maskz_compress_epi32(bits, _mm512_maskz_cvtepu16_epi32(all, x));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_maskz_cvtepi32_epi16(all, kept));
  } else {
    auto const x = _mm_loadu_si128(reinterpret_cast<__m128i const*>(in));
    auto const kept = _mm512_maskz_compress_epi32(bits, _mm512_maskz_cvtepu8_epi32(all, x));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_maskz_cvtepi32_epi8(all, kept));
  }
}

#  else

/// For each pattern of eight bits, the positions of its set bits, a byte each.
inline constexpr auto places_of_bits = [] {
  std::array<std::uint64_t, 256> places{};
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    int kept = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if (pattern >> bit & 1) places[pattern] |= std::uint64_t{bit} << 8 * kept++;
    }
  }
  return places;
}();

/// For each pattern of four bits, the positions of the words to keep, where a bit stands for two
/// adjacent words.
inline constexpr auto places_of_pairs = [] {
  std::array<std::uint64_t, 16> places{};
  for (unsigned pattern = 0; pattern < 16; ++pattern) {
    int kept = 0;
    for (unsigned bit = 0; bit < 4; ++bit) {
      if (pattern >> bit & 1) {
        places[pattern] |= (std::uint64_t{2 * bit} | std::uint64_t{2 * bit + 1} << 8)
                           << 16 * kept++;
      }
    }
  }
  return places;
}();

/// Writes the elements of `in` whose bits are set contiguously to `out`, and unspecified values
/// after them.
template <class T>
[[gnu::always_inline]] inline void compress_together(T const* in, pattern<T> bits, T* out) {
  auto const found = sizeof(T) == 8 ? places_of_pairs[bits] : places_of_bits[bits];
  auto const places = _mm_cvtsi64_si128(static_cast<long long>(found));
  if constexpr (sizeof(T) >= 4) {  // an element of eight bytes is two words of four
    auto const x = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(in));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(places)));
  } else if constexpr (sizeof(T) == 2) {  // the positions are in bytes, two for each element
    auto const low = _mm_add_epi8(places, places);
    auto const both = _mm_unpacklo_epi8(low, _mm_add_epi8(low, _mm_set1_epi8(1)));
    auto const x = _mm_loadu_si128(reinterpret_cast<__m128i const*>(in));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_shuffle_epi8(x, both));
  } else {
    auto const x = _mm_loadl_epi64(reinterpret_cast<__m128i const*>(in));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_shuffle_epi8(x, places));
  }
}

#  endif

}  // namespace detail

#endif

/// Compresses one word of flags: writes those of the first n of 64 elements whose bits are set to
/// `out`. Returns their number.
template <class T>
[[gnu::always_inline]] inline index_t compress_word(T const* in, index_t n, std::uint64_t keep,
                                                    T* out) {
  T* next = out;
  index_t k = 0;
#if defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 32
  if constexpr (constexpr index_t width = detail::together<T>; width > 0) {
    for (; k + width <= n; k += width) {
      auto const bits = static_cast<detail::pattern<T>>(keep >> k & ((1u << width) - 1));
      detail::compress_together(in + k, bits, next);
      next += __builtin_popcount(bits);
    }
  }
#endif
  for (; k < n; ++k) {
    *next = in[k];
    next += keep >> k & 1;
  }
  return next - out;
}

/// Compresses n elements, a word of `keep` for each 64 of them, and prefetches other memory
/// meanwhile.
template <class T>
struct compress_loop {
  static index_t run(T const* in, index_t n, std::uint64_t const* keep, T* out,
                     prefetch_range const& upcoming) {
    constexpr index_t line = std::max<index_t>(64 / index_t{sizeof(T)}, 1);
    index_t count = 0;
    for (index_t k = 0; k < n; k += 64) {
      if (k < upcoming.count) {
        for (index_t j = 0; j < 64; j += line) prefetch(upcoming, k + j);
      }
      count += compress_word(in + k, n - k < 64 ? n - k : 64, keep[k / 64], out + count);
    }
    return count;
  }
};

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS
