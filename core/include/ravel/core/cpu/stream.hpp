#pragma once

/// @file
/// Writing past the caches.
///
/// A store to memory that is in no cache first fetches the line that it will
/// overwrite, so that writing n bytes moves 2 n.  A streaming store does not, and
/// leaves the caches to others: right for what is larger than they are, and wrong
/// for what will be read at once.

#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__AVX2__)
#  include <immintrin.h>
#elif defined(__SSE2__)
#  include <emmintrin.h>  // whose lines are few beside those of all vectors there are
#endif

namespace ravel::inline v0::cpu {

/// Bytes of a sequence that no cache can be expected to hold.
inline constexpr index_t beyond_caches = index_t{1} << 25;

namespace detail {

/// One vector, to where a vector is aligned.
inline void stream_vector(char* to, char const* from) {
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_loadu_si256(reinterpret_cast<__m256i const*>(from)));
#elif defined(__SSE2__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                   _mm_loadu_si128(reinterpret_cast<__m128i const*>(from)));
#else
  std::memcpy(to, from, simd::vector_bytes);
#endif
}

}  // namespace detail

/// Copies n numbers past the caches.  What others are to read of it needs a
/// stream_fence() first.
template <simd::number T>
void stream(T const* from, T* to, index_t n) {
  constexpr index_t line = 64;
  auto const* source = reinterpret_cast<char const*>(from);
  auto* target = reinterpret_cast<char*>(to);
  auto* const end = target + n * index_t{sizeof(T)};
  auto const past_line = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(to) % line);
  auto const copy = [&](index_t bytes) {
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
    source += bytes;
    target += bytes;
  };
  copy(std::min((line - past_line) % line, end - target));
  for (; end - target >= line; source += line, target += line) {
    for (int k = 0; k < line; k += simd::vector_bytes)
      detail::stream_vector(target + k, source + k);
  }
  copy(end - target);
}

namespace detail {

/// Where a stream may begin, in bytes behind what is aligned to a vector.
#if defined(RAVEL_SIMD) && defined(__AVX2__)
inline constexpr int realigned_by = 4;
#else
inline constexpr int realigned_by = simd::vector_bytes;
#endif

}  // namespace detail

#ifdef RAVEL_SIMD

/// Vectors of numbers that are written one after another, from `to` on, past the caches.
///
///     for each vector x:  put(x)
///     finish()
///
/// Streaming stores are aligned, and numbers may begin anywhere: so what is stored is put
/// together of two vectors, in registers.  By way of memory, written at one alignment and
/// read at another, it takes a third of the time of a scan.  Where a processor cannot do
/// so, vectors that are not aligned go through the caches.
template <simd::number T>
class stream_vectors {
  using vector = simd::vector<T>;

  T* to_;
  int past_;  // bytes behind what is aligned
  bool aligns_;
  bool begun_ = false;
  vector before_ = {};  // what was put last

 public:
  explicit stream_vectors(T* to)
      : to_(to),
        past_(static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % simd::vector_bytes)),
        aligns_(past_ % detail::realigned_by == 0) {}

  /// The next lanes<T> numbers.
  [[gnu::always_inline]] inline void put(vector const& x) {
    if (begun_ && aligns_) {
      vector const across = joined(x);
      detail::stream_vector(reinterpret_cast<char*>(to_) - past_,
                            reinterpret_cast<char const*>(&across));
    } else {
      simd::store(to_, x);  // what of it shares a line with others' stays
      begun_ = true;
    }
    before_ = x;
    to_ += simd::lanes<T>;
  }

  /// No vector is to come, and maybe single numbers from here on.
  T* finish() {
    if (begun_) simd::store(to_ - simd::lanes<T>, before_);
    return to_;
  }

 private:
  /// The last `past_` bytes of what was put before, and the first of x.
  vector joined(vector const& x) const {
#  ifdef __AVX2__
    using places = simd::vector<int>;
    constexpr int count = simd::lanes<int>;
    places const from = each(std::make_integer_sequence<int, count>()) + (count - past_ / 4);
#    if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
    return (vector)_mm512_permutex2var_epi32((__m512i)before_, (__m512i)from, (__m512i)x);
#    else
    auto const turned = [&](vector const& y) {
      return (places)_mm256_permutevar8x32_epi32((__m256i)y, (__m256i)from);
    };
    return (vector)(from < count ? turned(before_) : turned(x));
#    endif
#  else
    return x;
#  endif
  }
#  ifdef __AVX2__
  template <int... L>
  static simd::vector<int> each(std::integer_sequence<int, L...>) {
    return simd::vector<int>{L...};
  }
#  endif
};

/// The same, through the caches.
template <simd::number T>
class store_vectors {
  T* to_;

 public:
  explicit store_vectors(T* to) : to_(to) {}
  [[gnu::always_inline]] inline void put(simd::vector<T> const& x) {
    simd::store(to_, x);
    to_ += simd::lanes<T>;
  }
  T* finish() const { return to_; }
};

#endif

/// Orders what was streamed before with all that is written later.
inline void stream_fence() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace ravel::inline v0::cpu
