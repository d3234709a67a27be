#pragma once

/// Prefix sums of every S-th number (tuples), and prefix sums of prefix sums (higher order), in
/// vector registers.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops_by_width.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_lanes.hpp>
#include <ravel/core/cpu/simd_memory.hpp>

#include <type_traits>
#include <utility>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#ifdef RAVEL_SIMD

namespace detail {

/// The lanes of vector K of a block that continues the last S lanes of block x periodically: lane
/// L, at position j of the block, becomes lane width - S + j % S of x if that lane lies in vector
/// V; other lanes are those of `others`.
template <int S, int K, int V, class T, int Count, int... L>
[[gnu::always_inline]] inline vector<T> repeated_from(vector<T> const& others,
                                                      block<T, Count> const& x,
                                                      std::integer_sequence<int, L...> each) {
  constexpr auto place = [](int l) { return Count * lanes<T> - S + (K * lanes<T> + l) % S; };
  constexpr auto source = [=](int l) {
    return place(l) / lanes<T> == V ? lanes<T> + place(l) % lanes<T> : l;
  };
  vector<T> const some = __builtin_shufflevector(others, x.at[V], source(L)...);
  if constexpr (V + 1 < Count) {
    return repeated_from<S, K, V + 1, T>(some, x, each);
  } else {
    return some;
  }
}

}  // namespace detail

/// Vector K of a block in which the last S lanes of block x are repeated periodically.
template <int S, int K, number T, int Count>
[[gnu::always_inline]] inline vector<T> repeated(block<T, Count> const& x) {
  constexpr int first = (Count * lanes<T> - S) / lanes<T>;
  return detail::repeated_from<S, K, first, T>(x.at[first], x,
                                               std::make_integer_sequence<int, lanes<T>>());
}

/// For each lane of vector K, the value S lanes below it, which may be in the previous block.
template <int S, int K, number T, int Count>
[[gnu::always_inline]] inline vector<T> below_across(block<T, Count> const& x,
                                                     block<T, Count> const& before) {
  constexpr auto nth = [](auto const& current, auto const& preceding, auto k) -> vector<T> const& {
    if constexpr (k() < 0) {
      return preceding.at[Count + k()];
    } else {
      return current.at[k()];
    }
  };
  constexpr int vectors = S / lanes<T>, rest = S % lanes<T>;
  vector<T> const& high = nth(x, before, std::integral_constant<int, K - vectors>());
  if constexpr (rest == 0) {
    return high;
  } else {
    return shift_up<rest, T>(high, nth(x, before, std::integral_constant<int, K - vectors - 1>()));
  }
}

