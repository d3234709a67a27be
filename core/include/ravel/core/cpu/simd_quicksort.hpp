#pragma once

/// @file
/// Quicksort in vector registers of 64 bytes, which have a compress instruction.
///
/// A partition works in place: it always reads four registers at the end of the unread range where
/// fewer places are free, so that stores never overwrite unread keys.  No branch depends on single
/// keys.
///
/// Source   Gueron and Krasnov, "Fast Quicksort Implementation Using AVX Instructions", The
///          Computer Journal 59(1), 2016; Bramas, "A Novel Hybrid Quicksort Algorithm Vectorized
///          using AVX-512 on Intel Skylake", IJACSA 8(10), 2017.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/simd_memory.hpp>
#include <ravel/core/cpu/simd_sort.hpp>
#include <ravel/core/std_algorithm.hpp>

#include <bit>
#include <cstring>
#include <limits>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#ifdef RAVEL_SIMD

namespace detail {

#  if RAVEL_VECTOR_BYTES >= 64

/// How compressed keys are stored: by one instruction, or compressed in a register and then stored
/// with a mask.  The instruction takes 8 to 10 times as long on AMD's Zen 4; with it a sort of 2^12
/// keys takes 0.91 of the time on Intel's Sapphire Rapids.
enum class compressed { to_memory, in_register };

/// Partitions keys in place: writes those less than the pivot upwards from `low`, the others
/// downwards from `high`.
template <compressed How, number T>
struct partition {
  using mask = std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>;
  static constexpr mask all = static_cast<mask>(-1);
  static constexpr index_t at_once = 4 * index_t{lanes<T>};

  vector<T> pivot;
  T* low;
  T* high;

  /// The lanes of `which` whose keys are less than `than`.
  [[gnu::always_inline]] static inline mask less(mask which, __m512i keys, __m512i than) {
    if constexpr (sizeof(T) == 4) return _mm512_mask_cmplt_epu32_mask(which, keys, than);
    if constexpr (sizeof(T) == 8) return _mm512_mask_cmplt_epu64_mask(which, keys, than);
  }
  /// Stores the keys in the lanes of `which` contiguously.
  [[gnu::always_inline]] static inline void store_some(T* to, mask which, __m512i keys) {
    auto const first = static_cast<mask>((1u << std::popcount(which)) - 1);
    if constexpr (sizeof(T) == 4 && How == compressed::to_memory) {
      _mm512_mask_compressstoreu_epi32(to, which, keys);
    } else if constexpr (sizeof(T) == 4) {
      _mm512_mask_storeu_epi32(to, first, _mm512_maskz_compress_epi32(which, keys));
    } else if constexpr (How == compressed::to_memory) {
      _mm512_mask_compressstoreu_epi64(to, which, keys);
    } else {
      _mm512_mask_storeu_epi64(to, first, _mm512_maskz_compress_epi64(which, keys));
    }
  }
  /// Stores the keys in the lanes of `which` to their sides of the partition.
  [[gnu::always_inline]] inline void put(vector<T> const& x, mask which) {
    auto const keys = reinterpret_cast<__m512i>(x);
    mask const lower = less(which, keys, reinterpret_cast<__m512i>(pivot));
    auto const rest = static_cast<mask>(which & ~lower);
    high -= std::popcount(rest);
    store_some(low, lower, keys);
    store_some(high, rest, keys);
    low += std::popcount(lower);
  }
  [[gnu::always_inline]] inline void put_all(T const* keys) {
    vector<T> x[4];
    unrolled<4>([&](auto k) __attribute__((always_inline)) { x[k] = load(keys + k * lanes<T>); });
    unrolled<4>([&](auto k) __attribute__((always_inline)) { put(x[k], all); });
  }

