#pragma once

/// @file
/// Several numbers at once in a vector register: what scans need of them.
///
/// It is written in the vector types that g++ and clang++ have in common, so that
/// one text serves every processor.  A vector is as wide as the compiler may use:
/// 64 bytes with -march=x86-64-v4, 32 with x86-64-v3, and otherwise 16.

#include <ravel/core/config.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(RAVEL_SIMD) && defined(__AVX512F__)
#  include <immintrin.h>
#endif

namespace ravel::inline v0::cpu::simd {

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// What a vector has many of.
template <class T>
concept number = (std::integral<T> && !std::same_as<T, bool>) || std::same_as<T, float> ||
                 std::same_as<T, double>;

/// The monoids that combine all lanes at once:  of<M>::combine(x, y)[l] is m(x[l], y[l]).
template <class M>
struct of {
  static constexpr bool known = false;
};

#ifdef RAVEL_SIMD

template <number T>
inline constexpr int lanes = vector_bytes / int{sizeof(T)};

namespace detail {

template <class T>
struct vector_of {
  using type [[gnu::vector_size(vector_bytes)]] = T;
};

/// Integers that wrap around.
template <class T>
struct wrapping : std::type_identity<T> {};
template <std::integral T>
struct wrapping<T> : std::make_unsigned<T> {};

/// An integer for each lane, all ones for yes.
template <class T>
using mask_lane = std::conditional_t<
    sizeof(T) == 1, signed char,
    std::conditional_t<sizeof(T) == 2, short, std::conditional_t<sizeof(T) == 4, int, long long>>>;

}  // namespace detail

template <number T>
using vector = typename detail::vector_of<T>::type;
template <number T>
using mask = typename detail::vector_of<detail::mask_lane<T>>::type;

template <number T>
[[gnu::always_inline]] inline vector<T> load(T const* from) {
  vector<T> x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}
template <number T>
[[gnu::always_inline]] inline void store(T* to, vector<T> const& x) {
  std::memcpy(to, &x, sizeof(x));
}
template <number T>
[[gnu::always_inline]] inline vector<T> broadcast(T x) {
  return x - vector<T>{};
}

template <number T>
struct of<plus<T>> {
  static constexpr bool known = true;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    using wraps = vector<typename detail::wrapping<T>::type>;
    return (vector<T>)((wraps)x + (wraps)y);
  }
};
template <number T>
struct of<minimum<T>> {
  static constexpr bool known = true;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    if constexpr (std::integral<T>) {
      return y < x ? y : x;
    } else {
      return x == x && !(x <= y) ? y : x;  // a NaN on either side wins
    }
  }
};
template <number T>
struct of<maximum<T>> {
  static constexpr bool known = true;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    if constexpr (std::integral<T>) {
      return x < y ? y : x;
    } else {
      return x == x && !(x >= y) ? y : x;
    }
  }
};
template <number T>
struct of<bit_and<T>> {
  static constexpr bool known = std::integral<T>;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    return x & y;
  }
};
template <number T>
struct of<bit_or<T>> {
  static constexpr bool known = std::integral<T>;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    return x | y;
  }
};
template <number T>
struct of<bit_xor<T>> {
  static constexpr bool known = std::integral<T>;
  [[gnu::always_inline]] static inline vector<T> combine(vector<T> const& x, vector<T> const& y) {
    return x ^ y;
  }
};
template <class M>
requires(of<M>::known) struct of<flipped<M>> {
  static constexpr bool known = true;
  template <class V>
  [[gnu::always_inline]] static inline V combine(V const& x, V const& y) {
    return of<M>::combine(y, x);
  }
};

namespace detail {

/// Each lane takes the one `By` below it, and the lowest those of `in`.
template <int By, class T, int... L>
[[gnu::always_inline]] inline vector<T> shift_up(vector<T> const& x, vector<T> const& in,
                                                 std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(x, in, (L < By ? lanes<T> + L : L - By)...);
}
template <class T, int... L>
[[gnu::always_inline]] inline vector<T> last(vector<T> const& x, std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(x, x, (L - L + lanes<T> - 1)...);
}

}  // namespace detail

/// Each lane of x takes the one `By` below it; the lowest take lanes of `in`.
template <int By, number T>
[[gnu::always_inline]] inline vector<T> shift_up(vector<T> const& x, vector<T> const& in) {
  return detail::shift_up<By, T>(x, in, std::make_integer_sequence<int, lanes<T>>());
}

/// The last lane of x in all lanes.
template <number T>
[[gnu::always_inline]] inline vector<T> last(vector<T> const& x) {
  return detail::last<T>(x, std::make_integer_sequence<int, lanes<T>>());
}

/// Scans the lanes: log2(lanes) steps (Kogge and Stone 1973).
template <class M, int By = 1, number T = carrier_t<M>>
[[gnu::always_inline]] inline vector<T> scan_lanes(vector<T> const& x, vector<T> const& identity) {
  if constexpr (By < lanes<T>) {
    return scan_lanes<M, 2 * By, T>(of<M>::combine(shift_up<By, T>(x, identity), x), identity);
  } else {
    return x;
  }
}

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
