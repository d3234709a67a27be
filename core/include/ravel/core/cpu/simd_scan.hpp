#pragma once

/// @file
/// Scans of numbers in vector registers, and scans by segments.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>

#include <bit>
#include <cstdint>
#include <utility>

#if defined(RAVEL_SIMD) && defined(__AVX512F__)
#  include <immintrin.h>
#endif

namespace ravel::inline v0::cpu::simd {

#ifdef RAVEL_SIMD

/// What a scan writes of each number: what is through it, or ahead of it.
enum class scanned { through, before };

/// Puts the scan of the whole vectors among n numbers to `out`, on from `carry`, and
/// returns the last.  Calls beside(i) for every vector, from i on.
template <scanned What, class M, class Out, class Beside, number T = carrier_t<M>>
[[gnu::always_inline]] inline T scan(M m, T const* in, index_t n, T carry, Out& out,
                                     Beside beside) {
  constexpr int width = lanes<T>;
  vector<T> const identity = broadcast<T>(m.identity());
  vector<T> ahead = broadcast<T>(carry);
  Out to = out;  // in registers
  for (index_t i = 0; i + width <= n; i += width) {
    beside(i);
    vector<T> const x = scan_lanes<M>(load(in + i), identity);
    vector<T> const through = of<M>::combine(ahead, x);
    to.put(What == scanned::through ? through : shift_up<1, T>(through, ahead));
    ahead = of<M>::combine(ahead, last<T>(x));  // waits for one operation, and not for a scan
  }
  out = to;
  return ahead[0];
}

/// The lowest lanes<T> of some bits, as a mask.
template <number T>
[[gnu::always_inline]] inline mask<T> spread(std::uint64_t bits) {
  using bit = typename detail::wrapping<detail::mask_lane<T>>::type;
  auto const each = []<int... L>(std::integer_sequence<int, L...>) {
    return vector<bit>{static_cast<bit>(bit{1} << L)...};
  }
  (std::make_integer_sequence<int, lanes<T>>());
  return (broadcast<bit>(static_cast<bit>(bits)) & each) != vector<bit>{};
}

/// Each lane of `yes` whose bit is set, and of `no` the others.
template <number T>
[[gnu::always_inline]] inline vector<T> choose(std::uint64_t bits, vector<T> const& yes,
                                               vector<T> const& no) {
#  ifdef __AVX512F__
  if constexpr (vector_bytes == 64 && sizeof(T) == 4) {  // bits are masks already
    return (vector<T>)_mm512_mask_mov_epi32((__m512i)no, static_cast<__mmask16>(bits),
                                            (__m512i)yes);
  } else if constexpr (vector_bytes == 64 && sizeof(T) == 8) {
    return (vector<T>)_mm512_mask_mov_epi64((__m512i)no, static_cast<__mmask8>(bits), (__m512i)yes);
  } else
#  endif
  {
    return spread<T>(bits) ? yes : no;
  }
}

/// Which lanes take part in the steps of a scan by segments, of the vectors that 64 heads
/// belong to, one after another.
template <number T>
class lanes_inside {
  static constexpr int steps = std::countr_zero(static_cast<unsigned>(lanes<T>));
  static constexpr std::uint64_t all = (std::uint64_t{1} << lanes<T>)-1;
  std::uint64_t heads_;
  std::uint64_t taking_[steps];  // bit l of taking_[k]: lane l takes the one 2^k below

 public:
  explicit lanes_inside(std::uint64_t heads) : heads_(heads) {
    constexpr std::uint64_t first_of_each = ~std::uint64_t{0} / all;
    taking_[0] = ~(heads | first_of_each);
    for (int k = 1; k < steps; ++k) {
      taking_[k] = taking_[k - 1] & taking_[k - 1] << (1 << (k - 1));
    }
  }
  void to_next_vector() {
    heads_ >>= lanes<T>;
    for (std::uint64_t& each : taking_) each >>= lanes<T>;
  }
  /// The lanes that take the one `By` below them.
  template <int By>
  std::uint64_t taking() const {
    return taking_[std::countr_zero(static_cast<unsigned>(By))];
  }
  /// The lanes below the first head.
  std::uint64_t open() const {
    std::uint64_t const heads = heads_ & all;
    return ~heads & (heads - 1);
  }
};

/// Scans the lanes of each segment.
template <class M, int By = 1, number T = carrier_t<M>>
[[gnu::always_inline]] inline vector<T> scan_lanes_inside(vector<T> const& x,
                                                          lanes_inside<T> const& inside) {
  if constexpr (By < lanes<T>) {
    vector<T> const through = of<M>::combine(shift_up<By, T>(x, x), x);
    return scan_lanes_inside<M, 2 * By, T>(choose<T>(inside.template taking<By>(), through, x),
                                           inside);
  } else {
    return x;
  }
}

/// Puts the scan of the whole vectors among n numbers to `out`, by segments, which begin
/// where a bit of `heads` is set; what is ahead of the first of them goes on from
/// `carry`.  Returns the last.  There are at least as many bits in a number as lanes in
/// a vector.
template <class M, class Out, class Beside, number T = carrier_t<M>>
requires(sizeof(T) >= 4) [[gnu::always_inline]] inline T
    segmented_scan(M, T const* in, std::uint64_t const* heads, index_t n, T carry, Out& out,
                   Beside beside) {
  constexpr int width = lanes<T>;
  index_t const whole = n - n % width;
  vector<T> ahead = broadcast<T>(carry);
  Out to = out;
  for (index_t i = 0; i < whole; ++heads) {
    lanes_inside<T> inside(*heads);
    for (index_t const end = i + 64 < whole ? i + 64 : whole; i < end; i += width) {
      beside(i);
      vector<T> const x = scan_lanes_inside<M>(load(in + i), inside);
      vector<T> const through = choose<T>(inside.open(), of<M>::combine(ahead, x), x);
      to.put(through);
      ahead = last<T>(through);
      inside.to_next_vector();
    }
  }
  out = to;
  return ahead[0];
}

#endif

}  // namespace ravel::inline v0::cpu::simd
