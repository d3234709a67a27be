#pragma once

/// Shared by the tests of streams: sequences long enough to be streamed.

#include <ravel/core/config.hpp>

#include "support/executors.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace ravel {

constexpr index_t streamed = std::max(
    {gpu::tuning{}.streamed_bytes, gpu::tuning{}.carried_bytes, gpu::tuning{}.reduced_bytes});

struct device_test : ::testing::Test {
  void SetUp() override {
    if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  }
};

/// Numbers of which any few thousand have an exact sum.
template <class T>
std::vector<T> numbers(index_t n, unsigned seed = 1) {
  std::minstd_rand random(seed);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& y : x) y = static_cast<T>(static_cast<int>(random() % 15) - 7);
  return x;
}

/// The last nonzero operand, which depends on the order.
template <class T>
struct last_nonzero {
  static RAVEL_HD constexpr T identity() { return T(0); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const { return y != T(0) ? y : x; }
};

/// The head flags of n elements: one in `mean`, at random.
inline std::vector<std::uint8_t> random_heads(index_t n, unsigned mean) {
  std::minstd_rand random(mean);
  std::vector<std::uint8_t> heads(static_cast<std::size_t>(n));
  for (auto& head : heads) head = random() / 7 % mean == 0;
  return heads;
}

}  // namespace ravel
