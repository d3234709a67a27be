#pragma once

/// @file
/// Segmented scan on the host: the conversion of values and segments to its input.
///
/// scan/cpu.hpp scans flagged values from any load.  Here the values stay in place, and the segment
/// heads are converted to words of bits, from any descriptor.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/primitives/cpu/scan_mirrored.hpp>
#include <ravel/primitives/scan/cpu.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>

namespace ravel::inline v0::cpu::detail {

/// The heads of n elements from i on, as words of bits; n is at most `Most`.
template <index_t Most, class Segments>
void words_of_heads(Segments const& segments, index_t i, index_t n, std::uint64_t* heads) {
  flag_words<Segments> const words{segments};
  for (index_t k = 0; k < n; k += 64) heads[k / 64] = words(i + k, std::min<index_t>(64, n - k));
}
/// For numbered segments: one word in a register, more words through a byte for each element.  So one
/// loop over the segments is mispredicted once, at its end; a loop for each word would be
/// mispredicted once per word.
template <index_t Most, class Segments>
requires requires(Segments const& s) { s.here, s.last; }
void words_of_heads(Segments const& segments, index_t i, index_t n, std::uint64_t* heads) {
  index_t s = segments.segment(i);
  if (segments.begin(s) < i) ++s;
  if (s > segments.last || segments.begin(s) >= i + n) {
    std::fill_n(heads, div_up(n, 64), std::uint64_t{0});
    return;
  }
  auto const for_each_head = [&](auto const& set) {
    for (; s <= segments.last; ++s) {
      auto const k = static_cast<std::uint64_t>(segments.begin(s) - i);
      if (k >= static_cast<std::uint64_t>(n)) break;  // negative only if offsets descend
      set(k);
    }
    segments.here = s - 1;  // the next call continues here
  };
  if (n <= 64) {
    std::uint64_t word = 0;
    for_each_head([&](std::uint64_t k) { word |= std::uint64_t{1} << k; });
    heads[0] = word;
    return;
  }
  unsigned char head[Most];
  std::fill_n(head, 64 * div_up(n, 64), 0);
  for_each_head([&](std::uint64_t k) { head[k] = 1; });
  for (index_t k = 0; k < n; k += 64) heads[k / 64] = bits_of_bytes(head + k);
}

template <class T, class Load, class Segments, class M, class Seed>
struct read_segmented<T, ravel::detail::read_flagged<T, Load, Segments, M, Seed, false>> {
  ravel::detail::read_flagged<T, Load, Segments, M, Seed, false> const& load;

