#pragma once

/// @file
/// The digits of the bits in which rows differ, by which the host's radix sort splits rows.

#include <ravel/algorithms/cpu/sort_in_cache.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>

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

/// The digit of a row by its highest bit among the lowest `width`, and by as many bits after that as
/// 1024 digits hold: even where each power of two has about as many keys, as in Zipf's law.
template <class From, class Bits>
struct octave_digit {
  using U = typename Bits::bits;
  From row;
  Bits bits;
  U mask;
  int octaves, after = 1;

  octave_digit(From from, Bits bits_of, int width)
      : row(from), bits(bits_of), mask(static_cast<U>((U{1} << (width - 1) << 1) - 1)) {
    while (after + 2 < width && index_t{width - after} << (after + 1) <= 1024) ++after;
    octaves = width - after + 1;
  }
  index_t ways() const { return index_t{octaves} << after; }

  [[gnu::always_inline]] index_t operator()(index_t i) const {
    U const x = bits(row(i)) & mask;
    int const shift = std::max(0, width_of(x) - after - 1);
    return (index_t{shift} << after) + static_cast<index_t>(x >> shift);
  }
};

/// Rows from which on a sample of so many is taken before they are split.
inline constexpr index_t worth_a_sample = index_t{1} << 16, sampled = 256;

}  // namespace ravel::inline v0::cpu::detail
