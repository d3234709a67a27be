#include <ravel/core/explain.hpp>
#include <ravel/distributed/same_everywhere.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::same_everywhere_test {
namespace {

/// Floating-point numbers whose sum depends on the order of additions.
std::vector<float> rounded(index_t n) {
  std::mt19937 draw(1);
  std::normal_distribution<float> of;
  std::vector<float> all(n);
  for (float& x : all) x = of(draw) * static_cast<float>(1 << (draw() % 20));
  return all;
}

TEST(DistributedSameEverywhere, HasTheBitsOfOneMachine) {
  cpu::sequential const alone;
  same_everywhere const same_alone(alone);
  for (index_t const n : {0, 1, 100, 2048, 2049, 10000}) {
    auto const all = rounded(n);
    std::vector<float> through(n), before(n + 1), twice(n), filtered(n);
    float const sum = reduce_sync(same_alone, all);
    if (n == 10000) {
      EXPECT_NE(std::accumulate(all.begin(), all.end(), 0.0F), sum);
    }
    inclusive_scan(same_alone, all, through);
    exclusive_scan(same_alone, all, before, plus{}, from(3.0F));
    inclusive_scan(same_alone, all, twice, plus{}, of_order<2>);
    linear_recurrence(same_alone, all, coefficients{0.5F, -0.75F}, filtered);
    on_groups([&](auto const& ex) {
      same_everywhere const same(ex);
      for (auto const& shape : placements(n, ex.ranks().size())) {
        auto const x = placed(ex, all, shape);
        auto room = shape;
        ++room.back();
        distributed::sequence<float, on_ranks> y(ex, x), z(ex, room);
        EXPECT_EQ(reduce_sync(same, x), sum);
        inclusive_scan(same, x, y);
        EXPECT_EQ(everywhere(ex, y), through);
        exclusive_scan(same, x, z, plus{}, from(3.0F));
        EXPECT_EQ(everywhere(ex, z), before);
        inclusive_scan(same, x, y, plus{}, of_order<2>);
        EXPECT_EQ(everywhere(ex, y), twice);
        linear_recurrence(same, x, coefficients{0.5F, -0.75F}, y);
        EXPECT_EQ(everywhere(ex, y), filtered);
      }
    });
  }
}

TEST(DistributedSameEverywhere, SendsTotalsOfTilesAndOneTileAtMostOnEachSide) {
  index_t const n = 100000;
  auto const all = rounded(n);
  on_groups([&](auto const& ex) {
    index_t const p = ex.ranks().size();
    auto const x = from(ex, all);
    auto const before = ex.ranks().sent();
    reduce_sync(same_everywhere(ex), x);
    EXPECT_LE(ex.ranks().sent() - before,
              (p - 1) * (4 * (n / p / 2048 + 1) + 8) + (p > 1 ? 4 * 2 * 2048 : 0));
  });
}

TEST(DistributedSameEverywhere, OfIntegersIsTheCallOfTheExecutor) {
  on_groups([](auto const& ex) {
    auto const x = from(ex, std::vector<int>(5000, 1));
    auto const before = ex.ranks().sent();
    EXPECT_EQ(reduce_sync(same_everywhere(ex), x), 5000);
    EXPECT_EQ(ex.ranks().sent() - before, 4 * (ex.ranks().size() - 1));
  });
}

TEST(DistributedForms, AreExplained) {
  std::vector<float> const x(10);
  std::vector<int> const ints(10);
  std::vector<float> y(10), sum(1);
  std::vector<int> count(1);
  distributed::machine const ranks{3};
  same_order<distributed::machine> const same{ranks};
  EXPECT_STREQ(explain_on(ranks, describe_reduce(x, sum, plus<float>{})).form, "by_carries");
  EXPECT_STREQ(explain_on(ranks, describe_inclusive_scan(x, y, plus<float>{})).form, "by_carries");
  EXPECT_STREQ(explain_on(same, describe_inclusive_scan(x, y, plus<float>{})).form, "in_one_order");
  EXPECT_EQ(
      explain_on(same, describe_reduce(x, sum, plus<float>{})).text(),
      std::string("in_one_order: ") + distributed::reduce_in_one_order::why +
          "\n  not on_own_executor: needs a monoid whose results are the same in any order, as "
          "plus of integers\n");
  auto const of_ints = explain_on(same, describe_reduce(ints, count, plus<int>{}));
  EXPECT_STREQ(of_ints.form, "on_own_executor");
  EXPECT_STREQ(of_ints.inner[0].form, "by_carries");
}

}  // namespace
}  // namespace ravel::testing::same_everywhere_test