  T const* operator()(index_t i, index_t n, T* room, std::uint64_t* heads) const {
    words_of_heads<batch<T>>(load.segments, i, n, heads);
    T const* const values = loaded<T>(load.load, i, n, room);
    if constexpr (std::same_as<Seed, ravel::detail::seed_identity<M>>) {
      return values;
    } else {
      if (values != room) std::copy_n(values, n, room);
      for (index_t k = 0; k < n; k += 64) {
        for (std::uint64_t rest = heads[k / 64]; rest != 0; rest &= rest - 1) {
          T& first = room[k + std::countr_zero(rest)];
          first = load.m(T(load.seed()), first);
        }
      }
      return room;
    }
  }
  prefetch_range prefetch_range_of(index_t first, index_t end) const {
    return detail::prefetch_range_of(load.load, first, end);
  }
  [[gnu::always_inline]] static void const* source(
      ravel::detail::read_flagged<T, Load, Segments, M, Seed, false> const& load) {
    return detail::source(load.load);
  }
};

/// Reverses the n lowest bits.
inline std::uint64_t reversed_bits(std::uint64_t x, index_t n) {
  auto const swap = [&](int by, std::uint64_t low) { x = (x & low) << by | (x >> by & low); };
  swap(1, 0x5555555555555555u);
  swap(2, 0x3333333333333333u);
  swap(4, 0x0f0f0f0f0f0f0f0fu);
  return __builtin_bswap64(x) >> (64 - n);
}

/// Whether a segment ends with each of the n elements from i on, in reverse order, as words of
/// bits; n is at most `Most`.  For numbered segments through bytes, as for heads.
template <index_t Most, class Segments>
void words_of_tails(Segments const& segments, index_t i, index_t n, std::uint64_t* tails) {
  unsigned char tail[Most];
  std::fill_n(tail, 64 * div_up(n, 64), 0);
  index_t const count = [&] {
    if constexpr (requires { segments.last; }) {
      return segments.last + 1;
    } else {
      return segments.count();
    }
  }();
  for (index_t s = segments.segment(i) + 1; s <= count; ++s) {
    index_t const k = segments.begin(s) - 1 - i;
    if (0 <= k && k < n) tail[n - 1 - k] = 1;
    if (k >= n - 1) break;
  }
  for (index_t k = 0; k < n; k += 64) tails[k / 64] = bits_of_bytes(tail + k);
}
/// With head flags, a segment ends one element before the next head.  The head flag past the end is
/// not read.
template <index_t, class Begins, class Space>
void words_of_tails(head_segments<Begins, Space> const& segments, index_t i, index_t n,
                    std::uint64_t* tails) {
  flag_words<Begins> const begins{segments.begins};
  for (index_t k = 0; k < n; k += 64) {
    index_t const some = std::min<index_t>(64, n - k), end = i + n - k;
    bool const is_last = end == segments.elements;
    std::uint64_t word = begins(end - some + 1, is_last ? some - 1 : some);
    if (is_last) word |= std::uint64_t{1} << (some - 1);
    tails[k / 64] = reversed_bits(word, some);
  }
}

/// Backward: values and flags are reversed through a buffer in L1.
template <class T, class Load, class Segments, class M, class Seed>
struct read_segmented<T, mirrored<ravel::detail::read_flagged<T, Load, Segments, M, Seed, true>>> {
  mirrored<ravel::detail::read_flagged<T, Load, Segments, M, Seed, true>> const& load;

  T const* operator()(index_t i, index_t n, T* room, std::uint64_t* heads) const {
    auto const& of = load.source;
    index_t const first = load.last + 1 - i - n;
    T const* const values = loaded<T>(of.load, first, n, room);
    if (values == room) {
      std::reverse(room, room + n);
    } else {
      std::reverse_copy(values, values + n, room);
    }
    words_of_tails<batch<T>>(of.segments, first, n, heads);
    if constexpr (!std::same_as<Seed, ravel::detail::seed_identity<M>>) {
      for (index_t k = 0; k < n; k += 64) {
        for (std::uint64_t rest = heads[k / 64]; rest != 0; rest &= rest - 1) {
          T& last = room[k + std::countr_zero(rest)];
          last = of.m(last, T(of.seed()));
        }
      }
    }
    return room;
  }
  prefetch_range prefetch_range_of(index_t first, index_t end) const {
    return turned(
        detail::prefetch_range_of(load.source.load, load.last + 1 - end, load.last + 1 - first));
  }
  [[gnu::always_inline]] static void const* source(
      mirrored<ravel::detail::read_flagged<T, Load, Segments, M, Seed, true>> const& load) {
    return detail::source(load.source.load);
  }
};

template <class T, class Load, class Segments, class M, class Seed>
struct as_numbered<ravel::detail::read_flagged<T, Load, Segments, M, Seed, false>> {
  static constexpr bool are = Segments::numbered;

  template <class Visit>
  [[gnu::always_inline]] static flagged<T> scan(
      ravel::detail::read_flagged<T, Load, Segments, M, Seed, false> const& from,
      Visit const& visit_all, index_t n, flagged<T> ahead) {
    auto const load = ravel::detail::on_tile(from.load, {0, 0, n});
    auto const visit = ravel::detail::on_tile(visit_all, {0, 0, n});
    for (index_t s = 0, i = 0; i < n; ++s) {
      index_t const end = from.segments.begin(s + 1);
      T value = T(from.seed());
      for (; i < end; ++i) {
        flagged<T> const through{from.m(value, T(load(i))), true};
        visit(i, ahead, through);
        ahead = through;
        value = through.value;
      }
    }
    return ahead;
  }
};

}  // namespace ravel::inline v0::cpu::detail
