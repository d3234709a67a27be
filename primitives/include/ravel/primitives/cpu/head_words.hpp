#pragma once

/// The begins and ends of segments on the host, as words of bits, 64 elements in each.

#include <ravel/core/cpu/flag_words.hpp>

namespace ravel::inline v0::cpu::detail {

/// Computes the head flags of n <= Most elements from i on, as words of bits.
template <index_t Most, class Segments>
void words_of_heads(Segments const& segments, index_t i, index_t n, std::uint64_t* heads) {
  flag_words<Segments> const words{segments};
  for (index_t k = 0; k < n; k += 64) heads[k / 64] = words(i + k, std::min<index_t>(64, n - k));
}
/// As above for numbered segments, in one loop over the segments, whose exit is mispredicted once;
/// a loop for each word would be mispredicted once per word.  A single word is built in a register,
/// several words from a byte for each element.
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
      // true for negative k too, which occurs only if offsets descend
      if (k >= static_cast<std::uint64_t>(n)) break;
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

/// Reverses the n lowest bits.
inline std::uint64_t reversed_bits(std::uint64_t x, index_t n) {
  auto const swap = [&](int bits, std::uint64_t low) { x = (x & low) << bits | (x >> bits & low); };
  swap(1, 0x5555555555555555u);
  swap(2, 0x3333333333333333u);
  swap(4, 0x0f0f0f0f0f0f0f0fu);
  return __builtin_bswap64(x) >> (64 - n);
}

/// Computes, for each of n <= Most elements from i on, in reverse order, whether a segment ends
/// with it, as words of bits.  For numbered segments a byte for each element is set first, then
/// packed to bits.
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
/// As above from head flags: a segment ends one element before the next head.  The head flag past
/// the end of the sequence is not read.
template <index_t, class Segments>
requires requires(Segments const& s) { s.begins, s.tail(s.elements); }
void words_of_tails(Segments const& segments, index_t i, index_t n, std::uint64_t* tails) {
  flag_words<decltype(segments.begins)> const begins{segments.begins};
  for (index_t k = 0; k < n; k += 64) {
    index_t const count = std::min<index_t>(64, n - k), end = i + n - k;
    bool const is_last = end == segments.elements;
    std::uint64_t word = begins(end - count + 1, is_last ? count - 1 : count);
    if (is_last) word |= std::uint64_t{segments.tail(end - 1)} << (count - 1);
    tails[k / 64] = reversed_bits(word, count);
  }
}

}  // namespace ravel::inline v0::cpu::detail
