#pragma once

/// Keys that unbalance distributed sorts: random, skewed, sorted, and all equal.

#include <ravel/core/tile.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace ravel::testing {

inline std::vector<std::uint32_t> random_keys(index_t n, std::uint32_t below, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::uint32_t> draw(0, below - 1);
  std::vector<std::uint32_t> keys(n);
  for (auto& k : keys) k = draw(random);
  return keys;
}

/// Keys of which half are 0, a quarter 1, an eighth 2 or 3, and so on: Zipf's law in powers of two.
inline std::vector<std::uint32_t> zipf_keys(index_t n) {
  auto keys = random_keys(n, 1u << 31);
  for (auto& k : keys) k = static_cast<std::uint32_t>(std::ldexp(1.0, 31) / (k + 1.0));
  return keys;
}

inline std::vector<std::vector<std::uint32_t>> kinds_of_keys(index_t n) {
  std::vector<std::uint32_t> ascending(n), descending(n);
  for (index_t i = 0; i < n; ++i) {
    ascending[i] = static_cast<std::uint32_t>(i);
    descending[i] = static_cast<std::uint32_t>(n - i);
  }
  return {random_keys(n, 0xffffffff),      random_keys(n, 5), zipf_keys(n), ascending, descending,
          std::vector<std::uint32_t>(n, 7)};
}

/// Bytes of samples and counts that a rank may send besides elements, as cuts_of_sorted says, in
/// `rounds` rounds.
inline index_t bytes_of_splitters(index_t ranks, index_t rounds, index_t bytes_of_key = 4) {
  index_t const samples = std::max<index_t>(2048, ranks * (ranks - 1));
  return rounds * (bytes_of_key + 2 * 2 * 8) * samples +
         (rounds + 2) * 8 * (ranks + 1) * (ranks - 1);
}

}  // namespace ravel::testing
