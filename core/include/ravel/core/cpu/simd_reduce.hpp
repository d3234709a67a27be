#pragma once

/// @file
/// Reductions of numbers in vector registers.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace ravel::inline v0::cpu::simd {

#ifdef RAVEL_SIMD

namespace detail {

template <class M, class T, int... L>
[[gnu::always_inline]] inline vector<T> neighbours(vector<T> const& x, vector<T> const& y,
                                                   std::integer_sequence<int, L...>) {
  return of<M>::combine(__builtin_shufflevector(x, y, 2 * L...),
                        __builtin_shufflevector(x, y, (2 * L + 1)...));
}

/// Of Count vectors one: each lane combines Count neighbours, as a tree.  Memory is read
/// from the left, and beside(i) is called for each vector.
template <class M, int Count, class Beside, number T = carrier_t<M>>
[[gnu::always_inline]] inline vector<T> tree(T const* in, index_t i, Beside const& beside) {
  if constexpr (Count == 1) {
    beside(i);
    return load(in + i);
  } else {
    vector<T> const left = tree<M, Count / 2>(in, i, beside);
    vector<T> const right = tree<M, Count / 2>(in, i + Count / 2 * lanes<T>, beside);
    return neighbours<M, T>(left, right, std::make_integer_sequence<int, lanes<T>>());
  }
}

/// How many numbers are ahead of the first that is aligned to a vector.
template <class T>
index_t until_aligned(T const* in) {
  auto const past = reinterpret_cast<std::uintptr_t>(in) % vector_bytes;
  return static_cast<index_t>((vector_bytes - past) % vector_bytes / sizeof(T));
}

/// The first n lanes, as a mask.
template <number T>
[[gnu::always_inline]] inline mask<T> first_lanes(index_t n) {
  using lane = mask_lane<T>;
  auto const each = []<int... L>(std::integer_sequence<int, L...>) {
    return mask<T>{static_cast<lane>(L)...};
  }
  (std::make_integer_sequence<int, lanes<T>>());
  return each < broadcast<lane>(static_cast<lane>(n));
}

}  // namespace detail

/// Vectors that are combined together, and the numbers in them.
inline constexpr int group = 16;
template <number T>
inline constexpr index_t group_width = group* lanes<T>;

/// carry combined with n numbers.  Integers, whose order does not matter, are combined
/// lane by lane, and floating-point numbers by groups of 16 vectors from the left, in
/// which neighbours are combined, as a tree.  Calls beside(i) for every vector, from i on.
template <class M, class Beside, number T = carrier_t<M>>
T reduce(M m, T const* in, index_t n, T carry, Beside beside) {
  vector<T> const identity = broadcast<T>(m.identity());
  index_t i = 0;
  if constexpr (std::integral<T>) {
    constexpr index_t width = lanes<T>;
    if (n >= width) {
      // Vectors that cross no line, and what is ahead and behind them of vectors that do.
      i = detail::until_aligned(in);
      vector<T> even = detail::first_lanes<T>(i) ? load(in) : identity, odd = identity;
      for (; i + 2 * width <= n; i += 2 * width) {
        beside(i);
        even = of<M>::combine(even, load(in + i));
        beside(i + width);
        odd = of<M>::combine(odd, load(in + i + width));
      }
      if (i + width <= n) {
        even = of<M>::combine(even, load(in + i));
        i += width;
      }
      mask<T> const seen = detail::first_lanes<T>(i + width - n);
      odd = of<M>::combine(odd, seen ? identity : load(in + n - width));
      i = n;
      carry = m(carry, scan_lanes<M>(of<M>::combine(even, odd), identity)[lanes<T> - 1]);
    }
  } else {
    for (; i + group_width<T> <= n; i += group_width<T>) {
      vector<T> const sums = detail::tree<M, group>(in, i, beside);
      carry = m(carry, scan_lanes<M>(sums, identity)[lanes<T> - 1]);
    }
  }
  for (; i < n; ++i) carry = m(carry, in[i]);
  return carry;
}
template <class M, number T = carrier_t<M>>
T reduce(M m, T const* in, index_t n, T carry) {
  return reduce(m, in, n, carry, [](index_t) {});
}

#endif

}  // namespace ravel::inline v0::cpu::simd
