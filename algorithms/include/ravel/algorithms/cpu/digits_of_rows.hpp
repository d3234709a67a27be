#pragma once

/// @file
/// The digits of the bits in which rows differ, by which the host's radix sort splits rows.

#include <ravel/algorithms/cpu/sort_in_cache.hpp>
#include <ravel/core/cpu/either.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/core/tile.hpp>

#include <bit>
#include <cstdint>

namespace ravel::inline v0::cpu::detail {

/// The digit of a row in bits [shift, shift + log2(mask + 1)).
template <class From, class Bits>
struct high_digit {
  From row;
  Bits bits;
  int shift;
  typename Bits::bits mask;
  [[gnu::always_inline]] index_t operator()(index_t i) const {
    return static_cast<index_t>(bits(row(i)) >> shift & mask);
  }
};

/// The digit of a row by the highest `top` of its lowest `width` bits; where these are 0, by its highest bit
/// and by as many bits after that as 1024 digits hold.  So it is even where each power of two has about
/// as many keys, as in Zipf's law, and with some top bits also where most keys of many bits are uniform.
///
/// The highest bit and those after it are read from a float, whose rounding does not change the order.
template <class From, class Bits>
struct octave_digit {
  using U = typename Bits::bits;
  static constexpr int halves = sizeof(U) < 8 ? 0 : 1;  // bits dropped, so that numbers are signed
  static constexpr int bias = 126, mantissa = 23;
  From row;
  Bits bits;
  U mask;
  int low, after = 1;
  index_t tops;  // the first digit by top bits, less 1

  octave_digit(From from, Bits bits_of, int width, int top)
      : row(from),
        bits(bits_of),
        mask(static_cast<U>((U{1} << (width - 1) << 1) - 1)),
        low(width - top) {
    index_t const most = index_t{1024} - (index_t{1} << top);
    while (index_t{low + 2} << (after + 1) <= most) ++after;
    tops = (index_t{low + 2} << after) - 1;
  }
  index_t ways() const { return tops + static_cast<index_t>(mask >> (low - 1) >> 1) + 1; }

  [[gnu::always_inline]] index_t operator()(index_t i) const {
    U const x = bits(row(i)) & mask;
    auto const top = static_cast<index_t>(x >> (low - 1) >> 1);
    auto const real = static_cast<float>(static_cast<std::int64_t>(x >> halves));
    auto const octave =
        index_t{std::bit_cast<std::int32_t>(real) >> (mantissa - after)} - (index_t{bias} << after);
    return either(top > 0, tops + top, std::max(index_t{0}, octave));
  }
};

/// From `worth_a_sample` rows on, `sampled` of them are examined before all are split.
inline constexpr index_t worth_a_sample = index_t{1} << 16, sampled = 256;

}  // namespace ravel::inline v0::cpu::detail
