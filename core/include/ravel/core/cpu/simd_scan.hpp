#pragma once

/// Scans of numbers in vector registers.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops_by_width.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_lanes.hpp>
#include <ravel/core/cpu/simd_memory.hpp>

#include <concepts>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#ifdef RAVEL_SIMD

namespace detail {

/// Combines four vectors by a tree over adjacent ones.
template <class M, number T>
[[gnu::always_inline]] inline vector<T> total_of_four(vector<T> const (&x)[4]) {
  return of<M>::combine(of<M>::combine(x[0], x[1]), of<M>::combine(x[2], x[3]));
}

}  // namespace detail

/// The loop of loops::scan below, in vectors of one width: whole blocks, then the last few numbers
/// serially.
///
/// The total of a block is a tree over adjacent elements, as in reduce.  If `total` is not null,
/// the scan also computes what reduce would, by groups of 16 blocks, from the same loads.
template <class M, scanned What, direction Towards, number T = carrier_t<M>>
struct scan_loop {
  static T run(T const* in, index_t n, T carry, results& out, prefetch_range const& range,
               T* total) {
    M const m{};
    constexpr int count = vectors_in_block<M>;
    constexpr index_t width = block<T, count>::width;
    constexpr bool back = Towards == direction::backward;
    prefetch_range const upcoming = range;  // a local copy, which stays in registers
    vector<T> const identity = unknown<T>(broadcast<T>(m.identity()));
    vector<T> ahead = broadcast<T>(carry);
    vectors_out<T, Towards> writer(out);
    auto const scan_block = [&](index_t i) __attribute__((always_inline)) {
      unrolled<count>([&](auto k)
                          __attribute__((always_inline)) { prefetch(upcoming, i + k * lanes<T>); });
      T const* const source = back ? in - i : in + i;
      block<T, count> const x = scan_lanes<M>(load_block<T, count, Towards>(source), identity);
      block<T, count> through, written;
      unrolled<count>([&](auto k) __attribute__((always_inline)) {
        through.at[k] = of<M>::combine(ahead, x.at[k]);
      });
      unrolled<count>([&](auto k) __attribute__((always_inline)) {
        written.at[k] =
            What == scanned::through ? through.at[k] : through.template below<1, k>(ahead);
      });
      writer.put(written);
      vector<T> const block_total = last<T>(x.at[count - 1]);
      // The dependency chain between blocks is one operation, not the scan of a block.
      ahead = of<M>::combine(ahead, block_total);
      return block_total;
    };
    index_t i = 0;
    if constexpr (std::floating_point<T>) {
      for (; total && i + 16 * width <= n; i += 16 * width) {
        vector<T> of_fours[4];
        for (int f = 0; f < 4; ++f) {
          vector<T> of_blocks[4];
          unrolled<4>([&](auto b) __attribute__((always_inline)) {
            of_blocks[b] = scan_block(i + (4 * f + b) * width);
          });
          of_fours[f] = detail::total_of_four<M, T>(of_blocks);
        }
        *total = m(*total, detail::total_of_four<M, T>(of_fours)[0]);
      }
    }
    for (; i + width <= n; i += width) scan_block(i);
    writer.leave(out);
    carry = ahead[0];
    if (i == n) return carry;
    out.finish();
    auto* single = static_cast<T*>(out.to);
    for (; i < n; ++i) {
      T const before = carry;
      carry = m(carry, back ? in[-1 - i] : in[i]);
      *(back ? --single : single++) = What == scanned::through ? carry : before;
    }
    out.to = single;
    return carry;
  }
};

#else

template <class M, scanned, direction>
struct scan_loop;

#endif

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS

namespace ravel::inline v0::cpu::loops {

#ifndef RAVEL_CHOOSES_VECTORS
using simd::scan_loop;
#endif

/// Writes the inclusive or exclusive prefix of each of n numbers to `out`, starting from `carry`,
/// and returns the last inclusive prefix.  Backward, it reads the numbers before `in` in descending
/// order and writes results in descending order.
///
/// If `total` is not null (floating-point numbers only), it also combines as many whole groups as
/// there are into *total, as reduce would, with the same bits.
template <scanned What, class M, direction Towards = direction::forward, class T = carrier_t<M>>
T scan(T const* in, index_t n, T carry, results& out, prefetch_range const& upcoming = {},
       T* total = nullptr) {
  using form = detail::form<M>;
  using U = carrier_t<form>;
  return static_cast<T>(scan_loop<form, What, Towards>::run(reinterpret_cast<U const*>(in), n,
                                                            static_cast<U>(carry), out, upcoming,
                                                            reinterpret_cast<U*>(total)));
}

}  // namespace ravel::inline v0::cpu::loops
