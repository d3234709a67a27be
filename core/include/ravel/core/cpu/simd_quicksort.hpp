#pragma once

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

#include <bit>
#include <cstring>
#include <limits>

namespace ravel::inline v0::cpu {

/// Keys divided at a pivot: those of [0, less) are less than the others, and those of [less, rest) are
/// the pivot.
struct divided_keys {
  index_t less, rest;
};

/// The number of parts of a split at splitters, which is one more than splitters.
inline constexpr int ways_of_keys = 8;

namespace simd::inline RAVEL_VECTORS {

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
  static constexpr int registers = 8;
  static constexpr index_t at_once = registers * index_t{lanes<T>};
  static constexpr index_t ahead_by = 4 * at_once;  // prefetch distance

  vector<T> pivot;
  T* low;
  T* high;

  /// The lanes of `which` whose keys are less than `than`.
  [[gnu::always_inline]] static inline mask less(mask which, __m512i keys, __m512i than) {
    if constexpr (sizeof(T) == 4) return _mm512_mask_cmplt_epu32_mask(which, keys, than);
    if constexpr (sizeof(T) == 8) return _mm512_mask_cmplt_epu64_mask(which, keys, than);
  }
  /// Stores the keys in the lanes of `which` contiguously.
  [[gnu::always_inline]] static inline void store_some(T* out, mask which, __m512i keys) {
    auto const first = static_cast<mask>((1u << std::popcount(which)) - 1);
    if constexpr (sizeof(T) == 4 && How == compressed::to_memory) {
      _mm512_mask_compressstoreu_epi32(out, which, keys);
    } else if constexpr (sizeof(T) == 4) {
      _mm512_mask_storeu_epi32(out, first, _mm512_maskz_compress_epi32(which, keys));
    } else if constexpr (How == compressed::to_memory) {
      _mm512_mask_compressstoreu_epi64(out, which, keys);
    } else {
      _mm512_mask_storeu_epi64(out, first, _mm512_maskz_compress_epi64(which, keys));
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
    vector<T> x[registers];
    unrolled<registers>([&](auto k)
                            __attribute__((always_inline)) { x[k] = load(keys + k * lanes<T>); });
    unrolled<registers>([&](auto k) __attribute__((always_inline)) { put(x[k], all); });
  }

  /// Partitions n >= 2 at_once keys in place: those less than `than` first.  Returns how many are
  /// less.
  static index_t of(T* keys, index_t n, T than) {
    T ends[2 * at_once], middle[at_once];
    constexpr auto bytes = static_cast<std::size_t>(at_once) * sizeof(T);
    std::memcpy(ends, keys, bytes);
    std::memcpy(ends + at_once, keys + n - at_once, bytes);
    partition sides{broadcast(than), keys, keys + n};
    T const* first = keys + at_once;
    T const* last = keys + n - at_once;
    while (last - first >= at_once) {
      bool const from_last = sides.high - last < first - sides.low;
      last -= from_last ? at_once : 0;
      T const* const next = from_last ? last : first;
      first += from_last ? 0 : at_once;
      T const* const ahead = from_last ? next - ahead_by : next + ahead_by;
      for (int k = 0; k < registers; ++k) __builtin_prefetch(ahead + k * lanes<T>);
      sides.put_all(next);
    }
    index_t const rest = last - first;
    std::memcpy(middle, first, static_cast<std::size_t>(rest) * sizeof(T));
    for (index_t k = 0; k < rest; k += lanes<T>) {
      auto const left = std::min<index_t>(rest - k, lanes<T>);
      sides.put(load(middle + k), static_cast<mask>((1u << left) - 1));
    }
    sides.put_all(ends);
    sides.put_all(ends + at_once);
    return sides.low - keys;
  }
};

/// The most keys of sort_by_networks: the registers sort two sequences, which are then merged.
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
  alignas(64) T sample[in_registers];
  index_t const many = n < 16 * in_registers ? in_registers / 16 : in_registers / 8;
  for (index_t k = 0; k < many; ++k) sample[k] = keys[k * n / many];
  sort_loop<T>::run(sample, many);
  return sample[many / 2];
}

/// Divides n keys, n > most_by_networks, at a sampled pivot.
template <compressed How, number T>
divided_keys divide(T* keys, index_t n) {
  T const pivot = sampled_median(keys, n);
  if (index_t const less = partition<How, T>::of(keys, n, pivot); less > 0) return {less, less};
  bool const are_equal = pivot == std::numeric_limits<T>::max();
  return {0, are_equal ? n : partition<How, T>::of(keys, n, pivot + 1)};
}

/// Sorts n keys, with a recursion depth of at most `depth` partitions.  Returns false if that is
/// exceeded.
template <compressed How, number T>
bool quicksort(T* keys, index_t n, int depth) {
  while (n > most_by_networks<T>) {
    if (depth-- == 0) return false;
    auto const [less, rest] = divide<How>(keys, n);
    if (!quicksort<How>(keys, less, depth)) return false;
    keys += rest;
    n -= rest;
  }
  sort_by_networks(keys, n);
  return true;
}

/// Splits keys at splitters: part p has the keys less than ends[p] that are in no part before it.
template <number T>
struct splitter {
  using to_parts = partition<compressed::to_memory, T>;
  using mask = typename to_parts::mask;
  vector<T> at[ways_of_keys];  // the end of each part but the last

