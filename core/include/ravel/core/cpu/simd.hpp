#pragma once

/// Vector registers of numbers, and blocks of several: types and shuffles.
///
/// Written in the vector extensions that g++ and clang++ have in common, so that one source serves
/// every processor.  A vector is as wide as the compiler may use: 64 bytes with -march=x86-64-v4,
/// 32 with x86-64-v3, and otherwise 16.  Each width has its own namespace, so that code for several
/// widths can be linked into one program.

#include <ravel/core/tile.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

#if RAVEL_VECTOR_BYTES >= 32
#  include <immintrin.h>
#elif RAVEL_VECTOR_BYTES >= 16 && defined(RAVEL_SIMD)
#  include <emmintrin.h>  // a smaller header than immintrin.h; nvcc would read it three times
#endif

#if RAVEL_VECTOR_BYTES >= 64
#  define RAVEL_VECTORS of_64_bytes
#elif RAVEL_VECTOR_BYTES >= 32
#  define RAVEL_VECTORS of_32_bytes
#else
#  define RAVEL_VECTORS of_16_bytes
#endif

namespace ravel::inline v0::cpu::simd {

/// The element types of vectors.
template <class T>
concept number = (std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8) ||
                 std::same_as<T, float> || std::same_as<T, double>;

inline namespace RAVEL_VECTORS {

#if RAVEL_VECTOR_BYTES >= 64
/// The width of vectors, in bytes.
inline constexpr int vector_bytes = 64;
#elif RAVEL_VECTOR_BYTES >= 32
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

#ifdef RAVEL_SIMD

/// The number of lanes of a vector of T.
template <number T>
inline constexpr int lanes = vector_bytes / int{sizeof(T)};

namespace detail {

template <class T>
struct vector_of {
  using type [[gnu::vector_size(vector_bytes)]] = T;
};

/// The type of a lane of a mask: an integer of the number's size, all ones for true.
template <class T>
using mask_lane = std::conditional_t<
    sizeof(T) == 1, signed char,
    std::conditional_t<sizeof(T) == 2, short, std::conditional_t<sizeof(T) == 4, int, long long>>>;

/// The vector 0, 1, 2, ...
template <class T, int... L>
[[gnu::always_inline]] inline typename vector_of<T>::type counted(
    std::integer_sequence<int, L...>) {
  return typename vector_of<T>::type{static_cast<T>(L)...};
}
/// The vector 1, 2, 4, ...
template <class T, int... L>
[[gnu::always_inline]] inline typename vector_of<T>::type powers(std::integer_sequence<int, L...>) {
  return typename vector_of<T>::type{static_cast<T>(T{1} << L)...};
}

}  // namespace detail

/// A vector register of numbers, and the type of a mask of its lanes.
template <number T>
using vector = typename detail::vector_of<T>::type;
template <number T>
using mask = typename detail::vector_of<detail::mask_lane<T>>::type;

/// Repeats a number in all lanes.
template <number T>
[[gnu::always_inline]] inline vector<T> broadcast(T x) {
  return x - vector<T>{};
}

namespace detail {

/// Shifts lanes up by `By`; the vacated lowest lanes get the highest lanes of `below`.
template <int By, class T, int... L>
[[gnu::always_inline]] inline vector<T> shift_up(vector<T> const& x, vector<T> const& below,
                                                 std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(x, below, (L < By ? 2 * lanes<T> - By + L : L - By)...);
}
template <class T, int... L>
[[gnu::always_inline]] inline vector<T> last(vector<T> const& x, std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(x, x, (L - L + lanes<T> - 1)...);
}
template <class T, int... L>
[[gnu::always_inline]] inline vector<T> reversed(vector<T> const& x,
                                                 std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(x, x, (lanes<T> - 1 - L)...);
}

}  // namespace detail

/// Shifts the lanes of x up by `By`; the vacated lowest lanes get the highest lanes of `below`.
template <int By, number T>
[[gnu::always_inline]] inline vector<T> shift_up(vector<T> const& x, vector<T> const& below) {
  return detail::shift_up<By, T>(x, below, std::make_integer_sequence<int, lanes<T>>());
}

/// Broadcasts the last lane of x.
template <number T>
[[gnu::always_inline]] inline vector<T> last(vector<T> const& x) {
  return detail::last<T>(x, std::make_integer_sequence<int, lanes<T>>());
}

/// Reverses the lanes of x.
template <number T>
[[gnu::always_inline]] inline vector<T> reversed(vector<T> const& x) {
  return detail::reversed<T>(x, std::make_integer_sequence<int, lanes<T>>());
}

/// Calls f(0), ..., f(Count - 1), each with a compile-time constant.
template <int Count, class F>
[[gnu::always_inline]] inline void unrolled(F const& f) {
  if constexpr (Count > 0) {
    unrolled<Count - 1>(f);
    f(std::integral_constant<int, Count - 1>());
  }
}

/// A block: adjacent vectors whose lanes are scanned together.
template <number T, int Count>
struct block {
  static constexpr int width = Count * lanes<T>;
  vector<T> at[Count];

  /// For each lane of vector K of the block, the value `By` lanes below it in the block; `none`
  /// where there is no such lane.
  template <int By, int K>
  [[gnu::always_inline]] inline vector<T> below(vector<T> const& none) const {
    constexpr int vectors = By / lanes<T>, rest = By % lanes<T>;
    if constexpr (K < vectors) {
      return none;
    } else if constexpr (rest == 0) {
      return at[K - vectors];
    } else if constexpr (K == vectors) {
      return shift_up<rest, T>(at[0], none);
    } else {
      return shift_up<rest, T>(at[K - vectors], at[K - vectors - 1]);
    }
  }
};

#endif

}  // namespace RAVEL_VECTORS

}  // namespace ravel::inline v0::cpu::simd
