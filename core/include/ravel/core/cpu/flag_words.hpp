#pragma once

/// Flags as words of 64 bits, the lowest bit first: evaluates a predicate for 64 elements at once.

#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/segments.hpp>

#include <array>
#include <cstring>

namespace ravel::inline v0::cpu {

/// Packs 64 bytes, each of which is 0, 1 or 255, to a word: bit k is the lowest bit of byte k.
inline std::uint64_t bits_of_bytes(unsigned char const* bytes) {
#if defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 64
  auto const x = _mm512_loadu_si512(bytes);
  return _mm512_test_epi8_mask(x, x);
#elif defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 32
  auto const half = [&](int k) {
    auto const x = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(bytes + k));
    return static_cast<unsigned>(_mm256_movemask_epi8(_mm256_slli_epi16(x, 7)));
  };
  return std::uint64_t{half(32)} << 32 | half(0);
#elif defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 16
  auto const quarter = [&](int k) {
    auto const x = _mm_loadu_si128(reinterpret_cast<__m128i const*>(bytes + k));
    return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_slli_epi16(x, 7))) << k;
  };
  return quarter(0) | quarter(16) | quarter(32) | quarter(48);
#else
  std::uint64_t word = 0;
  for (int k = 0; k < 64; k += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, bytes + k, 8);
    eight &= 0x0101010101010101u;  // the multiplication collects the eight bits in the highest byte
    word |= (eight * 0x0102040810204080u >> 56) << k;
  }
  return word;
#endif
}

#if defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 64
/// Packs 64 numbers to a word: bit k is set if number k is not 0.  Loads have 32 bytes, as the stores
/// of the numbers may have: one of 64 bytes could not be forwarded from two stores, and would wait
/// until both are in L1.
inline std::uint64_t bits_of_numbers(std::int32_t const* numbers) {
  auto const eighth = [&](int k) {
    auto const x = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(numbers + k));
    return std::uint64_t{_mm256_test_epi32_mask(x, x)} << k;
  };
  return eighth(0) | eighth(8) | eighth(16) | eighth(24) | eighth(32) | eighth(40) | eighth(48) |
         eighth(56);
}
#endif

/// A predicate's results as words.  Bit k of flag_words<F>{f}(i, n) is f(i + k), for each k of [0,
/// n), where n <= 64; all other bits are 0.
///
/// A predicate may have several `steps`: f(i) is f.step<0>(i) && f.step<1>(i) && ..., with
/// short-circuit evaluation.  Compilers do not vectorise that.  So the first step is evaluated for
/// all 64 elements, and the others only for those that passed.
template <class F>
struct flag_words {
  F flag;

  /// Whether the first step is evaluated in vectors.  Not for elements of eight bytes in vectors of
  /// 16 bytes, nor for keys other than numbers: a scalar loop is as fast.
  static constexpr bool in_vectors = [] {
    if constexpr (requires(F f, index_t i) { f.in[i]; }) {
      return sizeof(*std::declval<F const&>().in) < 8 || simd::vector_bytes > 16;
    } else if constexpr (requires(F f, index_t i) { f.keys[i]; }) {
      using K = std::remove_cvref_t<decltype(*std::declval<F const&>().keys)>;
      return std::is_arithmetic_v<K> && (sizeof(K) < 8 || simd::vector_bytes > 16);
    } else {
      return true;
    }
  }();

  std::uint64_t operator()(index_t i, index_t n) const {
    constexpr int steps = ravel::detail::predicate_steps<F>;
    if (n == 64 && (steps > 1 || in_vectors)) {
      return in_steps(i, std::make_integer_sequence<int, steps - 1>());
    }
    std::uint64_t word = 0;
    index_t k = 0;
    for (; k + 8 <= n; k += 8) word |= eight(i + k, std::make_integer_sequence<int, 8>()) << k;
    for (; k < n; ++k) word |= std::uint64_t{static_cast<bool>(flag(i + k))} << k;
    return word;
  }

 private:
  /// Evaluates the first step in a loop of constant length, which compilers vectorise; later steps
  /// for the elements that passed.
  template <int... S>
  std::uint64_t in_steps(index_t i, std::integer_sequence<int, S...>) const {
    answer_type answers[64];
    for (index_t k = 0; k < 64; ++k) answers[k] = answer(i + k);
    std::uint64_t word = 0;
    if constexpr (answers_in_numbers) {
      word = bits_of_numbers(answers);
    } else {
      word = bits_of_bytes(answers);
    }
    (drop<S + 1>(i, word), ...);
    return word;
  }
  template <int S>
  void drop(index_t i, std::uint64_t& word) const {
    for (std::uint64_t rest = word; rest != 0; rest &= rest - 1) {
      int const k = std::countr_zero(rest);
      word ^= std::uint64_t{!ravel::detail::step_holds<S>(flag, i + k)} << k;
    }
  }

