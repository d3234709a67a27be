#pragma once

/// Random numbers, each from its place.

#include <ravel/core/tile.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace ravel::examples {

/// The i-th word of SplitMix64 with this seed.
///
/// Source   Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
///          Generators", OOPSLA 2014.
inline std::uint64_t random_word(std::uint64_t seed, index_t i) {
  std::uint64_t z = seed + (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// A number from the highest bits of a word: uniform over all integers, or over [0, 1).
template <class T>
T uniform(std::uint64_t word) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(word >> (64 - 8 * sizeof(T)));
  } else {
    constexpr int digits = std::numeric_limits<T>::digits;
    return static_cast<T>(word >> (64 - digits)) / static_cast<T>(std::uint64_t{1} << digits);
  }
}

}  // namespace ravel::examples
