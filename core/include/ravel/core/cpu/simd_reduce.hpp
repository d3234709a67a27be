#pragma once

/// Reductions of numbers in vector registers.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops_by_width.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_lanes.hpp>
#include <ravel/core/cpu/simd_memory.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <utility>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#ifdef RAVEL_SIMD

namespace detail {

/// The number of lanes across which shuffles are cheap: half a vector in AVX2, otherwise all.
template <class T>
inline constexpr int near_lanes = vector_bytes == 32 ? lanes<T> / 2 : lanes<T>;

/// Levels of a reduction tree that stay within near lanes, before the level that crosses the halves
/// of a register.
template <class T>
inline constexpr int near_levels = std::countr_zero(static_cast<unsigned>(near_lanes<T>));

/// Combines adjacent lanes of x and y: within each half of the register, first those of x, then
/// those of y.
template <class M, class T, int... L>
[[gnu::always_inline]] inline vector<T> near_neighbours(vector<T> const& x, vector<T> const& y,
                                                        std::integer_sequence<int, L...>) {
  constexpr int near = near_lanes<T>;
  constexpr auto even = [](int l) {
    int const place = 2 * (l % near);
    return l / near * near + (place < near ? place : lanes<T> + place - near);
  };
  return of<M>::combine(__builtin_shufflevector(x, y, even(L)...),
                        __builtin_shufflevector(x, y, (even(L) + 1)...));
}

/// Combines the low half of x with its high half, and the low half of y with its high half.
template <class M, class T, int... L>
[[gnu::always_inline]] inline vector<T> halves(vector<T> const& x, vector<T> const& y,
                                               std::integer_sequence<int, L...>) {
  constexpr int near = near_lanes<T>;
  return of<M>::combine(__builtin_shufflevector(x, y, (L < near ? L : lanes<T> + L - near)...),
                        __builtin_shufflevector(x, y, (L < near ? near + L : lanes<T> + L)...));
}

/// Restores the memory order of lanes after tree levels that stayed within halves.
template <class T, int... L>
[[gnu::always_inline]] inline vector<T> in_order(vector<T> const& x,
                                                 std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(x, x, (L / 2 + L % 2 * near_lanes<T>)...);
}

/// Combines Count adjacent vectors to one by a tree: each lane combines Count adjacent elements.
/// Memory is read, and prefetched, from the left.
///
/// In AVX2, shuffles across the halves of a register are slow.  So most levels of the tree stay
/// within halves; every few levels, one combines the halves and restores the order of lanes.
template <class M, int Count, bool Prefetches, number T>
[[gnu::always_inline]] inline vector<T> tree(T const* in, index_t i,
                                             prefetch_range const& upcoming) {
  if constexpr (Count == 1) {
    if constexpr (Prefetches) prefetch(upcoming, i);
    return load(in + i);
  } else {
    constexpr auto indices = std::make_integer_sequence<int, lanes<T>>();
    constexpr int level = std::countr_zero(static_cast<unsigned>(Count));
    vector<T> const left = tree<M, Count / 2, Prefetches>(in, i, upcoming);
    vector<T> const right = tree<M, Count / 2, Prefetches>(in, i + Count / 2 * lanes<T>, upcoming);
    if constexpr (near_lanes<T> < lanes<T> && level % (near_levels<T> + 1) == 0) {
      return halves<M, T>(left, right, indices);
    } else {
      return near_neighbours<M, T>(left, right, indices);
    }
  }
}

/// Combines all lanes of the result of `tree`.
template <class M, int Count, number T>
[[gnu::always_inline]] inline T total_of_tree(vector<T> const& x, vector<T> const& identity) {
  constexpr int level = std::countr_zero(static_cast<unsigned>(Count));
  if constexpr (near_lanes<T> < lanes<T> && level % (near_levels<T> + 1) != 0) {
    static_assert(level % (near_levels<T> + 1) == near_levels<T>);
    return total<M, T>(in_order<T>(x, std::make_integer_sequence<int, lanes<T>>()), identity);
  } else {
    return total<M, T>(x, identity);
  }
}

/// Reduces the whole groups of `Bytes` bytes from index i on, from the left.  Returns the index
/// after them.
template <class M, int Bytes, bool Prefetches, number T>
[[gnu::always_inline]] inline index_t reduce_groups(T const* in, index_t i, index_t n, T& carry,
                                                    prefetch_range const& upcoming) {
  M const m{};
  constexpr int count = Bytes / vector_bytes;
  vector<T> const identity = broadcast<T>(m.identity());
  for (; i + count * lanes<T> <= n; i += count * lanes<T>) {
    carry =
        m(carry, total_of_tree<M, count, T>(tree<M, count, Prefetches>(in, i, upcoming), identity));
  }
  return i;
}

/// The number of elements before the first one at a vector-aligned address.
template <class T>
[[gnu::always_inline]] inline index_t until_aligned(T const* in) {
  auto const past = reinterpret_cast<std::uintptr_t>(in) % vector_bytes;
  return static_cast<index_t>((vector_bytes - past) % vector_bytes / sizeof(T));
}

/// A mask of the first n lanes.
template <number T>
[[gnu::always_inline]] inline mask<T> first_lanes(index_t n) {
  using lane = mask_lane<T>;
  return counted<lane>(std::make_integer_sequence<int, lanes<T>>()) <
         broadcast<lane>(static_cast<lane>(n));
}

}  // namespace detail

