#pragma once

/// Reductions and scans of one thread's adjacent elements: serially, or, where a word holds several
/// elements, word by word.

#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/scan_visits.hpp>

#ifdef RAVEL_KERNELS
#  include <cstring>

struct __half;
struct __half2;
#endif

namespace ravel::inline v0::gpu::detail {

/// The form for any monoid: a serial reduction and scan.
template <class In, class Out, class M, int Vectors>
struct one_by_one {
  using T = carrier_t<M>;
  using part = neighbours<In, Vectors>;
  static constexpr int count = part::count;

  template <bool Backward>
  static __device__ T fold(part const& x, M const& m) {
    T sum = T(x.get(Backward ? count - 1 : 0));
#pragma unroll
    for (int k = 1; k < count; ++k) sum = m(sum, T(x.get(Backward ? count - 1 - k : k)));
    return sum;
  }
  /// Scans, and returns the last inclusive prefix.
  template <bool Inclusive, bool Backward>
  static __device__ T scan(part const& x, M const& m, T ahead, neighbours<Out, Vectors>& y) {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      int const i = Backward ? count - 1 - k : k;
      T const through = m(ahead, T(x.get(i)));
      y.set(i, static_cast<Out>(Inclusive ? through : ahead));
      ahead = through;
    }
    return ahead;
  }
};

/// The form for sums of bytes that wrap around in bytes: four elements of a word at once, by the
/// dot product of the word with ones.
template <class In, class Out, class M, int Vectors>
struct by_dot_products {
  using T = carrier_t<M>;
  using part = neighbours<In, Vectors>;
  static constexpr int words = 4 * Vectors;

  template <bool Backward>
  static __device__ T fold(part const& x, M const&) {
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < words; ++k) sum = __dp4a(x.word(k), 0x01010101u, sum);
    return static_cast<T>(sum);
  }
  template <bool Inclusive, bool Backward>
  static __device__ T scan(part const& x, M const&, T ahead_of_all, neighbours<Out, Vectors>& y) {
    unsigned ahead = static_cast<unsigned>(ahead_of_all);
#pragma unroll
    for (int k = 0; k < words; ++k) {
      int const i = Backward ? words - 1 - k : k;
      unsigned const w = x.word(i);
      unsigned const through = __dp4a(w, 0x01010101u, ahead);
      unsigned const a = ahead;
      unsigned const b = __dp4a(w, Backward ? 0x01000000u : 0x00000001u, ahead);
      unsigned const c = __dp4a(w, Backward ? 0x01010000u : 0x00000101u, ahead);
      unsigned const d = __dp4a(w, Backward ? 0x01010100u : 0x00010101u, ahead);
      // The low bytes of four sums, in memory order.
      unsigned const p = Inclusive ? b : a;
      unsigned const q = Inclusive ? c : b;
      unsigned const r = Inclusive ? d : c;
      unsigned const s = Inclusive ? through : d;
      y.word(i) = Backward
                      ? __byte_perm(__byte_perm(s, r, 0x0040), __byte_perm(q, p, 0x0040), 0x5410)
                      : __byte_perm(__byte_perm(p, q, 0x0040), __byte_perm(r, s, 0x0040), 0x5410);
      ahead = through;
    }
    return static_cast<T>(ahead);
  }
};

/// Monoids of small integers that an instruction, or few, apply to all elements of a word.
template <class M>
struct of_words {
  static constexpr bool exist = false;
};
template <class M>
struct of_words<flipped<M>> : of_words<M> {};
template <class T>
struct of_words<bit_and<T>> {
  static constexpr bool exist = true;
  static __device__ unsigned both(unsigned x, unsigned y) { return x & y; }
};
template <class T>
struct of_words<bit_or<T>> {
  static constexpr bool exist = true;
  static __device__ unsigned both(unsigned x, unsigned y) { return x | y; }
};
template <class T>
struct of_words<bit_xor<T>> {
  static constexpr bool exist = true;
  static __device__ unsigned both(unsigned x, unsigned y) { return x ^ y; }
};
template <class T>
struct of_words<minimum<T>> {
  static constexpr bool exist = true;
  static __device__ unsigned both(unsigned x, unsigned y) {
    constexpr bool has_sign = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return has_sign ? __vmins4(x, y) : __vminu4(x, y);
    return has_sign ? __vmins2(x, y) : __vminu2(x, y);
  }
};
template <class T>
struct of_words<maximum<T>> {
  static constexpr bool exist = true;
  static __device__ unsigned both(unsigned x, unsigned y) {
    constexpr bool has_sign = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return has_sign ? __vmaxs4(x, y) : __vmaxu4(x, y);
    return has_sign ? __vmaxs2(x, y) : __vmaxu2(x, y);
  }
};

