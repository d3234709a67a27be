#pragma once

/// Keys of uneven distributions, as functions of an index, for sorts.

#include "support/random.hpp"

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>

#include <array>
#include <cmath>
#include <cstdint>

namespace ravel::bench {

enum class distribution {
  uniform,
  sorted,
  reversed,
  almost_sorted,  // 1 % of the keys at random places
  equal,
  distinct2,
  distinct16,
  distinct256,
  and4,        // each bit is set with probability 1/16
  zipf,        // density 1 / x
  half_equal,  // one value, or uniform
  low20,       // 20 low bits
  high_equal,  // 20 low bits, below equal ones
  gaussian,
  skewed,  // half uniform, a quarter in the low half of the bits, a quarter in the lowest quarter
  time_stamps  // ascending, with jitter
};

struct named_distribution {
  char const* name;
  distribution of;
};
inline constexpr std::array<named_distribution, 16> distributions{{
    {"uniform", distribution::uniform},
    {"sorted", distribution::sorted},
    {"reversed", distribution::reversed},
    {"almost_sorted", distribution::almost_sorted},
    {"equal", distribution::equal},
    {"distinct2", distribution::distinct2},
    {"distinct16", distribution::distinct16},
    {"distinct256", distribution::distinct256},
    {"and4", distribution::and4},
    {"zipf", distribution::zipf},
    {"half_equal", distribution::half_equal},
    {"low20", distribution::low20},
    {"high_equal", distribution::high_equal},
    {"gaussian", distribution::gaussian},
    {"skewed", distribution::skewed},
    {"time_stamps", distribution::time_stamps},
}};

/// The i-th of n keys of type K, an unsigned integer of 4 or 8 bytes.
template <class K>
struct distributed {
  distribution of;
  index_t n;

  RAVEL_HD K operator()(index_t i) const {
    constexpr int width = 8 * sizeof(K);
    constexpr auto odd = static_cast<K>(0x9E3779B97F4A7C15u);
    auto const any = [&](std::uint64_t seed) { return random_bits(seed, i); };
    auto const m = static_cast<K>(any(1));
    // n < 2^32, so that a step of the whole range is exact enough
    auto const scaled = [&](index_t j) {
      return static_cast<K>(static_cast<K>(j) * (static_cast<K>(~K{0}) / static_cast<K>(n)));
    };
    switch (of) {
      case distribution::sorted:
        return scaled(i);
      case distribution::reversed:
        return scaled(n - 1 - i);
      case distribution::almost_sorted:
        return any(2) % 100 == 0
                   ? scaled(static_cast<index_t>(any(3) % static_cast<std::uint64_t>(n)))
                   : scaled(i);
      case distribution::equal:
        return odd;
      case distribution::distinct2:
        return static_cast<K>(m % 2 * odd);
      case distribution::distinct16:
        return static_cast<K>(m % 16 * odd);
      case distribution::distinct256:
        return static_cast<K>(m % 256 * odd);
      case distribution::and4:
        return static_cast<K>(m & any(2) & any(3) & any(4));
      case distribution::zipf:
        return static_cast<K>(std::exp(random_fraction(1, i) * std::log(width == 32 ? 1e9 : 1e18)));
      case distribution::half_equal:
        return any(2) % 2 == 0 ? odd : m;
      case distribution::low20:
        return static_cast<K>(m % (1 << 20));
      case distribution::high_equal:
        return static_cast<K>(m % (1 << 20) + (K{0xABC} << (width - 12)));
      case distribution::gaussian: {
        K sum = 0;
        for (int j = 0; j < 8; ++j)
          sum += static_cast<K>(any(static_cast<std::uint64_t>(j) + 1) >> (64 - width + 3));
        return sum;
      }
      case distribution::skewed: {
        auto const kind = any(5) >> 62;
        return static_cast<K>(kind < 2 ? m : kind == 2 ? m >> width / 2 : m >> 3 * width / 4);
      }
      case distribution::time_stamps: {
        // 1.7e18 ns in 8 bytes; in 4 bytes the same pattern with steps of 10
        K const base = width == 32 ? K{1'700'000'000} : static_cast<K>(1'700'000'000'000'000'000u);
        std::uint64_t const apart = width == 32 ? 10 : 1000;
        return static_cast<K>(base + static_cast<std::uint64_t>(i) * apart +
                              any(1) % (100 * apart));
      }
      case distribution::uniform:
        break;
    }
    return m;
  }
};

}  // namespace ravel::bench
