#pragma once

/// Loads and stores of vector registers, cached or non-temporal, and prefetches.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/simd.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

/// Issues the prefetch that belongs to element i.
[[gnu::always_inline]] inline void prefetch(prefetch_range const& upcoming, index_t i) {
  if (i < upcoming.count) __builtin_prefetch(upcoming.from + i * upcoming.step, 0, 2);
}

/// Non-temporal store of one vector to an aligned address.
[[gnu::always_inline]] inline void stream_vector(char* target, char const* source) {
#if RAVEL_VECTOR_BYTES >= 64
  _mm512_stream_si512(reinterpret_cast<__m512i*>(target), _mm512_loadu_si512(source));
#elif RAVEL_VECTOR_BYTES >= 32
  _mm256_stream_si256(reinterpret_cast<__m256i*>(target),
                      _mm256_loadu_si256(reinterpret_cast<__m256i const*>(source)));
#elif defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 16
  _mm_stream_si128(reinterpret_cast<__m128i*>(target),
                   _mm_loadu_si128(reinterpret_cast<__m128i const*>(source)));
#elif RAVEL_VECTOR_BYTES >= 16
  long long words[2];
  std::memcpy(words, source, vector_bytes);
  for (int k : {0, 1}) __builtin_ia32_movnti64(reinterpret_cast<long long*>(target) + k, words[k]);
#else
  std::memcpy(target, source, vector_bytes);
#endif
}

#ifdef RAVEL_SIMD

/// Loads a vector from an address of any alignment.
template <number T>
[[gnu::always_inline]] inline vector<T> load(T const* in) {
  vector<T> x;
  std::memcpy(&x, in, sizeof(x));
  return x;
}
template <number T>
[[gnu::always_inline]] inline void store(T* target, vector<T> const& x) {
  std::memcpy(target, &x, sizeof(x));
}

namespace detail {

template <number T, direction Towards, int... K>
[[gnu::always_inline]] inline block<T, sizeof...(K)> load_block(T const* in,
                                                                std::integer_sequence<int, K...>) {
  if constexpr (Towards == direction::forward) {
    return {{load(in + K * lanes<T>)...}};
  } else {
    return {{simd::reversed<T>(load(in - (K + 1) * lanes<T>))...}};
  }
}

}  // namespace detail

/// Loads a block.  Forward it begins at `in`; backward it ends there, and its lanes are reversed.
template <number T, int Count, direction Towards = direction::forward>
[[gnu::always_inline]] inline block<T, Count> load_block(T const* in) {
  return detail::load_block<T, Towards>(in, std::make_integer_sequence<int, Count>());
}

/// Stores vectors at the destination of `results`, which need not be aligned; backward, with
/// reversed lanes.
///
///     for each vector or block x:  put(x)
///     leave(out)
///
/// Non-temporal stores must be aligned, so each combines the ends of two vectors.  They are
/// combined in registers: through memory that would take a third of the time of a scan, as loads
/// cannot forward from the stores.  Where the processor has no such shuffle, unaligned vectors are
/// stored through the caches.
template <number T, direction Towards = direction::forward>
class vectors_out {
  static constexpr bool back = Towards == direction::backward;
#  if RAVEL_VECTOR_BYTES >= 32
  static constexpr int realigned_by = 4;  // the alignment in bytes that non-temporal stores need
#  else
  static constexpr int realigned_by = vector_bytes;
#  endif

  char* to_;
  int past_;  // bytes from the last aligned address to `to_`; never 0 backward
  bool streams_;
  bool begun_;
  vector<T> before_;  // the previous vector

 public:
  [[gnu::always_inline]] explicit vectors_out(results const& out)
      : to_(static_cast<char*>(out.to)),
        past_(static_cast<int>((reinterpret_cast<std::uintptr_t>(to_) - std::uintptr_t{back}) %
                               vector_bytes) +
              back),
        streams_(out.streaming && past_ % realigned_by == 0),
        begun_(out.waiting > 0),
        before_{} {
    if (begun_) std::memcpy(&before_, out.last, vector_bytes);
  }

  [[gnu::always_inline]] void put(vector<T> const& next) {
    vector<T> x;
    char* at;
    if constexpr (back) {
      x = reversed<T>(next);
      at = to_ - vector_bytes;
    } else {
      x = next;
      at = to_;
    }
    if (streams_) {
      if (begun_) {
        vector<T> const across = back ? joined(x, before_) : joined(before_, x);
        stream_vector(to_ - past_, reinterpret_cast<char const*>(&across));
      } else {
        // cached: the bytes before the results are in the same cache line
        std::memcpy(at, &x, vector_bytes);
        begun_ = true;
      }
      before_ = x;
    } else {
      std::memcpy(at, &x, vector_bytes);
    }
    to_ = back ? at : at + vector_bytes;
  }

  /// Stores the vectors of a block, the first vector first.
  template <int Count>
  [[gnu::always_inline]] void put(block<T, Count> const& x) {
    put_each(x, std::make_integer_sequence<int, Count>());
  }

  [[gnu::always_inline]] void leave(results& out) const {
    out.to = to_;
    out.waiting = streams_ && begun_ ? vector_bytes : 0;
    if (out.waiting > 0) std::memcpy(out.last, &before_, vector_bytes);
  }

 private:
  template <int Count, int... K>
  [[gnu::always_inline]] void put_each(block<T, Count> const& x, std::integer_sequence<int, K...>) {
    (put(x.at[K]), ...);
  }

  /// The last `past_` bytes of x, followed by the first bytes of y.
  [[gnu::always_inline]] vector<T> joined(vector<T> const& x, vector<T> const& y) const {
#  if RAVEL_VECTOR_BYTES >= 32
    using places = vector<int>;
    constexpr int count = lanes<int>;
    places const indices =
        detail::counted<int>(std::make_integer_sequence<int, count>()) + (count - past_ / 4);
#    if RAVEL_VECTOR_BYTES >= 64
    return (vector<T>)_mm512_permutex2var_epi32((__m512i)x, (__m512i)indices, (__m512i)y);
#    else
    auto const of_x = (places)_mm256_permutevar8x32_epi32((__m256i)x, (__m256i)indices);
    auto const of_y = (places)_mm256_permutevar8x32_epi32((__m256i)y, (__m256i)indices);
    return (vector<T>)(indices < count ? of_x : of_y);
#    endif
#  else
    return back ? x : y;
#  endif
  }
};

#endif

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS
