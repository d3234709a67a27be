#include <ravel/distributed/merge.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "distributed/keys.hpp"
#include "distributed/ranks.hpp"

namespace ravel::testing::merge_test {
namespace {

struct card {
  int key, id;
  friend bool operator==(card const&, card const&) = default;
};
struct by_key {
  bool operator()(card const& x, card const& y) const { return x.key < y.key; }
};

/// A merge of a and b, in all placements, is `expected`; a rank sends what others get, and samples.
template <class T, class Before>
void expect_merged(std::vector<T> const& a, std::vector<T> const& b, Before before,
                   index_t bytes_of_element) {
  std::vector<T> expected(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), before);
  on_groups([&](auto const& ex) {
    int const p = ex.ranks().size();
    auto const of_a = placements(std::ssize(a), p), of_b = placements(std::ssize(b), p);
    for (std::size_t s = 0; s < of_a.size(); ++s) {
      auto const x = placed(ex, a, of_a[s]), y = placed(ex, b, of_b[(s + 1) % of_b.size()]);
      distributed::sequence<T, on_ranks> z(
          ex, placements(std::ssize(expected), p)[(s + 2) % of_a.size()]);
      auto const begin = ex.ranks().sent();
      merge(ex, x, y, z, before);
      auto const sent = static_cast<index_t>(ex.ranks().sent() - begin);
      EXPECT_LE(sent, bytes_of_element * (x.size() + y.size()) +
                          (p > 1 ? bytes_of_splitters(p, 4, bytes_of_element) : 0));
      EXPECT_EQ(everywhere(ex, z), expected);
    }
  });
}

TEST(DistributedMerge, OfNumbers) {
  auto a = random_keys(500, 300), b = random_keys(301, 300, 2);
  std::ranges::sort(a);
  std::ranges::sort(b);
  expect_merged(a, b, less{}, 4);
  expect_merged(a, {}, less{}, 4);
}

TEST(DistributedMerge, EqualElementsOfTheFirstPrecedeThoseOfTheSecond) {
  std::vector<card> a, b;
  for (int i = 0; i < 70; ++i) a.push_back({i / 30, i});
  for (int i = 0; i < 90; ++i) b.push_back({i / 40, 100 + i});
  expect_merged(a, b, by_key{}, 12);
}

TEST(DistributedMerge, PairsKeepTheValuesOfEqualKeysInOrder) {
  auto a = random_keys(200, 30), b = random_keys(131, 30, 2);
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<std::int64_t> in_a(a.size()), in_b(b.size(), 1000);
  std::iota(in_a.begin(), in_a.end(), 0);
  std::iota(in_b.begin(), in_b.end(), 1000);
  std::vector<std::uint32_t> keys(331);
  std::vector<std::int64_t> values(331);
  merge_pairs(cpu::sequential(), a, in_a, b, in_b, keys, values);
  on_groups([&](auto const& ex) {
    int const p = ex.ranks().size();
    auto const of_a = placements(200, p), of_b = placements(131, p), of_out = placements(331, p);
    for (std::size_t s = 0; s < of_a.size(); ++s) {
      auto const& at_b = of_b[(s + 1) % of_b.size()];
      auto const& at_out = of_out[(s + 2) % of_out.size()];
      auto const x = placed(ex, a, of_a[s]), y = placed(ex, b, at_b);
      auto const vx = placed(ex, in_a, of_a[s]), vy = placed(ex, in_b, at_b);
      distributed::sequence<std::uint32_t, on_ranks> z(ex, at_out);
      distributed::sequence<std::int64_t, on_ranks> vz(ex, at_out);
      auto const begin = ex.ranks().sent();
      merge_pairs(ex, x, vx, y, vy, z, vz);
      EXPECT_LE(ex.ranks().sent() - begin,
                (8 + 8) * (x.size() + y.size()) + (p > 1 ? bytes_of_splitters(p, 4, 8) : 0));
      EXPECT_EQ(everywhere(ex, z), keys);
      EXPECT_EQ(everywhere(ex, vz), values);
    }
  });
}

TEST(DistributedMerge, SizesThatDoNotFitAreRefused) {
  EXPECT_EQ(error_of([] {
              distributed::run_ranks(2, [](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                auto const a = from(ex, std::vector{1, 3}), b = from(ex, std::vector{2});
                auto out = ex.template allocate<int>(4);
                merge(ex, a, b, out);
              });
            }).substr(8),
            "merge: a has 2 elements, b 1, and out 4");
}

}  // namespace
}  // namespace ravel::testing::merge_test