/// The form for these: a word is scanned in two steps, or in one where it holds two elements, and then
/// combined with what precedes it, which all elements of a word hold.
template <class In, class Out, class M, int Vectors>
struct word_by_word {
  using T = carrier_t<M>;
  using part = neighbours<In, Vectors>;
  using monoid = of_words<M>;
  static constexpr int words = 4 * Vectors, width = 8 * static_cast<int>(sizeof(T));

  static __device__ unsigned in_all(T x) {
    unsigned const bits = static_cast<std::make_unsigned_t<T>>(x);
    return bits * (width == 8 ? 0x01010101u : 0x00010001u);
  }
  /// The elements of y moved by `bits` towards the end of the scan, after elements of x.
  template <bool Backward>
  static __device__ unsigned moved(unsigned x, unsigned y, int bits) {
    return Backward ? __funnelshift_r(y, x, bits) : __funnelshift_l(x, y, bits);
  }

  template <bool Backward>
  static __device__ T fold(part const& x, M const&) {
    unsigned acc = x.word(0);
#pragma unroll
    for (int k = 1; k < words; ++k) acc = monoid::both(acc, x.word(k));
#pragma unroll
    for (int bits = 16; bits >= width; bits /= 2) acc = monoid::both(acc, acc >> bits);
    return static_cast<T>(acc);
  }
  template <bool Inclusive, bool Backward>
  static __device__ T scan(part const& x, M const& m, T ahead_of_all, neighbours<Out, Vectors>& y) {
    unsigned const none = in_all(m.identity());
    unsigned ahead = in_all(ahead_of_all);
#pragma unroll
    for (int k = 0; k < words; ++k) {
      int const i = Backward ? words - 1 - k : k;
      unsigned through = x.word(i);
#pragma unroll
      for (int bits = width; bits < 32; bits *= 2) {
        through = monoid::both(through, moved<Backward>(none, through, bits));
      }
      through = monoid::both(through, ahead);
      y.word(i) = Inclusive ? through : moved<Backward>(ahead, through, width);
      ahead = in_all(static_cast<T>(Backward ? through : through >> (32 - width)));
    }
    return static_cast<T>(ahead);
  }
};

template <class T>
inline constexpr bool is_byte = std::is_integral_v<T> && sizeof(T) == 1 && !std::same_as<T, bool>;

template <class T>
inline constexpr bool is_small = std::is_integral_v<T> && sizeof(T) <= 2 && !std::same_as<T, bool>;

/// Selects the form for a monoid.
template <class In, class Out, class M, int Vectors>
struct in_thread_form {
  static constexpr bool sums_bytes =
      is_byte<In> && is_byte<Out> && is_byte<carrier_t<M>> &&
      (std::same_as<M, plus<carrier_t<M>>> || std::same_as<M, flipped<plus<carrier_t<M>>>>);
  static constexpr bool has_words = of_words<M>::exist && is_small<In> && is_small<Out> &&
                                    is_small<carrier_t<M>> && sizeof(In) == sizeof(Out) &&
                                    sizeof(In) == sizeof(carrier_t<M>);
  using type = std::conditional_t<sums_bytes, by_dot_products<In, Out, M, Vectors>,
                                  std::conditional_t<has_words, word_by_word<In, Out, M, Vectors>,
                                                     one_by_one<In, Out, M, Vectors>>>;
};
template <class In, class Out, class M, int Vectors>
using in_thread = typename in_thread_form<In, Out, M, Vectors>::type;

template <class In, class Out, class M>
inline constexpr bool combines_one_by_one =
    std::same_as<in_thread<In, Out, M, 1>, one_by_one<In, Out, M, 1>>;

