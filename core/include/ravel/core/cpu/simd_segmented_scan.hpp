#pragma once

/// Segmented scan of numbers in vector registers.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops_by_width.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_lanes.hpp>
#include <ravel/core/cpu/simd_memory.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#ifdef RAVEL_SIMD

/// Expands the lowest lanes<T> bits to a mask of lanes.
template <number T>
[[gnu::always_inline]] inline mask<T> spread(std::uint64_t bits) {
  using bit = typename detail::wrapping<detail::mask_lane<T>>::type;
  vector<bit> const bit_of_lane = detail::powers<bit>(std::make_integer_sequence<int, lanes<T>>());
  return (broadcast<bit>(static_cast<bit>(bits)) & bit_of_lane) != vector<bit>{};
}

/// Selects `yes` in the lanes whose bit is set, and `no` in the others.
template <number T>
[[gnu::always_inline]] inline vector<T> choose(std::uint64_t bits, vector<T> const& yes,
                                               vector<T> const& no) {
#  if RAVEL_VECTOR_BYTES >= 64
  if constexpr (vector_bytes == 64 && sizeof(T) == 4) {  // AVX-512 masks are bits
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

/// Which lanes take part in each step of a segmented scan.  One object covers 64 head flags, of
/// several consecutive blocks.
template <int Width>
class lanes_inside {
  static constexpr int steps = std::countr_zero(static_cast<unsigned>(Width));
  static constexpr std::uint64_t all = (std::uint64_t{1} << Width) - 1;
  std::uint64_t heads_;
  std::uint64_t taking_[steps];  // bit l of taking_[k]: lane l combines with lane l - 2^k

 public:
  [[gnu::always_inline]] explicit lanes_inside(std::uint64_t heads) : heads_(heads) {
    constexpr std::uint64_t first_of_each = ~std::uint64_t{0} / all;
    taking_[0] = ~(heads | first_of_each);
    for (int k = 1; k < steps; ++k) {
      taking_[k] = taking_[k - 1] & taking_[k - 1] << (1 << (k - 1));
    }
  }
  [[gnu::always_inline]] void to_next_block() {
    heads_ >>= Width;
    for (std::uint64_t& word : taking_) word >>= Width;
  }
  /// The lanes that combine with the lane `By` below them: those in the same segment.
  template <int By>
  [[gnu::always_inline]] std::uint64_t taking() const {
    return taking_[std::countr_zero(static_cast<unsigned>(By))];
  }
  /// The lanes before the first head, which continue the segment of the previous block.
  [[gnu::always_inline]] std::uint64_t open() const {
    std::uint64_t const heads = heads_ & all;
    return ~heads & (heads - 1);
  }
};

#  if RAVEL_VECTOR_BYTES >= 64

/// As lanes_inside, from the distance of each lane to the head of its segment, computed once for
/// all steps. The lanes of a step are then one comparison, with no conversion of bits to masks.
template <number T>
class lanes_counted {
  using lane = detail::mask_lane<T>;
  std::uint64_t heads_;
  vector<lane> below_;  // for each lane, the number of lanes below it in its segment
  std::uint64_t open_;

  [[gnu::always_inline]] static vector<lane> leading_zeros(vector<lane> const& x) {
    if constexpr (sizeof(T) == 4) {
      return (vector<lane>)_mm512_lzcnt_epi32((__m512i)x);
    } else {
      return (vector<lane>)_mm512_lzcnt_epi64((__m512i)x);
    }
  }
  [[gnu::always_inline]] static std::uint64_t at_least(vector<lane> const& x, lane least) {
    if constexpr (sizeof(T) == 4) {
      return _mm512_cmpge_epi32_mask((__m512i)x, (__m512i)broadcast<lane>(least));
    } else {
      return _mm512_cmpge_epi64_mask((__m512i)x, (__m512i)broadcast<lane>(least));
    }
  }
  [[gnu::always_inline]] void count() {
    auto const indices = std::make_integer_sequence<int, lanes<T>>();
    constexpr lane highest = 8 * sizeof(lane) - 1;
    vector<lane> const bit = detail::powers<lane>(indices);
    vector<lane> const seen = broadcast<lane>(static_cast<lane>(heads_)) & (bit | (bit - 1));
    below_ = leading_zeros(seen | 1) + (detail::counted<lane>(indices) - highest);
    open_ = at_least(leading_zeros(seen), highest + 1);
  }

 public:
  [[gnu::always_inline]] explicit lanes_counted(std::uint64_t heads) : heads_(heads) { count(); }
  [[gnu::always_inline]] void to_next_block() {
    heads_ >>= lanes<T>;
    count();
  }
  template <int By>
  [[gnu::always_inline]] std::uint64_t taking() const {
    return at_least(below_, By);
  }
  [[gnu::always_inline]] std::uint64_t open() const { return open_; }
};
/// The class that finds the lanes inside of segments: lanes_counted where a block is one AVX-512
/// vector.
template <number T, int Width>
using lanes_of = std::conditional_t<vector_bytes == 64, lanes_counted<T>, lanes_inside<Width>>;

#  else

template <number T, int Width>
using lanes_of = lanes_inside<Width>;

#  endif

/// Inclusive segmented scan of the lanes of a block, by steps at doubling distance.
template <class M, int By = 1, number T, int Count, class Inside>
[[gnu::always_inline]] inline block<T, Count> scan_lanes_inside(block<T, Count> const& x,
                                                                Inside const& inside) {
  if constexpr (By < block<T, Count>::width) {
    block<T, Count> y;
    unrolled<Count>([&](auto k) __attribute__((always_inline)) {
      if constexpr (k * lanes<T> + lanes<T> <= By) {
        // every lane of this vector is less than `By` lanes from the block's begin
        y.at[k] = x.at[k];
      } else {
        vector<T> const through = of<M>::combine(x.template below<By, k>(x.at[k]), x.at[k]);
        y.at[k] = choose<T>(inside.template taking<By>() >> k * lanes<T>, through, x.at[k]);
      }
    });
    return scan_lanes_inside<M, 2 * By>(y, inside);
  } else {
    return x;
  }
}

/// The loop of loops::scan_segments below, in vectors of one width.  The number type has at least
/// as many bits as a block has lanes.
template <class M, number T = carrier_t<M>>
struct segmented_scan_loop {
  static T run(T const* in, std::uint64_t const* heads, index_t n, T carry, results& out,
               prefetch_range const& range) {
    static_assert(sizeof(T) >= 4);
    constexpr int count = vectors_in_block<M>;
    constexpr index_t width = block<T, count>::width;
    prefetch_range const upcoming = range;
    index_t const whole = n - n % width;
    vector<T> ahead = broadcast<T>(carry);
    vectors_out<T> writer(out);
    for (index_t i = 0; i < whole;) {
      lanes_of<T, width> inside(heads[i / 64]);
      for (index_t const end = i + 64 < whole ? i + 64 : whole; i < end; i += width) {
        unrolled<count>([&](auto k) __attribute__((always_inline)) {
          prefetch(upcoming, i + k * lanes<T>);
        });
        block<T, count> const x = scan_lanes_inside<M>(load_block<T, count>(in + i), inside);
        block<T, count> through;
        unrolled<count>([&](auto k) __attribute__((always_inline)) {
          through.at[k] =
              choose<T>(inside.open() >> k * lanes<T>, of<M>::combine(ahead, x.at[k]), x.at[k]);
          writer.put(through.at[k]);
        });
        ahead = last<T>(through.at[count - 1]);
        inside.to_next_block();
      }
    }
    writer.leave(out);
    carry = ahead[0];
    if (whole == n) return carry;
    out.finish();
    auto* single = static_cast<T*>(out.to);
    for (index_t i = whole; i < n; ++i) {
      carry = heads[i / 64] >> i % 64 & 1 ? in[i] : M{}(carry, in[i]);
      *single++ = carry;
    }
    out.to = single;
    return carry;
  }
};

#else

template <class M>
struct segmented_scan_loop;

#endif

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS

namespace ravel::inline v0::cpu::loops {

#ifndef RAVEL_CHOOSES_VECTORS
using simd::segmented_scan_loop;
#endif

/// Inclusive segmented scan of n numbers.  A segment begins at each number whose bit in `heads` is
/// set; the numbers before the first head continue from `carry`.  Returns the last result.
template <class M, class T = carrier_t<M>>
T scan_segments(T const* in, std::uint64_t const* heads, index_t n, T carry, results& out,
                prefetch_range const& upcoming = {}) {
  using form = detail::form<M>;
  using U = carrier_t<form>;
  return static_cast<T>(segmented_scan_loop<form>::run(reinterpret_cast<U const*>(in), heads, n,
                                                       static_cast<U>(carry), out, upcoming));
}

}  // namespace ravel::inline v0::cpu::loops
