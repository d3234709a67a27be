#pragma once

/// @file
/// Several numbers at once in a vector register: what scans and reductions need of them.
///
/// It is written in the vector types that g++ and clang++ have in common, so that
/// one text serves every processor.  A vector is as wide as the compiler may use:
/// 64 bytes with -march=x86-64-v4, 32 with x86-64-v3, and otherwise 16.

#include <ravel/core/config.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::cpu::simd {

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// What a vector has many of.
template <class T>
concept number = (std::integral<T> && !std::same_as<T, bool>) || std::same_as<T, float> ||
                 std::same_as<T, double>;

/// The monoids that combine all lanes at once:  of<M>::combine(x, y)[l] is m(x[l], y[l]).
template <class M>
struct of {
  static constexpr bool known = false;
};

#ifdef RAVEL_SIMD

template <number T>
inline constexpr int lanes = vector_bytes / int{sizeof(T)};

namespace detail {

template <class T>
struct vector_of {
  using type [[gnu::vector_size(vector_bytes)]] = T;
};

/// Integers that wrap around.
template <class T>
struct wrapping : std::type_identity<T> {};
template <std::integral T>
struct wrapping<T> : std::make_unsigned<T> {};

/// An integer for each lane, all ones for yes.
template <class T>
using mask_lane = std::conditional_t<
    sizeof(T) == 1, signed char,
    std::conditional_t<sizeof(T) == 2, short, std::conditional_t<sizeof(T) == 4, int, long long>>>;

}  // namespace detail

template <number T>
using vector = typename detail::vector_of<T>::type;
template <number T>
using mask = typename detail::vector_of<detail::mask_lane<T>>::type;

template <number T>
[[gnu::always_inline]] inline vector<T> load(T const* from) {
  vector<T> x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}
template <number T>
[[gnu::always_inline]] inline void store(T* to, vector<T> const& x) {
  std::memcpy(to, &x, sizeof(x));
}
template <number T>
[[gnu::always_inline]] inline vector<T> broadcast(T x) {
  return x - vector<T>{};
}

template <number T>
struct of<plus<T>> {
  static constexpr bool known = true;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    using wraps = vector<typename detail::wrapping<T>::type>;
    return (vector<T>)((wraps)x + (wraps)y);
  }
};
template <number T>
struct of<minimum<T>> {
  static constexpr bool known = true;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    if constexpr (std::integral<T>) {
      return y < x ? y : x;
    } else {
      return x == x && !(x <= y) ? y : x;  // a NaN on either side wins
    }
  }
};
template <number T>
struct of<maximum<T>> {
  static constexpr bool known = true;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    if constexpr (std::integral<T>) {
      return x < y ? y : x;
    } else {
      return x == x && !(x >= y) ? y : x;
    }
  }
};
template <number T>
struct of<bit_and<T>> {
  static constexpr bool known = std::integral<T>;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    return x & y;
  }
};
template <number T>
struct of<bit_or<T>> {
  static constexpr bool known = std::integral<T>;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    return x | y;
  }
};
template <number T>
struct of<bit_xor<T>> {
  static constexpr bool known = std::integral<T>;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    return x ^ y;
  }
};
template <class M>
requires(of<M>::known) struct of<flipped<M>> {
  static constexpr bool known = true;
  template <class V>
  [[gnu::always_inline]] static inline V combine(V const& x, V const& y) {
    return of<M>::combine(y, x);
  }
};

namespace detail {

/// Each lane takes the one `By` below it, and the lowest those of `in`.
template <int By, class T, int... L>
[[gnu::always_inline]] inline vector<T> shift_up(vector<T> const& x, vector<T> const& in,
                                                 std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(x, in, (L < By ? lanes<T> + L : L - By)...);
}
template <class T, int... L>
[[gnu::always_inline]] inline vector<T> last(vector<T> const& x, std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(x, x, (L - L + lanes<T> - 1)...);
}

}  // namespace detail

/// Each lane of x takes the one `By` below it; the lowest take lanes of `in`.
template <int By, number T>
[[gnu::always_inline]] inline vector<T> shift_up(vector<T> const& x, vector<T> const& in) {
  return detail::shift_up<By, T>(x, in, std::make_integer_sequence<int, lanes<T>>());
}

/// The last lane of x in all lanes.
template <number T>
[[gnu::always_inline]] inline vector<T> last(vector<T> const& x) {
  return detail::last<T>(x, std::make_integer_sequence<int, lanes<T>>());
}

/// Scans the lanes: log2(lanes) steps (Kogge and Stone 1973).
template <class M, int By = 1, number T = carrier_t<M>>
[[gnu::always_inline]] inline vector<T> scan_lanes(vector<T> const& x, vector<T> const& identity) {
  if constexpr (By < lanes<T>) {
    return scan_lanes<M, 2 * By, T>(of<M>::combine(shift_up<By, T>(x, identity), x), identity);
  } else {
    return x;
  }
}

#endif

}  // namespace ravel::inline v0::cpu::simd
