#pragma once

/// The digits of the bits in which rows differ, by which the host's radix sort splits rows.

#include <ravel/algorithms/cpu/sort_in_cache.hpp>
#include <ravel/core/cpu/either.hpp>

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

/// A digit that spreads uneven keys: the octave (binary exponent) of the key and as many bits after
/// its highest as 1024 digits leave room for.  So digits are about equally frequent where each
/// power of two has about as many keys, as under Zipf's law.
///
/// Only the lowest `width` bits of the key count.  If any of the highest `top` of these is set,
/// those bits are the digit instead of the octave: this suits uniform keys with many bits, too.
///
/// The conversion to float yields the octave and the bits after it.  Its rounding keeps the order.
template <class From, class Bits>
struct octave_digit {
  using U = typename Bits::bits;
  // one bit of a word of 8 bytes is dropped, so that it fits a signed integer
  static constexpr int halves = sizeof(U) < 8 ? 0 : 1;
  static constexpr int bias = 126, mantissa = 23;
  From row;
  Bits bits;
  U mask;
  int low, after = 1;
  // digits by octaves precede those by top bits; this is the first of the latter, less 1
  index_t tops;

  octave_digit(From reader, Bits bits_of, int width, int top)
      : row(reader),
        bits(bits_of),
        mask(static_cast<U>((U{1} << (width - 1) << 1) - 1)),
        low(width - top) {
    index_t const max_ways = index_t{1024} - (index_t{1} << top);
    while (index_t{low + 2} << (after + 1) <= max_ways) ++after;
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

/// Fewer rows than `worth_a_sample` are not sampled.  Of more, `sampled` rows predict how evenly a
/// digit would split all of them.
inline constexpr index_t worth_a_sample = index_t{1} << 16, sampled = 256;

/// How unevenly a digit of at most 1024 would split n rows: the sum, over the digits, of the squared
/// number of rows of a sample with that digit.
index_t unevenness(index_t n, auto const& digit) {
  index_t of_digit[1024] = {}, sum = 0;
  for (index_t k = 0; k < sampled; ++k) sum += 2 * of_digit[digit(n / sampled * k)]++ + 1;
  return sum;
}

}  // namespace ravel::inline v0::cpu::detail