/// Scans every S-th of n numbers, for each of the S residues, in Q rounds, each over the result of
/// the round before.  Writes the inclusive or exclusive prefixes of the last round, or nothing if
/// out.to is null. carried[q * S + s] is the prefix of residue s in round q: before the numbers on
/// entry, after them on return.  The dependency chain from one block of 64 bytes to the next is one
/// shuffle and one sum per round.
template <scanned What, class M, int S, int Q, number T = carrier_t<M>>
[[gnu::always_inline]] inline void scan_strided(T const* in, index_t n, T* carried, int rounds,
                                                results& out, prefetch_range const& range) {
  M const m{};
  constexpr int count = 64 / vector_bytes;
  using numbers = block<T, count>;
  constexpr index_t width = numbers::width;
  static_assert(S <= width);
  constexpr int in_registers = 3;         // the number of rounds whose carries stay in registers
  prefetch_range const upcoming = range;  // a local copy, which stays in registers
  vector<T> const identity = unknown<T>(broadcast<T>(m.identity()));
  bool const leaves = out.to != nullptr;
  numbers before[Q];  // the previous block of each round
  for (int q = 0; q < rounds; ++q) {
    T room[width] = {};
    for (int k = 0; k < S; ++k) room[width - S + k] = carried[q * S + k];
    before[q] = load_block<T, count>(room);
  }
  vectors_out<T> writer(out);
  index_t i = 0;
  for (; i + width <= n; i += width) {
    unrolled<count>([&](auto k)
                        __attribute__((always_inline)) { prefetch(upcoming, i + k * lanes<T>); });
    numbers x = load_block<T, count>(in + i);
    numbers ahead{};
    auto const scan_round = [&](auto q) __attribute__((always_inline)) {
      numbers const y = scan_lanes<M, S>(x, identity);
      ahead = before[q];
      unrolled<count>([&](auto k) __attribute__((always_inline)) {
        x.at[k] = of<M>::combine(repeated<S, k>(ahead), y.at[k]);
      });
      before[q] = x;
    };
    if constexpr (Q <= in_registers) {
      unrolled<Q>(scan_round);
    } else {
      for (int q = 0; q < rounds; ++q) scan_round(q);
    }
    if (!leaves) continue;
    unrolled<count>([&](auto k) __attribute__((always_inline)) {
      writer.put(What == scanned::through ? x.at[k] : below_across<S, k>(x, ahead));
    });
  }
  for (int q = 0; q < rounds; ++q) {
    T room[width];
    unrolled<count>([&](auto k) __attribute__((always_inline)) {
      store<T>(room + k * lanes<T>, before[q].at[k]);
    });
    for (int k = 0; k < S; ++k) carried[q * S + k] = room[width - S + k];
  }
  if (leaves) writer.leave(out);
  if (i == n) return;
  if (leaves) out.finish();
  auto* single = static_cast<T*>(out.to);
  int place = 0;
  for (; i < n; ++i) {
    T x = in[i];
    T ahead = x;
    for (int q = 0; q < rounds; ++q) {
      T& prefix = carried[q * S + place];
      ahead = prefix;
      x = prefix = m(prefix, x);
    }
    if (leaves) *single++ = What == scanned::through ? x : ahead;
    place = place + 1 == S ? 0 : place + 1;
  }
  if (leaves) out.to = single;
  // rotates carries so that the next number's comes first
  for (int q = 0; place > 0 && q < rounds; ++q) {
    T room[S];
    for (int k = 0; k < S; ++k) room[k] = carried[q * S + (place + k) % S];
    for (int k = 0; k < S; ++k) carried[q * S + k] = room[k];
  }
}

/// The loop of scans of every `stride`-th number in one round, or of all numbers in several.
template <class M, scanned What, class T = carrier_t<M>>
struct strided_scan_loop {
  static void run(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                  prefetch_range const& upcoming) {
    run_by<8>(in, n, stride, rounds, carried, out, upcoming);
  }

 private:
  template <int Stride>
  static void run_by(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                     prefetch_range const& upcoming) {
    if constexpr (Stride == 1) {
      switch (rounds) {  // few rounds are compiled apart: their carries stay in registers
        case 2:
          return scan_strided<What, M, 1, 2>(in, n, carried, 2, out, upcoming);
        case 3:
          return scan_strided<What, M, 1, 3>(in, n, carried, 3, out, upcoming);
        default:
          return scan_strided<What, M, 1, 8>(in, n, carried, rounds, out, upcoming);
      }
    } else if (stride == Stride) {
      scan_strided<What, M, Stride, 1>(in, n, carried, 1, out, upcoming);
    } else {
      run_by<Stride - 1>(in, n, stride, rounds, carried, out, upcoming);
    }
  }
};

#else

template <class M, scanned>
struct strided_scan_loop;

#endif

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS

namespace ravel::inline v0::cpu::loops {

#ifndef RAVEL_CHOOSES_VECTORS
using simd::strided_scan_loop;
#endif

/// Scans every `stride`-th of n numbers, for strides of 2 to 8 in one round, or all numbers in up
/// to 8 rounds, each over the result of the round before.  Writes the inclusive or exclusive
/// prefixes of the last round, or nothing if out.to is null.  carried[s] for strides, or carried[q]
/// of round q, holds the prefix before the block on entry, and after it on return.
template <scanned What, class M, class T = carrier_t<M>>
void scan_strided(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                  prefetch_range const& upcoming = {}) {
  using form = detail::form<M>;
  using U = carrier_t<form>;
  strided_scan_loop<form, What>::run(reinterpret_cast<U const*>(in), n, stride, rounds,
                                     reinterpret_cast<U*>(carried), out, upcoming);
}

}  // namespace ravel::inline v0::cpu::loops