/// Combines the carry with n numbers lane by lane, where the order of operands does not matter.  It
/// loads aligned vectors, which never straddle cache lines, and an unaligned vector at each end.
template <class M, bool Prefetches, number T>
[[gnu::always_inline]] inline T reduce_lanes(T const* in, index_t n, T carry,
                                             prefetch_range const& upcoming) {
  M const m{};
  constexpr index_t width = lanes<T>;
  vector<T> const identity = broadcast<T>(m.identity());
  index_t i = detail::until_aligned(in);
  vector<T> even = detail::first_lanes<T>(i) ? load(in) : identity, odd = identity;
  for (; i + 2 * width <= n; i += 2 * width) {
    if constexpr (Prefetches) prefetch(upcoming, i);
    even = of<M>::combine(even, load(in + i));
    if constexpr (Prefetches) prefetch(upcoming, i + width);
    odd = of<M>::combine(odd, load(in + i + width));
  }
  if (i + width <= n) {
    even = of<M>::combine(even, load(in + i));
    i += width;
  }
  mask<T> const seen = detail::first_lanes<T>(i + width - n);
  odd = of<M>::combine(odd, seen ? identity : load(in + n - width));
  return m(carry, total<M, T>(of<M>::combine(even, odd), identity));
}

/// The loop of a reduction: combines the carry with n numbers.  Integers are combined lane by lane,
/// since their order does not matter.  Floating-point numbers are combined in groups of 1024 bytes
/// from the left, then groups of 128, each a tree over adjacent elements, and the rest serially.
template <class M, number T = carrier_t<M>>
struct reduce_loop {
  static T run(T const* in, index_t n, T carry, prefetch_range const& ahead) {
    M const m{};
    prefetch_range const upcoming = ahead;  // a local copy, which stays in registers
    index_t i = 0;
    if constexpr (std::integral<T>) {
      if (n >= lanes<T>) {
        return upcoming.count > 0 ? reduce_lanes<M, true>(in, n, carry, upcoming)
                                  : reduce_lanes<M, false>(in, n, carry, upcoming);
      }
    } else {
      i = upcoming.count > 0 ? detail::reduce_groups<M, 1024, true>(in, i, n, carry, upcoming)
                             : detail::reduce_groups<M, 1024, false>(in, i, n, carry, upcoming);
      i = detail::reduce_groups<M, 128, false>(in, i, n, carry, upcoming);
    }
    for (; i < n; ++i) carry = m(carry, in[i]);
    return carry;
  }
};

#else

template <class M>
struct reduce_loop;

#endif

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS

namespace ravel::inline v0::cpu::loops {

#ifndef RAVEL_CHOOSES_VECTORS
using simd::reduce_loop;
#endif

/// Elements of a large group, combined as one tree, and of a small group.
template <class T>
inline constexpr index_t group_width = 1024 / index_t{sizeof(T)};
template <class T>
inline constexpr index_t small_group_width = 128 / index_t{sizeof(T)};

/// carry * in[0] * ... * in[n - 1], writing * for M.
template <class M, class T = carrier_t<M>>
T reduce(T const* in, index_t n, T carry, prefetch_range const& upcoming = {}) {
#if defined(RAVEL_CHOOSES_VECTORS) && defined(RAVEL_SIMD)
  if (n <= group_width<T>) {  // choosing the width at run time costs more than wider vectors gain
    return simd::reduce_loop<M>::run(in, n, carry, upcoming);
  }
#endif
  using form = detail::form<M>;
  using U = carrier_t<form>;
  return static_cast<T>(
      reduce_loop<form>::run(reinterpret_cast<U const*>(in), n, static_cast<U>(carry), upcoming));
}

}  // namespace ravel::inline v0::cpu::loops
