#include <ravel/distributed/group_by.hpp>
#include <ravel/distributed/segmented_sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::grouping_test {
namespace {

TEST(DistributedSegmentedSort, SortsSegmentsOnSeveralRanks) {
  distributed::run_ranks(3, [](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    auto in = placed(ex, std::vector{3, 1, 2, 4, 1, 5}, {0, 2, 5, 6});
    auto const lengths = placed(ex, std::vector{3, 0, 2, 1}, {0, 2, 3, 4});
    ravel::segmented_sort(ex, in, by_lengths(lengths), in);
    EXPECT_EQ(everywhere(ex, in), (std::vector{1, 2, 3, 1, 4, 5}));
  });
}

TEST(DistributedSegmentedSort, IsRightInAnyPiecesAndMovesSegmentsOfSeveralRanksAlone) {
  std::mt19937 draw(1);
  for (index_t const n : {0, 20000}) {
    std::vector<int> all(n);
    for (int& x : all) x = static_cast<int>(draw() % 100) - 50;
    for (index_t const length : {1, 10, 5000}) {
      std::vector<int> offsets{0}, expected = all;
      while (offsets.back() < n) {
        auto const begin = expected.begin() + offsets.back();
        offsets.push_back(static_cast<int>(std::min(n, offsets.back() + length)));
        std::sort(begin, expected.begin() + offsets.back());
      }
      on_groups([&](auto const& ex) {
        index_t const p = ex.ranks().size();
        auto const by = from(ex, offsets);
        for (auto const& shape : placements(n, ex.ranks().size())) {
          auto const x = placed(ex, all, shape);
          distributed::sequence<int, on_ranks> y(ex, x);
          auto const before = ex.ranks().sent();
          ravel::segmented_sort(ex, x, by_offsets(by), y);
          // Elements with numbers of segments, offsets, and samples for the cuts.
          EXPECT_LE(ex.ranks().sent() - before,
                    16 * std::min(x.size(), 2 * length) + 4 * by.size() + 50000 + 8000 * p);
          EXPECT_EQ(everywhere(ex, y), expected);
        }
      });
    }
  }
}

TEST(DistributedSegmentedSort, TakesAllFormsOfSegmentsAndPairs) {
  index_t const n = 300;
  std::mt19937 draw(2);
  std::vector<int> all(n), heads(n), values(n);
  for (index_t i = 0; i < n; ++i) {
    all[i] = static_cast<int>(draw() % 10);
    heads[i] = i % 90 == 0;
    values[i] = static_cast<int>(i);
  }
  auto expected = all, places = values;
  segmented_sort_pairs(cpu::sequential(), all, values, by_heads(heads), expected, places,
                       descending);
  on_groups([&](auto const& ex) {
    for (auto const& shape : placements(n, ex.ranks().size())) {
      auto const x = placed(ex, all, shape), v = placed(ex, values, shape);
      auto const flags = placed(ex, heads, shape);
      auto y = ex.template allocate<int>(n), w = ex.template allocate<int>(n);
      auto const before = ex.ranks().sent();
      ravel::segmented_sort_pairs(ex, x, v, by_heads(flags), y, w, descending);
      index_t const p = ex.ranks().size();
      EXPECT_LE(ex.ranks().sent() - before, 20 * x.size() + 50000 + 8000 * p);
      EXPECT_EQ(everywhere(ex, y), expected);
      EXPECT_EQ(everywhere(ex, w), places);
      ravel::segmented_sort(ex, x, chunks(n, 90), y, descending);
      EXPECT_EQ(everywhere(ex, y), expected);
    }
  });
}

TEST(DistributedSegmentedSort, OfSegmentsOfOneLength) {
  index_t const n = 100;
  std::vector<int> all(n), values(n);
  for (index_t i = 0; i < n; ++i) {
    all[i] = static_cast<int>(i * 37 % 11);
    values[i] = static_cast<int>(i);
  }
  for (index_t const length : {1, 3, 7, 64, 99, 200}) {
    std::vector<int> expected(n), places(n);
    segmented_sort_pairs(cpu::sequential(), all, values, chunks(n, length), expected, places);
    on_groups([&](auto const& ex) {
      for (auto const& shape : placements(n, ex.ranks().size())) {
        auto x = placed(ex, all, shape), v = placed(ex, values, shape);
        distributed::sequence<int, on_ranks> y(ex, x), w(ex, x);
        ravel::segmented_sort_pairs(ex, x, v, chunks(n, length), y, w);
        EXPECT_EQ(everywhere(ex, y), expected);
        EXPECT_EQ(everywhere(ex, w), places);
        ravel::segmented_sort(ex, x, chunks(n, length), x);
        EXPECT_EQ(everywhere(ex, x), expected);
      }
    });
  }
}

/// Concatenates numbers of one digit: associative, and not commutative.
struct concatenate {
  struct digits {
    std::uint64_t value, scale;
  };
  static digits identity() { return {0, 1}; }
  digits operator()(digits x, digits y) const {
    return {x.value * y.scale + y.value, x.scale * y.scale};
  }
};

TEST(DistributedGroupBy, CombinesTheValuesOfAKeyInOrder) {
  distributed::run_ranks(3, [](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    using digits = concatenate::digits;
    auto const keys = placed(ex, std::vector<std::uint32_t>{3, 1, 3, 1, 1, 3}, {0, 3, 5, 6});
    std::vector<digits> all;
    for (std::uint64_t k = 1; k <= 6; ++k) all.push_back({k, 10});
    auto const values = placed(ex, all, {0, 3, 5, 6});
    auto out_keys = ex.template allocate<std::uint32_t>(6);
    auto out_values = ex.template allocate<digits>(6);
    EXPECT_EQ(group_by_sync(ex, keys, values, out_keys, out_values, concatenate{}), 2);
    EXPECT_EQ(everywhere(ex, out_keys), (std::vector<std::uint32_t>{1, 3}));
    auto const groups = everywhere(ex, out_values);
    EXPECT_EQ(groups[0].value, 245U);
    EXPECT_EQ(groups[1].value, 136U);
  });
}

TEST(DistributedGroupBy, SendsGroupsOfRanks) {
  std::mt19937 draw(1);
  index_t const n = 40000;
  for (std::uint32_t const distinct : {1U, 10U, 1U << 31}) {
    std::vector<std::uint32_t> all(n);
    std::map<std::uint32_t, concatenate::digits> expected;
    std::vector<concatenate::digits> ones(n, {1, 1});
    for (auto& k : all) {
      k = static_cast<std::uint32_t>(draw()) % distinct;
      ++expected.try_emplace(k, concatenate::digits{0, 1}).first->second.value;
    }
    on_groups([&](auto const& ex) {
      index_t const p = ex.ranks().size();
      auto const keys = from(ex, all);
      auto const values = from(ex, ones);
      auto out_keys = ex.template allocate<std::uint32_t>(n);
      auto out_values = ex.template allocate<concatenate::digits>(n);
      auto const before = ex.ranks().sent();
      index_t const groups = group_by_sync(ex, keys, values, out_keys, out_values, concatenate{});
      // Groups of 20 bytes, and samples for the cuts, which are all keys if those are few.
      index_t const samples = distinct > 10 ? 50000 + 8000 * p : (p - 1) * (600 + 320 * p);
      EXPECT_LE(ex.ranks().sent() - before,
                20 * std::min<index_t>(n / p * (p - 1) / p + n / 100, distinct) + samples);
      EXPECT_EQ(groups, std::ssize(expected));
      auto const found = everywhere(ex, out_keys);
      auto const sums = everywhere(ex, out_values);
      std::size_t k = 0;
      for (auto const& [key, sum] : expected) {
        EXPECT_EQ(found[k], key);
        EXPECT_EQ(sums[k++].value, sum.value);
      }
    });
  }
}

TEST(DistributedGroupBy, TooLittleRoomIsASentenceOfThisCall) {
  EXPECT_EQ(error_of([] {
              distributed::run_ranks(1, [](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                auto const keys = from(ex, std::vector<std::uint32_t>{3, 1, 3});
                auto out = ex.template allocate<std::uint32_t>(1);
                group_by_sync(ex, keys, keys, out, out);
              });
            }),
            "rank 0: group_by_sync: out_keys has room for 1 runs, and there are 2");
}

}  // namespace
}  // namespace ravel::testing::grouping_test
