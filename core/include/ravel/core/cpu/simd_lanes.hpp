#pragma once

/// Monoids on the lanes of vector registers: combine lane by lane, scan the lanes, combine all
/// lanes.

#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/derived_monoids.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#ifdef RAVEL_SIMD

/// The monoid M on all lanes at once: of<M>::combine(x, y)[l] is m(x[l], y[l]).
template <class M>
struct of;

namespace detail {

/// The unsigned type in which integers wrap around.
template <class T>
struct wrapping : std::type_identity<T> {};
template <std::integral T>
struct wrapping<T> : std::make_unsigned<T> {};

/// The lesser or the greater of floating-point numbers by one instruction, which returns x if one of
/// them is a NaN or if they are equal.
template <class M, class T = carrier_t<M>>
[[gnu::always_inline]] inline vector<T> chosen(vector<T> const& x, vector<T> const& y) {
  constexpr bool least = std::same_as<M, minimum<T>>;
#  if RAVEL_VECTOR_BYTES >= 64
  if constexpr (sizeof(T) == 4) return least ? _mm512_min_ps(y, x) : _mm512_max_ps(y, x);
  if constexpr (sizeof(T) == 8) return least ? _mm512_min_pd(y, x) : _mm512_max_pd(y, x);
#  elif RAVEL_VECTOR_BYTES >= 32
  if constexpr (sizeof(T) == 4) return least ? _mm256_min_ps(y, x) : _mm256_max_ps(y, x);
  if constexpr (sizeof(T) == 8) return least ? _mm256_min_pd(y, x) : _mm256_max_pd(y, x);
#  else
  return (least ? y < x : x < y) ? y : x;
#  endif
}

}  // namespace detail

template <number T>
struct of<plus<T>> {
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    using wraps = vector<typename detail::wrapping<T>::type>;
    return (vector<T>)((wraps)x + (wraps)y);
  }
};
template <number T>
struct of<minimum<T>> {
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    if constexpr (std::integral<T>) {
      return y < x ? y : x;
    } else {
      return y == y ? detail::chosen<minimum<T>>(x, y) : y;  // x if only x is a NaN
    }
  }
};
template <number T>
struct of<maximum<T>> {
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    if constexpr (std::integral<T>) {
      return x < y ? y : x;
    } else {
      return y == y ? detail::chosen<maximum<T>>(x, y) : y;
    }
  }
};
template <number T>
struct of<bit_and<T>> {
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    return x & y;
  }
};
template <number T>
struct of<bit_or<T>> {
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    return x | y;
  }
};
template <number T>
struct of<bit_xor<T>> {
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    return x ^ y;
  }
};
template <class M>
struct of<flipped<M>> {
  template <class V>
  [[gnu::always_inline]] static inline V combine(V const& x, V const& y) {
    return of<M>::combine(y, x);
  }
};

/// Hides the value of x from the optimiser: clang turns shuffles that involve known zeros into
/// AVX-512 instructions that take five times as long as other shuffles.
template <number T>
[[gnu::always_inline]] inline vector<T> unknown(vector<T> x) {
#  if defined(RAVEL_CLANG) && RAVEL_VECTOR_BYTES >= 64
  asm("" : "+v"(x));
#  endif
  return x;
}

/// The number of vectors in a block.  Where grouping changes the result (floating-point sums), a
/// block is 64 bytes for all vector widths, so that the order of combination does not depend on the
/// width.
template <class M>
inline constexpr int vectors_in_block = 1;
template <std::floating_point T>
inline constexpr int vectors_in_block<plus<T>> = 64 / vector_bytes;
template <class M>
inline constexpr int vectors_in_block<flipped<M>> = vectors_in_block<M>;

/// Inclusive scan of the lanes: log2(lanes) steps (Kogge and Stone 1973).
template <class M, int By = 1, number T, int Count>
[[gnu::always_inline]] inline block<T, Count> scan_lanes(block<T, Count> const& x,
                                                         vector<T> const& identity) {
  if constexpr (By < block<T, Count>::width) {
    block<T, Count> y;
    unrolled<Count>([&](auto k) __attribute__((always_inline)) {
      y.at[k] = of<M>::combine(x.template below<By, k>(identity), x.at[k]);
    });
    return scan_lanes<M, 2 * By>(y, identity);
  } else {
    return x;
  }
}

/// Combines all lanes, as a tree.
template <class M, number T>
[[gnu::always_inline]] inline T total(vector<T> const& x, vector<T> const& identity) {
  return scan_lanes<M>(block<T, 1>{{x}}, identity).at[0][lanes<T> - 1];
}

#endif

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS
