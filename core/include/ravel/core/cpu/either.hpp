#pragma once

/// @file
/// One of two, without a branch.
///
/// A branch on what nobody foresees is mispredicted every second time, which takes as long as some
/// dozen additions; to choose takes as long as two or three.

#include <ravel/core/word.hpp>

#include <bit>
#include <type_traits>

namespace ravel::inline v0::cpu {

/// Numbers and pointers, and whatever else is a word.
template <class T>
concept word = std::is_trivially_copyable_v<T> &&
    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

/// yes ? a : b, of which compilers make a branch if they may.
template <word T>
[[gnu::always_inline]] inline T either(bool yes, T a, T b) {
  using bits = ravel::detail::unsigned_of_t<T>;
  auto const of_a = std::bit_cast<bits>(a), of_b = std::bit_cast<bits>(b);
  auto const mask = static_cast<bits>(-static_cast<bits>(yes));
  return std::bit_cast<T>(static_cast<bits>(of_b ^ ((of_a ^ of_b) & mask)));
}

}  // namespace ravel::inline v0::cpu