  explicit splitter(T const* ends) {
    for (int p = 0; p < ways_of_keys - 1; ++p) at[p] = broadcast(ends[p]);
  }
  /// below[p] += #{k : keys[k] < ends[p]}
  void count(T const* keys, index_t n, index_t* below) const {
    vector<T> counts[ways_of_keys] = {};
    index_t i = 0;
    for (; i + lanes<T> <= n; i += lanes<T>) {
      vector<T> const x = load(keys + i);
      unrolled<ways_of_keys - 1>([&](auto p) __attribute__((always_inline)) {
        counts[p] = x < at[p] ? counts[p] + 1 : counts[p];
      });
    }
    for (int p = 0; p < ways_of_keys - 1; ++p) {
      for (int l = 0; l < lanes<T>; ++l) below[p] += static_cast<index_t>(counts[p][l]);
      for (index_t k = i; k < n; ++k) below[p] += keys[k] < at[p][0];
    }
  }
  /// Writes the keys in the lanes of `all`.
  [[gnu::always_inline]] inline void put(vector<T> const& x, mask all, T** outs) const {
    auto const keys = reinterpret_cast<__m512i>(x);
    mask before = 0;
    unrolled<ways_of_keys>([&](auto p) __attribute__((always_inline)) {
      mask upto = all;
      if constexpr (p + 1 < ways_of_keys) {
        upto = to_parts::less(all, keys, reinterpret_cast<__m512i>(at[p]));
      }
      auto const in_part = static_cast<mask>(upto & ~before);
      before = upto;
      if (outs[p] == nullptr) return;
      to_parts::store_some(outs[p], in_part, keys);
      outs[p] += std::popcount(in_part);
    });
  }
  /// Writes the keys of part p, in their order, from outs[p] on, and advances outs[p], unless it is null.
  void scatter(T const* keys, index_t n, T** outs) const {
    T* places[ways_of_keys];
    std::copy_n(outs, ways_of_keys, places);
    index_t i = 0;
    for (; i + lanes<T> <= n; i += lanes<T>) put(load(keys + i), to_parts::all, places);
    if (i < n) {
      vector<T> rest{};
      std::memcpy(&rest, keys + i, static_cast<std::size_t>(n - i) * sizeof(T));
      put(rest, static_cast<mask>((1u << (n - i)) - 1), places);
    }
    std::copy_n(places, ways_of_keys, outs);
  }
};

#  endif

}  // namespace detail

#endif

/// Sorts, divides and splits keys; needs vectors of 64 bytes, except `run`, which then returns false.
template <class T>
struct quicksort_loop {
#if defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 64
  static bool run(T* keys, index_t n) {
    int const depth = 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
    return on_amd() ? detail::quicksort<detail::compressed::in_register>(keys, n, depth)
                    : detail::quicksort<detail::compressed::to_memory>(keys, n, depth);
  }
  static divided_keys divide(T* keys, index_t n) {
    return detail::divide<detail::compressed::to_memory>(keys, n);
  }
  static void count(T const* keys, index_t n, T const* ends, index_t* below) {
    detail::splitter<T>(ends).count(keys, n, below);
  }
  static void scatter(T const* keys, index_t n, T const* ends, T** outs) {
    detail::splitter<T>(ends).scatter(keys, n, outs);
  }
#else
  static bool run(T*, index_t) { return false; }
  static divided_keys divide(T*, index_t n) { return {0, n}; }
  static void count(T const*, index_t, T const*, index_t*) {}
  static void scatter(T const*, index_t, T const*, T**) {}
#endif
};

}  // namespace simd::inline RAVEL_VECTORS
}  // namespace ravel::inline v0::cpu
