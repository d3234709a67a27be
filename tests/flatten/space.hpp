#pragma once

/// Test fixture for the memory of nested programs: docs/flattening.md states the bound.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/explained.hpp>
#include <ravel/flatten/flatten.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ravel::testing {

class program_space : public ::testing::Test {
 protected:
  using numbers = std::vector<index_t>;

  cpu::sequential const ex;
  index_t const before = stats().bytes;
  std::mt19937_64 random{1};

  index_t below(index_t n) { return static_cast<index_t>(random() % static_cast<unsigned>(n)); }
  numbers numbers_below(index_t limit, std::size_t n) {
    numbers all(n);
    for (auto& x : all) x = below(limit);
    return all;
  }

  /// Expects the most memory of values, those of the inputs of a test among them, to be at most
  /// three times what the inputs, the result and the largest step at each depth of lambdas hold.
  template <class F>
  void expect_bounded(char const* name, F const& program) {
    reset_stats();
    index_t const inputs = stats().bytes - before;
    std::vector<flattening::step_taken> steps;
    auto const result = [&] {
      flattening::explaining const now(steps, false);
      return program();
    }();
    std::map<int, index_t> largest;  // by depth
    for (auto const& step : steps) {
      if (std::string_view(step.what).starts_with("context")) continue;
      largest[step.depth] = std::max(largest[step.depth], step.n);
    }
    index_t const results = stats().bytes - before - inputs;
    index_t held = inputs + results;
    for (auto const& [depth, n] : largest) held += 8 * n;
    index_t const most = stats().most_bytes - before;
    RecordProperty(name, std::to_string(most) + " of " + std::to_string(held));
    EXPECT_LE(most, 3 * held) << name;
  }
};

}  // namespace ravel::testing
