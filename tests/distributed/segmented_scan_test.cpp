#include <ravel/distributed/segmented_scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::segmented_scan_test {
namespace {

/// x -> a x + b, composed from left to right: a monoid that is not commutative.
struct line {
  std::int64_t a = 1, b = 0;
  friend bool operator==(line const&, line const&) = default;
};
struct compose_lines {
  line identity() const { return {}; }
  line operator()(line const& f, line const& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};

/// The flags of segments: a few, none beyond the first element, each element, one in the middle.
std::vector<std::vector<int>> flags(index_t n) {
  std::vector<int> few(n), none(n), every(n, 1), middle(n);
  for (index_t i = 0; i < n; ++i) few[i] = i % 7 == 3 || i % 11 == 5;
  if (n > 0) middle[n / 2] = 1;
  return {few, none, every, middle};
}

/// call(ex, x, heads, y) gives on ranks what it gives on one, in every placement.
template <class F>
void is_as_on_one(index_t n, F const& call) {
  std::vector<line> all;
  for (index_t i = 0; i < n; ++i) all.push_back({i % 3 == 0 ? -1 : 1, i % 7 - 3});
  for (auto const& heads : flags(n)) {
    std::vector<line> expected(n);
    call(cpu::sequential(), all, heads, expected);
    on_groups([&](auto const& ex) {
      for (auto const& begins : placements(n, ex.ranks().size())) {
        auto const x = placed(ex, all, begins);
        auto const h = placed(ex, heads, begins);
        distributed::sequence<line, on_ranks> y(ex, x);
        auto const before = ex.ranks().sent();
        call(ex, x, h, y);
        EXPECT_EQ(ex.ranks().sent() - before,
                  (sizeof(flagged<line>) + 2) * (ex.ranks().size() - 1));
        EXPECT_EQ(everywhere(ex, y), expected);
      }
    });
  }
}

TEST(DistributedSegmentedScan, ForwardInclusive) {
  for (index_t const n : {0, 1, 29}) {
    is_as_on_one(n, [](auto const& ex, auto const& x, auto const& heads, auto& y) {
      ravel::segmented_inclusive_scan(ex, x, by_heads(heads), y, compose_lines{});
    });
  }
}

TEST(DistributedSegmentedScan, BackwardExclusiveFromAValue) {
  is_as_on_one(29, [](auto const& ex, auto const& x, auto const& heads, auto& y) {
    ravel::segmented_exclusive_scan(ex, x, by_heads(heads), y, compose_lines{}, backward,
                                    from(line{2, 5}));
  });
}

TEST(DistributedSegmentedScan, ForwardExclusiveFromAValue) {
  is_as_on_one(29, [](auto const& ex, auto const& x, auto const& heads, auto& y) {
    ravel::segmented_exclusive_scan(ex, x, by_heads(heads), y, compose_lines{}, from(line{2, 5}));
  });
}

/// Of numbers, the last segment of a piece alone is read for the carry of its rank.
TEST(DistributedSegmentedScan, OfNumbers) {
  auto const for_each_scan = [](auto const& is_right) {
    is_right([](auto const& ex, auto const& x, auto const& segments, auto& y) {
      segmented_inclusive_scan(ex, x, segments, y);
    });
    is_right([](auto const& ex, auto const& x, auto const& segments, auto& y) {
      segmented_inclusive_scan(ex, x, segments, y, maximum{}, backward, from(3));
    });
    is_right([](auto const& ex, auto const& x, auto const& segments, auto& y) {
      segmented_exclusive_scan(ex, x, segments, y, plus{}, from(-7));
    });
    is_right([](auto const& ex, auto const& x, auto const& segments, auto& y) {
      segmented_exclusive_scan(ex, x, segments, y, plus{}, backward);
    });
  };
  for (index_t const n : {1, 65, 300, 530'000}) {
    std::vector<int> all(n), keys(n);
    for (index_t i = 0; i < n; ++i) all[i] = static_cast<int>(i * 37 % 101) - 50;
    for (auto const& heads : flags(n)) {
      for (index_t i = 1; i < n; ++i) keys[i] = keys[i - 1] + (heads[i] != 0);
      on_groups([&](auto const& ex) {
        auto const begins = placements(n, ex.ranks().size()).back();
        auto const x = placed(ex, all, begins), h = placed(ex, heads, begins),
                   k = placed(ex, keys, begins);
        for_each_scan([&](auto const& scan) {
          std::vector<int> expected(n);
          scan(cpu::sequential(), all, by_heads(heads), expected);
          auto const is_expected = [&](auto const& y) {
            EXPECT_TRUE(std::equal(y.begin(), y.end(), expected.begin() + y.first()));
          };
          auto y = placed(ex, all, begins);
          scan(ex, y, by_heads(h), y);
          is_expected(y);
          scan(ex, x, by_keys(k), y);
          is_expected(y);
        });
      });
    }
  }
}

TEST(DistributedSegmentedScan, ByKeys) {
  std::vector<int> const all{3, 1, 2, 4, 1, 5}, keys{7, 7, 7, 4, 4, 7};
  on_groups([&](auto const& ex) {
    for (auto const& begins : placements(6, ex.ranks().size())) {
      auto const x = placed(ex, all, begins), k = placed(ex, keys, begins);
      auto y = placed(ex, all, begins);
      auto const before = ex.ranks().sent();
      ravel::segmented_inclusive_scan(ex, x, by_keys(k), y);
      EXPECT_EQ(ex.ranks().sent() - before,
                (sizeof(flagged<int>) + 3 * sizeof(int)) * (ex.ranks().size() - 1));
      EXPECT_EQ(everywhere(ex, y), (std::vector{3, 4, 6, 4, 5, 5}));
    }
  });
}

}  // namespace
}  // namespace ravel::testing::segmented_scan_test
