#pragma once

/// A survey of keys in vector registers, which a radix sort makes before it moves any: bounds, bits
/// that differ, and order.

#include <ravel/core/cpu/loops_by_width.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_memory.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/word.hpp>

#include <concepts>

namespace ravel::inline v0::cpu {

/// Whether another key than this one is the key with its radix bits: -0.0 has those of 0.0, and NaNs
/// have those of one of them.
template <class K>
[[gnu::always_inline]] inline bool is_ambiguous(K const& key) {
  if constexpr (std::floating_point<K>) {
    using U = radix_bits_t<K>;
    constexpr U sign = ravel::detail::sign_bit<U>;
    U const bits = __builtin_bit_cast(U, key);
    return bits == sign || static_cast<U>(bits & ~sign) > radix_key<K>::infinity;
  } else {
    return false;
  }
}

/// The result of a survey.  U is the type of the keys' radix bits.  Has the bounds of the keys, the
/// bits that are set in any of them and in all of them, and whether some adjacent pair rises or
/// falls.
template <class U>
struct key_survey {
  U least = static_cast<U>(~U{0}), greatest = 0;
  U any = 0, all = static_cast<U>(~U{0});
  bool rises = false, falls = false;
  bool are_ambiguous = false;  ///< some key is -0.0 or a NaN, whose radix bits other keys have too

  void add(U x) {
    least = x < least ? x : least;
    greatest = greatest < x ? x : greatest;
    any = static_cast<U>(any | x);
    all = static_cast<U>(all & x);
  }
  void add_pair(U x, U next) {
    rises |= x < next;
    falls |= next < x;
  }
  /// The survey of the same keys in descending order, for which all bits are inverted.
  key_survey reversed() const {
    auto const inverted = [](U x) { return static_cast<U>(~x); };
    return {inverted(greatest), inverted(least), inverted(all), inverted(any), falls, rises,
            are_ambiguous};
  }
  void add(key_survey const& more) {
    least = more.least < least ? more.least : least;
    greatest = greatest < more.greatest ? more.greatest : greatest;
    any = static_cast<U>(any | more.any);
    all = static_cast<U>(all & more.all);
    rises |= more.rises;
    falls |= more.falls;
    are_ambiguous |= more.are_ambiguous;
  }
};

namespace simd::inline RAVEL_VECTORS {

/// Surveys n keys of type T, a number of 4 or 8 bytes, and their adjacent pairs.
template <class T>
struct survey_loop {
  using U = radix_bits_t<T>;
  static constexpr U sign = ravel::detail::sign_bit<U>;

  static key_survey<U> run(T const* keys, index_t n) {
    key_survey<U> seen;
    index_t i = 0;
#ifdef RAVEL_SIMD
    i = in_vectors(keys, n, seen);
#endif
    for (; i < n; ++i) {
      U const x = radix_key<T>::bits(keys[i]);
      seen.add(x);
      seen.are_ambiguous |= is_ambiguous(keys[i]);
      if (i + 1 < n) seen.add_pair(x, radix_key<T>::bits(keys[i + 1]));
    }
    return seen;
  }

 private:
#ifdef RAVEL_SIMD
  using bits = vector<U>;

  [[gnu::always_inline]] static bits bits_at(T const* keys) {
    bits x;
    __builtin_memcpy(&x, keys, sizeof x);
    if constexpr (std::floating_point<T>) {
      constexpr U infinity = radix_key<T>::infinity;
      bits const magnitude = x & ~broadcast(sign);
      bits const ordered = x == magnitude ? x | sign : ~x;
      return magnitude > infinity ? ~bits{} : magnitude == 0 ? broadcast(sign) : ordered;
    } else if constexpr (std::signed_integral<T>) {
      return x ^ sign;
    } else {
      return x;
    }
  }

  /// Surveys as many whole vectors as are followed by another key, for the last pair.  Returns the
  /// number of keys surveyed.
  [[gnu::always_inline]] static index_t in_vectors(T const* keys, index_t n, key_survey<U>& seen) {
    bits least = ~bits{}, greatest{}, any{}, all = ~bits{};
    mask<U> rises{}, falls{}, ambiguous{};
    index_t i = 0;
    for (; i + lanes<U> < n; i += lanes<U>) {
      bits const x = bits_at(keys + i), next = bits_at(keys + i + 1);
      least = x < least ? x : least;
      greatest = greatest < x ? x : greatest;
      any |= x;
      all &= x;
      rises |= x < next;
      falls |= next < x;
      if constexpr (std::floating_point<T>) {
        bits own;
        __builtin_memcpy(&own, keys + i, sizeof own);
        ambiguous |= (own == sign) | (x == ~bits{});
      }
    }
    for (int l = 0; i > 0 && l < lanes<U>; ++l) {
      seen.add(
          {least[l], greatest[l], any[l], all[l], rises[l] != 0, falls[l] != 0, ambiguous[l] != 0});
    }
    return i;
  }
#endif
};

}  // namespace simd::inline RAVEL_VECTORS

/// Surveys keys[0, n), of 4 or 8 bytes, and their adjacent pairs, in vectors of the width in use.
template <simd::number K>
key_survey<radix_bits_t<K>> survey_keys(K const* keys, index_t n) {
  static_assert(sizeof(K) == 4 || sizeof(K) == 8, "survey_keys: keys have 4 or 8 bytes");
#ifdef RAVEL_CHOOSES_VECTORS
  using T = loops::detail::plain<K>;
  return loops::survey_loop<T>::run(reinterpret_cast<T const*>(keys), n);
#else
  return simd::survey_loop<K>::run(keys, n);
#endif
}

}  // namespace ravel::inline v0::cpu
