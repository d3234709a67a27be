#include <ravel/distributed/pipelines.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::ranks_pipelines_test {
namespace {

struct twice {
  RAVEL_HD int operator()(int x) const { return 2 * x; }
};

/// Stages are fused into the pass over the piece of each rank, and carries are exchanged once.
TEST(DistributedPipelines, SendTheCarryOfAPass) {
  std::vector<int> all(29), sums(29);
  for (int i = 0; i < 29; ++i) all[i] = i * 37 % 11 - 4;
  on(cpu::sequential(), all) | map(twice{}) | inclusive_scan(plus{}) | into(sums);
  on_groups([&](auto const& ex) {
    std::uint64_t const others = ex.ranks().size() - 1;
    for (auto const& begins : placements(29, ex.ranks().size())) {
      auto const x = placed(ex, all, begins);
      distributed::sequence<int, on_ranks> y(ex, x);
      auto const before = ex.ranks().sent();
      on(ex, x) | map(twice{}) | into(y);
      EXPECT_EQ(ex.ranks().sent(), before);
      std::vector<int> doubled = all;
      for (int& i : doubled) i *= 2;
      EXPECT_EQ(everywhere(ex, y), doubled);
      auto const then = ex.ranks().sent();
      on(ex, x) | map(twice{}) | inclusive_scan(plus{}) | into(y);
      EXPECT_EQ(ex.ranks().sent() - then, sizeof(int) * others);
      EXPECT_EQ(everywhere(ex, y), sums);
    }
  });
}

}  // namespace
}  // namespace ravel::testing::ranks_pipelines_test
