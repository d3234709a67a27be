#include <ravel/distributed/histogram.hpp>
#include <ravel/distributed/split.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "distributed/keys.hpp"
#include "distributed/ranks.hpp"

namespace ravel::testing::split_test {
namespace {

using key = std::uint32_t;

TEST(DistributedSplit, ByDigitsOfElements) {
  distributed::run_ranks(3, [](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    auto const in = placed(ex, std::vector{3, 1, 2, 4, 1, 5}, {0, 3, 5, 6});
    distributed::sequence<int, on_ranks> out(ex, std::vector<index_t>{0, 2, 4, 6});
    auto const offsets = ex.template replicate<int>(4);
    ravel::split<3>(ex, in, around{3}, out, offsets_to(offsets));
    EXPECT_EQ(everywhere(ex, out), (std::vector{1, 2, 1, 3, 4, 5}));
    EXPECT_EQ(std::vector(offsets.begin(), offsets.end()), (std::vector{0, 3, 4, 6}));
  });
}

TEST(DistributedSplit, IsStableAndSendsEachElementOnce) {
  auto const digit = [](key x) { return static_cast<int>(x % 7); };
  for (index_t const n : {0, 1, 2000}) {
    for (auto const& all : kinds_of_keys(n)) {
      auto expected = all;
      std::ranges::stable_sort(expected, {}, digit);
      on_groups([&](auto const& ex) {
        index_t const p = ex.ranks().size();
        auto const shapes = placements(n, ex.ranks().size());
        for (std::size_t s = 0; s < shapes.size(); ++s) {
          auto const x = placed(ex, all, shapes[s]);
          distributed::sequence<key, on_ranks> y(ex, shapes[(s + 1) % shapes.size()]);
          auto const before = ex.ranks().sent();
          ravel::split<7>(ex, x, digit, y);
          EXPECT_LE(ex.ranks().sent() - before, 4 * x.size() + 8 * (7 + p) * (p - 1));
          EXPECT_EQ(everywhere(ex, y), expected);
        }
      });
    }
  }
}

/// Of many elements each part is exchanged on its own, from 16 KiB of each part of a rank on.
TEST(DistributedSplit, OfManyElements) {
  index_t const n = 70'000;
  for (auto const& all : kinds_of_keys(n)) {
    auto const has_odd = [](key x) { return x % 8 == 5; };
    auto expected = all;
    std::ranges::stable_sort(expected, {}, has_odd);
    on_groups([&](auto const& ex) {
      auto const shapes = placements(n, ex.ranks().size());
      for (std::size_t s = 0; s < shapes.size(); ++s) {
        auto const x = placed(ex, all, shapes[s]);
        distributed::sequence<key, on_ranks> y(ex, shapes[(s + 1) % shapes.size()]);
        auto const before = ex.ranks().sent();
        ravel::split(ex, x, has_odd, y);
        EXPECT_LE(ex.ranks().sent() - before, 4 * x.size() + 8 * 2 * (ex.ranks().size() - 1));
        EXPECT_TRUE(std::equal(y.begin(), y.end(), expected.begin() + y.first()));
      }
    });
  }
}

TEST(DistributedHistogram, CountsAreOnEachRank) {
  on_groups([](auto const& ex) {
    index_t const p = ex.ranks().size();
    for (auto const& shape : placements(6, ex.ranks().size())) {
      auto const in = placed(ex, std::vector{3, 1, 0, 3, 3, 7}, shape);
      auto const counts = ex.template replicate<int>(4);
      auto const before = ex.ranks().sent();
      ravel::histogram(ex, in, counts);
      EXPECT_EQ(std::vector(counts.begin(), counts.end()), (std::vector{1, 1, 0, 3}));
      EXPECT_EQ(ex.ranks().sent() - before, 4 * 2 * (p - 1) * div_up(index_t{4}, p));

      auto const none = ex.template replicate<int>(0);
      ravel::histogram(ex, in, none);
    }
  });
}

TEST(DistributedHistogram, OfManyBinsAndElements) {
  auto const all = zipf_keys(5000);
  auto const bin = [](key x) { return static_cast<int>(x % 1000); };
  std::vector<index_t> expected(1000);
  for (key const x : all) ++expected[x % 1000];
  on_groups([&](auto const& ex) {
    auto const in = distributed::from(ex, all);
    auto const counts = ex.template replicate<index_t>(1000);
    ravel::histogram(ex, in, counts, bin);
    EXPECT_EQ(std::vector(counts.begin(), counts.end()), expected);
  });
}

}  // namespace
}  // namespace ravel::testing::split_test
