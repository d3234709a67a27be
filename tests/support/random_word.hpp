#pragma once

/// Pseudorandom words, the same in every run.

#include <cstdint>

namespace ravel::testing {

/// SplitMix64, by index.
inline std::uint64_t random_word(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// The same for 32 bits, with the finaliser of MurmurHash3.
inline std::uint32_t random_word32(std::uint32_t i) {
  std::uint32_t z = i * 0x9e3779b9u + 0x7f4a7c15u;
  z = (z ^ z >> 16) * 0x85ebca6bu;
  z = (z ^ z >> 13) * 0xc2b2ae35u;
  return z ^ z >> 16;
}

}  // namespace ravel::testing