#ifdef RAVEL_KERNELS

/// The form for sums of half-precision numbers, two per instruction.  A word (a, b) is scanned by
/// two packed additions: of (0, a), and of the prefix in both halves.  A scan half by half would
/// waste half of each packed addition and double the dependency chain: 0.80 of copy speed for 2^28
/// halves on an H200, and 0.96 in pairs.
///
/// The types are parameters, so that a program without halves does not parse <cuda_fp16.h>, which
/// takes 0.2 s in each compiler pass.
template <class Half, class Half2, int Vectors>
struct pairs_of_halves {
  using values = neighbours<Half, Vectors>;
  static constexpr int words = 4 * Vectors;

  static __device__ Half2 pair(unsigned word) {
    Half2 x;
    std::memcpy(static_cast<void*>(&x), &word, sizeof(x));
    return x;
  }
  static __device__ unsigned word(Half2 x) {
    unsigned bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
  }

  template <bool Backward, class M>
  static __device__ Half fold(values const& x, M const&) {
    constexpr int chains = 4;
    Half2 sum[chains];
#  pragma unroll
    for (int k = 0; k < words; ++k) {
      Half2 const w = pair(x.word(k));
      sum[k % chains] = k < chains ? w : __hadd2(sum[k % chains], w);
    }
    Half2 const all = __hadd2(__hadd2(sum[0], sum[1]), __hadd2(sum[2], sum[3]));
    return __hadd(__low2half(all), __high2half(all));
  }
  /// Scans, and returns the last inclusive prefix.
  template <bool Inclusive, bool Backward, class M>
  static __device__ Half scan(values const& x, M const&, Half ahead_of_all, values& y) {
    Half2 ahead = __half2half2(ahead_of_all);
#  pragma unroll
    for (int k = 0; k < words; ++k) {
      int const i = Backward ? words - 1 - k : k;
      unsigned const w = x.word(i);
      Half2 const neighbour = pair(Backward ? w >> 16 : w << 16);
      Half2 const through = __hadd2(__hadd2(neighbour, pair(w)), ahead);
      y.word(i) = word(Inclusive ? through : __hadd2(neighbour, ahead));
      ahead = Backward ? __low2half2(through) : __high2half2(through);
    }
    return __low2half(ahead);
  }
};

template <int Vectors>
struct in_thread_form<__half, __half, plus<__half>, Vectors> {
  using type = pairs_of_halves<__half, __half2, Vectors>;
};
template <int Vectors>
struct in_thread_form<__half, __half, flipped<plus<__half>>, Vectors> {
  using type = pairs_of_halves<__half, __half2, Vectors>;
};

#endif

/// Scans a thread's adjacent elements, from element i of the sequence on; those after the first `rest`
/// are past the end.  Sets y to what the visit writes, and returns the last inclusive prefix.
template <bool Backward, class Visit, class In, class Out, int Vectors, class M>
__device__ carrier_t<M> scan_to(Visit const& visit, neighbours<In, Vectors> const& x,
                                [[maybe_unused]] index_t i, [[maybe_unused]] int rest, M const& m,
                                carrier_t<M> ahead, neighbours<Out, Vectors>& y) {
  if constexpr (!ravel::detail::written<Visit>::made) {
    constexpr bool inclusive = ravel::detail::only_through<Visit>;
    return in_thread<In, Out, M, Vectors>::template scan<inclusive, Backward>(x, m, ahead, y);
  } else {
    constexpr int count = neighbours<In, Vectors>::count;
    auto const scan = [&](auto is_there) {
#pragma unroll
      for (int k = 0; k < count; ++k) {
        int const j = Backward ? count - 1 - k : k;
        carrier_t<M> const through = m(ahead, carrier_t<M>(x.get(j)));
        if (is_there(j)) y.set(j, static_cast<Out>(visit.make(i + j, ahead, through)));
        ahead = through;
      }
    };
    if (rest >= count) {
      scan([](int) { return true; });
    } else {
      scan([&](int j) { return j < rest; });
    }
    return ahead;
  }
}

}  // namespace ravel::inline v0::gpu::detail
