#pragma once

/// Malformed offsets and indices.

#include "support/random_word.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace ravel::testing {

/// Integers with a name.
template <class T>
struct named_integers {
  std::string name;
  std::vector<T> values;
};

/// Offsets of k segments, k > 2, of n elements, that do not ascend or leave [0, n].  The first and
/// the last are correct, unless `ends` is true.
template <class T>
std::vector<named_integers<T>> malformed_offsets(std::int64_t k, std::int64_t n, bool ends) {
  using limits = std::numeric_limits<T>;
  std::vector<named_integers<T>> all;
  auto const add = [&](std::string name, auto offset) {
    std::vector<T> offsets;
    for (std::int64_t s = 0; s <= k; ++s) offsets.push_back(static_cast<T>(offset(s)));
    if (!ends) {
      offsets.front() = 0;
      offsets.back() = static_cast<T>(n);
    }
    all.push_back({name, offsets});
  };
  auto const random = [](std::int64_t s) {
    return static_cast<std::int64_t>(random_word(static_cast<std::uint64_t>(s)) >> 1);
  };
  auto const ascending = [=](std::int64_t s) { return n * s / k; };
  add("in range, in no order", [=](std::int64_t s) { return random(s) % (n + 1); });
  add("near the range", [=](std::int64_t s) { return random(s) % (5 * n) - 2 * n; });
  add("any", [=](std::int64_t s) { return random_word(static_cast<std::uint64_t>(s)); });
  add("from end to end", [=](std::int64_t s) { return s % 2 == 0 ? 0 : n; });
  add("descending", [=](std::int64_t s) { return n - ascending(s); });
  add("least and greatest",
      [=](std::int64_t s) { return s % 2 == 0 ? limits::max() : limits::min(); });
  for (std::int64_t const at : {std::int64_t{1}, k / 2, k - 1}) {
    add("one below", [=](std::int64_t s) { return s == at ? -1 : ascending(s); });
    add("one beyond", [=](std::int64_t s) { return s == at ? n + 1 : ascending(s); });
  }
  return all;
}

/// Integers, few of which are in [0, n).
template <class T>
std::vector<T> malformed_indices(std::int64_t many, std::int64_t n) {
  std::vector<T> indices;
  for (std::int64_t i = 0; i < many; ++i) {
    auto const word = random_word(static_cast<std::uint64_t>(i));
    auto const in_range = static_cast<std::int64_t>(word >> 8) % n;
    switch (word % 4) {
      case 0:
        indices.push_back(static_cast<T>(word >> 2));
        break;
      case 1:
        indices.push_back(static_cast<T>(in_range - 2 * n));
        break;
      case 2:
        indices.push_back(static_cast<T>(n + in_range));
        break;
      default:
        indices.push_back(static_cast<T>(in_range));
    }
  }
  return indices;
}

}  // namespace ravel::testing