  /// Whether results are as wide as elements: of 4 bytes in vectors of 64, which become bits without
  /// being narrowed first.  64 numbers take 5 ns instead of 13 on an EPYC.
  static constexpr bool answers_in_numbers = [] {
#if defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 64
    if constexpr (requires(F f, index_t i) { f.in[i]; }) {
      return sizeof(*std::declval<F const&>().in) == 4;
    } else if constexpr (requires(F f) { *f.elements(); }) {
      return sizeof(*std::declval<F const&>().elements()) == 4;
    }
#endif
    return false;
  }();
  using answer_type = std::conditional_t<answers_in_numbers, std::int32_t, unsigned char>;

  template <int... K>
  std::uint64_t eight(index_t i, std::integer_sequence<int, K...>) const {
    return ((std::uint64_t{static_cast<bool>(flag(i + K))} << K) | ...);
  }
  /// The first step's result as 0 or 255.  Computed as a product: g++ does not vectorise a bool
  /// that it has rewritten as the negation of another, as in x % 2 == 0.
  answer_type answer(index_t i) const {
    int const yes = ravel::detail::step_holds<0>(flag, i);
    return static_cast<answer_type>(yes * 255);
  }
};

/// Flags stored as one element each.  A copy is padded to 64 flags, as memory may end before.
template <class T>
requires(sizeof(T) == 1) struct flag_words<nonzero<T>> {
  static constexpr bool in_vectors = true;
  nonzero<T> flag;

  std::uint64_t operator()(index_t i, index_t n) const {
    T padded[64] = {};
    T const* in = flag.flags + i;
    if (n < 64) in = static_cast<T const*>(std::memcpy(padded, in, static_cast<std::size_t>(n)));
    unsigned char answers[64];
    for (index_t k = 0; k < 64; ++k) answers[k] = in[k] != T(0) ? 255 : 0;
    return bits_of_bytes(answers);
  }
};

/// Flags that are stored as bits.
template <class W>
struct flag_words<bit_set<W>> {
  static constexpr bool in_vectors = true;
  bit_set<W> flag;

  std::uint64_t operator()(index_t i, index_t n) const {
    constexpr index_t width = bit_set<W>::width;
    std::uint64_t word = 0;
    for (index_t k = -(i % width); k < n; k += width) {
      auto const bits = static_cast<std::uint64_t>(flag.words[(i + k) / width]);
      word |= k < 0 ? bits >> -k : bits << k;
    }
    return n < 64 ? word & ((std::uint64_t{1} << n) - 1) : word;
  }
};

/// The head flags of a segment descriptor.
template <class Begins, class Space>
struct flag_words<head_segments<Begins, Space>> {
  head_segments<Begins, Space> segments;

  std::uint64_t operator()(index_t i, index_t n) const {
    flag_words<Begins> const begins{segments.begins};
    if (i > 0 || n == 0) return begins(i, n);
    // The predicate is not evaluated at index 0, whose flag is always set.  64 flags are evaluated
    // at once if at least 64 follow it.
    return begins(1, n == 64 && segments.elements > 64 ? 64 : n - 1) << 1 | 1;
  }
};

template <>
struct flag_words<uniform_segments> {
  uniform_segments segments;

  std::uint64_t operator()(index_t i, index_t n) const {
    index_t const length = segments.length;
    std::uint64_t word = 0;
    for (index_t k = (length - i % length) % length; k < n; k += length) {
      word |= std::uint64_t{1} << k;
    }
    return word;
  }
};

/// The head flags of numbered segments on a tile, from their begins: a cursor walks over the
/// segments, and continues where the previous word ended.
template <class Cursor>
requires requires(Cursor const& c) { c.segment(index_t{}), c.here, c.last; }
struct flag_words<Cursor> {
  Cursor segments;

  std::uint64_t operator()(index_t i, index_t n) const {
    std::uint64_t word = 0;
    index_t s = segments.segment(i);
    for (; s <= segments.last; ++s) {
      index_t const k = segments.begin(s) - i;
      if (k >= n) break;
      if (k >= 0) word |= std::uint64_t{1} << k;
    }
    segments.here = s > segments.first ? s - 1 : s;  // the next word continues here
    return word;
  }
};

namespace detail {

/// Whether a head flag may be evaluated twice: not comparisons of unknown cost.
template <class Begins>
inline constexpr bool is_cheap_flag = true;
template <class T, class Equal>
inline constexpr bool is_cheap_flag<ravel::detail::key_changes<T, Equal>> =
    std::is_scalar_v<T>&& std::is_empty_v<Equal>;

/// Whether the distances between the heads of 64 elements vary, so that branches on them would be
/// mispredicted.
inline bool heads_vary(std::uint64_t heads) {
  if ((heads & (heads - 1)) == 0) return false;
  heads >>= std::countr_zero(heads);
  int const length = std::countr_zero(heads & (heads - 1));
  return std::popcount((heads ^ heads >> length) << length) > 8;
}

/// Storage for the flags of a tile.  A copy has its own, uninitialised storage, as each thread
/// fills its own.
template <index_t Words>
struct stored_words {
  std::array<std::uint64_t, static_cast<std::size_t>(Words)> of;

  stored_words() {}
  stored_words(stored_words const&) {}
};

}  // namespace detail
}  // namespace ravel::inline v0::cpu
