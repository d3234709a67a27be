#pragma once

/// @file
/// One of two, without a branch.
///
/// A branch on what nobody foresees is mispredicted every second time, which takes as long as some
/// dozen additions; to choose takes as long as two or three.

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cpu {
namespace detail {

template <int Bytes>
struct word_of;
template <>
struct word_of<1> : std::type_identity<std::uint8_t> {};
template <>
struct word_of<2> : std::type_identity<std::uint16_t> {};
template <>
struct word_of<4> : std::type_identity<std::uint32_t> {};
template <>
struct word_of<8> : std::type_identity<std::uint64_t> {};

}  // namespace detail

/// Numbers and pointers, and whatever else is a word.
template <class T>
concept word = std::is_trivially_copyable_v<T> &&
    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

/// yes ? a : b, of which compilers make a branch if they may.
template <word T>
[[gnu::always_inline]] inline T either(bool yes, T a, T b) {
  using bits = typename detail::word_of<sizeof(T)>::type;
  auto const of_a = std::bit_cast<bits>(a), of_b = std::bit_cast<bits>(b);
  auto const mask = static_cast<bits>(-static_cast<bits>(yes));
  return std::bit_cast<T>(static_cast<bits>(of_b ^ ((of_a ^ of_b) & mask)));
}

}  // namespace ravel::inline v0::cpu