  /// Partitions n >= 2 at_once keys in place: those less than `than` first.  Returns how many are
  /// less.
  static index_t of(T* keys, index_t n, T than) {
    T ends[2 * at_once], middle[at_once];
    constexpr auto bytes = static_cast<std::size_t>(at_once) * sizeof(T);
    std::memcpy(ends, keys, bytes);
    std::memcpy(ends + at_once, keys + n - at_once, bytes);
    partition to{broadcast(than), keys, keys + n};
    T const* first = keys + at_once;
    T const* last = keys + n - at_once;
    while (last - first >= at_once) {
      bool const from_last = to.high - last < first - to.low;
      last -= from_last ? at_once : 0;
      T const* const next = from_last ? last : first;
      first += from_last ? 0 : at_once;
      to.put_all(next);
    }
    index_t const rest = last - first;
    std::memcpy(middle, first, static_cast<std::size_t>(rest) * sizeof(T));
    for (index_t k = 0; k < rest; k += lanes<T>) {
      auto const left = std::min<index_t>(rest - k, lanes<T>);
      to.put(load(middle + k), static_cast<mask>((1u << left) - 1));
    }
    to.put_all(ends);
    to.put_all(ends + at_once);
    return to.low - keys;
  }
};

/// The most keys that networks sort: two sequences, each of as many as registers hold, which are
/// merged.
template <number T>
inline constexpr index_t most_by_networks = 2 * sort_loop<T>::most;

/// Sorts n keys, n <= most_by_networks.
template <number T>
void sort_by_networks(T* keys, index_t n) {
  constexpr index_t in_registers = sort_loop<T>::most;
  alignas(64) T room[most_by_networks<T>];
  auto const bytes = static_cast<std::size_t>(n) * sizeof(T);
  std::memcpy(room, keys, bytes);
  if (n <= in_registers) {
    sort_loop<T>::run(room, n);
  } else {
    constexpr int rows = in_registers / lanes<T>;
    sort_and_merge<rows, rows>(room, n - in_registers);
  }
  std::memcpy(keys, room, bytes);
}

/// The pivot: the median of keys at equal distances.
template <number T>
T sampled_median(T const* keys, index_t n) {
  constexpr index_t in_registers = sort_loop<T>::most;
  alignas(64) T some[in_registers];
  index_t const many = n < 16 * in_registers ? in_registers / 8 : in_registers / 4;
  for (index_t k = 0; k < many; ++k) some[k] = keys[k * n / many];
  sort_loop<T>::run(some, many);
  return some[many / 2];
}

/// Sorts n keys, with a recursion depth of at most `depth` partitions.  Returns false if that is
/// exceeded.
template <compressed How, number T>
bool quicksort(T* keys, index_t n, int depth) {
  while (n > most_by_networks<T>) {
    if (depth-- == 0) return false;
    T const pivot = sampled_median(keys, n);
    index_t const less = partition<How, T>::of(keys, n, pivot);
    if (less > 0) {
      if (!quicksort<How>(keys, less, depth)) return false;
      keys += less;
      n -= less;
    } else {  // the pivot is the least key: removes all keys equal to it
      if (pivot == std::numeric_limits<T>::max()) return true;
      index_t const equal = partition<How, T>::of(keys, n, pivot + 1);
      keys += equal;
      n -= equal;
    }
  }
  sort_by_networks(keys, n);
  return true;
}

#  endif

}  // namespace detail

/// Sorts n keys in place.  Returns false, with the keys in any order, if vectors have less than 64
/// bytes, or if pivots divided too unevenly.
template <class T>
struct quicksort_loop {
  static bool run([[maybe_unused]] T* keys, [[maybe_unused]] index_t n) {
#  if RAVEL_VECTOR_BYTES >= 64
    int const depth = 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
    return on_amd() ? detail::quicksort<detail::compressed::in_register>(keys, n, depth)
                    : detail::quicksort<detail::compressed::to_memory>(keys, n, depth);
#  else
    return false;
#  endif
  }
};

#endif

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS
