#pragma once

/// Random data, as functions of an index, and data with known scans.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>

#include <cstdint>
#include <type_traits>

namespace ravel::bench {

/// The i-th output of SplitMix64 started with `seed`.
///
/// Source   Steele, Lea and Flood, "Fast splittable pseudorandom number
///          generators", OOPSLA 2014.
RAVEL_HD constexpr std::uint64_t random_bits(std::uint64_t seed, index_t i) {
  std::uint64_t z = seed + (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Uniform in [0, 1).
RAVEL_HD constexpr double random_fraction(std::uint64_t seed, index_t i) {
  return static_cast<double>(random_bits(seed, i) >> 11) * 0x1p-53;
}

/// Uniform in [0, n), for n below 2^32.
RAVEL_HD constexpr index_t random_below(std::uint64_t seed, index_t i, index_t n) {
  return static_cast<index_t>(((random_bits(seed, i) >> 32) * static_cast<std::uint64_t>(n)) >> 32);
}

/// The expected inclusive sum at element i: a random integer, such that it and every difference of
/// two of them are exact in T.  In 16 bits also sums of a few dozen differences are exact, since
/// CUB adds those of one thread in another order.
template <class T>
struct reached {
  RAVEL_HD T operator()(index_t i) const {
    std::uint64_t const bits = random_bits(1, i);
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(bits);
    } else if constexpr (sizeof(T) == 2) {
      return static_cast<T>(static_cast<float>(bits >> 58));
    } else {
      return static_cast<T>(bits >> (sizeof(T) == 4 ? 40 : 11));
    }
  }
};

/// The step from element `from` to element `to`.
template <class T>
RAVEL_HD T step_between(index_t from, index_t to) {
  if constexpr (std::is_integral_v<T>) {  // wraps around, which signed integers must not
    return static_cast<T>(random_bits(1, to) - random_bits(1, from));
  } else {
    return static_cast<T>(reached<T>{}(to)-reached<T>{}(from));
  }
}

/// The differences of consecutive sums.  In any grouping, the sum of those from element 0 to i is
/// exactly reached(i); integers wrap around.
template <class T>
struct step {
  RAVEL_HD T operator()(index_t i) const {
    return i == 0 ? reached<T>{}(0) : step_between<T>(i - 1, i);
  }
};

/// The same from the last of n elements to the first.
template <class T>
struct step_back {
  index_t n;
  RAVEL_HD T operator()(index_t i) const {
    return i == n - 1 ? reached<T>{}(i) : step_between<T>(i + 1, i);
  }
};

/// The same as `step`, restarting at every segment.
template <class T>
struct step_in_segment {
  std::uint8_t const* heads;
  RAVEL_HD T operator()(index_t i) const {
    return i == 0 || heads[i] ? reached<T>{}(i) : step_between<T>(i - 1, i);
  }
};

}  // namespace ravel::bench
