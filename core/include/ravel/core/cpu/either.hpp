#pragma once

/// Branchless selection of one of two values.
///
/// A branch on random data is mispredicted every second time, which costs as much as some dozen
/// additions; a branchless selection costs two or three.

#include <ravel/core/vocabulary.hpp>
#include <ravel/core/word.hpp>

namespace ravel::inline v0::cpu {

/// Types that a selection handles as a word: trivially copyable, of 1, 2, 4 or 8 bytes.
template <class T>
concept word = std::is_trivially_copyable_v<T> &&
    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

/// yes ? a : b by a mask and exclusive-or.  Compilers may turn the conditional operator into a
/// branch.
template <word T>
[[gnu::always_inline]] inline T either(bool yes, T a, T b) {
  using bits = ravel::detail::unsigned_of_t<T>;
  auto const of_a = std::bit_cast<bits>(a), of_b = std::bit_cast<bits>(b);
  auto const mask = static_cast<bits>(-static_cast<bits>(yes));
  return std::bit_cast<T>(static_cast<bits>(of_b ^ ((of_a ^ of_b) & mask)));
}

/// The same for values of two words.
template <class T>
requires(std::is_trivially_copyable_v<T> && sizeof(T) == 16) [[gnu::always_inline]] inline T
    either(bool yes, T const& a, T const& b) {
  struct words {
    std::uint64_t first, second;
  };
  auto const of_a = std::bit_cast<words>(a), of_b = std::bit_cast<words>(b);
  return std::bit_cast<T>(
      words{either(yes, of_a.first, of_b.first), either(yes, of_a.second, of_b.second)});
}

/// either(yes, a, b), where b has just been computed: a float or double stays in its vector register.  g++
/// would move it to a general register and back: 7.7 instead of 4.7 cycles for a step of a sum.
template <word T>
[[gnu::always_inline]] inline T either_in_chain(bool yes, T a, T b) {
#ifdef RAVEL_TIES_REGISTERS
  if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
    using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using vector [[gnu::vector_size(16)]] = bits;
    vector const mask{-static_cast<bits>(yes)}, of_a{std::bit_cast<bits>(a)};
    vector of_b;
    asm("" : "=x"(of_b) : "0"(b));  // the same register: only its lowest lane counts
    of_b = (of_a & mask) | (of_b & ~mask);
    asm("" : "=x"(b) : "0"(of_b));
    return b;
  }
#endif
  return either(yes, a, b);
}

}  // namespace ravel::inline v0::cpu
