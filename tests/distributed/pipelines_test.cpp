#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/pipelines.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::ranks_pipelines_test {
namespace {

struct twice {
  RAVEL_HD int operator()(int x) const { return 2 * x; }
};
struct is_odd {
  RAVEL_HD bool operator()(int x) const { return x % 2 != 0; }
};
struct is_positive {
  RAVEL_HD bool operator()(int x) const { return x > 0; }
};

std::vector<int> numbers(int n) {
  std::vector<int> all(n);
  for (int i = 0; i < n; ++i) all[i] = i * 37 % 11 - 4;
  return all;
}

/// Calls test(ex, x, y) on groups of ranks with n numbers in x, in pieces of many kinds, and y as x.
template <class F>
void on_numbers(int n, F const& test) {
  auto const all = numbers(n);
  on_groups([&](auto const& ex) {
    for (auto const& begins : placements(n, ex.ranks().size())) {
      auto const x = placed(ex, all, begins);
      distributed::sequence<int, on_ranks> y(ex, x);
      test(ex, x, y);
    }
  });
}

/// Stages are fused into the pass over the piece of each rank, and carries are exchanged once.
TEST(DistributedPipelines, SendTheCarryOfAPass) {
  auto const all = numbers(29);
  std::vector<int> sums(29), doubled = all;
  for (int& i : doubled) i *= 2;
  on(cpu::sequential(), all) | map(twice{}) | inclusive_scan(plus{}) | into(sums);
  on_numbers(29, [&](auto const& ex, auto const& x, auto& y) {
    std::uint64_t const others = ex.ranks().size() - 1;
    auto const before = ex.ranks().sent();
    EXPECT_EQ(on(ex, x) | map(twice{}) | into(y), 29);
    EXPECT_EQ(ex.ranks().sent(), before);
    EXPECT_EQ(everywhere(ex, y), doubled);
    auto const then = ex.ranks().sent();
    on(ex, x) | map(twice{}) | inclusive_scan(plus{}) | into(y);
    EXPECT_EQ(ex.ranks().sent() - then, sizeof(int) * others);
    EXPECT_EQ(everywhere(ex, y), sums);
  });
}

/// The results of the same stages on one machine and on ranks, and what the latter send.
template <class Stages>
void expect_as_on_one_machine(Stages const& stages, std::uint64_t bytes) {
  for (int const n : {0, 1, 2, 29, 400}) {
    auto const all = numbers(n);
    auto const expected = on(cpu::sequential(), all) | stages | to_vector();
    on_numbers(n, [&](auto const& ex, auto const& x, auto& y) {
      auto const before = ex.ranks().sent();
      auto const kept = on(ex, x) | stages | into(y);
      EXPECT_EQ(ex.ranks().sent() - before, bytes * (ex.ranks().size() - 1));
      if constexpr (requires { kept.get(); }) {
        EXPECT_EQ(kept.get(), std::ssize(expected));
      } else {
        EXPECT_EQ(kept, std::ssize(expected));
      }
      EXPECT_EQ(everywhere(ex, y), expected);
      EXPECT_EQ(everywhere(ex, on(ex, x) | stages | to_buffer()), expected);
    });
  }
}

TEST(DistributedPipelines, FiltersLeaveResultsWhereTheyAre) {
  expect_as_on_one_machine(filter(is_odd{}), 8);
  expect_as_on_one_machine(filter(is_odd{}) | map(twice{}), 8);
  expect_as_on_one_machine(map(twice{}) | filter(is_positive{}) | filter(is_odd{}), 8);
}

TEST(DistributedPipelines, ScansBetweenFilters) {
  expect_as_on_one_machine(filter(is_odd{}) | inclusive_scan(plus{}), 4 + 8);
  expect_as_on_one_machine(inclusive_scan(plus{}) | filter(is_odd{}) | map(twice{}), 4 + 8);
  expect_as_on_one_machine(
      map(twice{}) | filter(is_positive{}) | exclusive_scan(maximum{}, from(3)) | filter(is_odd{}),
      4 + 8);
  expect_as_on_one_machine(inclusive_scan(plus{}, backward) | map(twice{}), 4);
}

TEST(DistributedPipelines, ScansOfScans) {
  expect_as_on_one_machine(inclusive_scan(plus{}) | map(twice{}) | inclusive_scan(maximum{}), 8);
  expect_as_on_one_machine(filter(is_odd{}) | inclusive_scan(plus{}) | inclusive_scan(maximum{}),
                           8 + 8);
  expect_as_on_one_machine(inclusive_scan(plus{}) | filter(is_odd{}) | inclusive_scan(plus{}),
                           8 + 8);
}

TEST(DistributedPipelines, SourcesOfDeferredScans) {
  auto const all = numbers(29);
  std::vector<int> sums(29);
  sums.resize((on(cpu::sequential(), all) | inclusive_scan(plus{}) | filter(is_odd{}) |
               map(twice{}) | into(sums))
                  .get());
  on_numbers(29, [&](auto const& ex, auto const& x, auto& y) {
    distributed::sequence<int, on_ranks> z(ex, x);
    auto const scanned = distributed::deferred_inclusive_scan(ex, x, y);
    on(ex, scanned.source()) | filter(is_odd{}) | map(twice{}) | into(z);
    EXPECT_EQ(everywhere(ex, z), sums);
  });
}

TEST(DistributedPipelines, ForEachElementOnItsRank) {
  on_numbers(29, [](auto const& ex, auto const& x, auto&) {
    std::vector<int> seen;
    auto const before = ex.ranks().sent();
    on(ex, x) | filter(is_odd{}) | map(twice{}) | for_each([&](int i) { seen.push_back(i); });
    EXPECT_EQ(ex.ranks().sent(), before);
    std::vector<int> expected;
    for (int const i : x) {
      if (i % 2 != 0) expected.push_back(2 * i);
    }
    EXPECT_EQ(seen, expected);
  });
}

TEST(DistributedPipelines, ResultsOfAllRanks) {
  for (int const n : {0, 1, 29}) {
    auto const all = numbers(n);
    index_t const odd = std::ranges::count_if(all, is_odd{});
    int const sum = std::accumulate(all.begin(), all.end(), 0);
    index_t const first_odd = std::ranges::find_if(all, is_odd{}) - all.begin();
    on_numbers(n, [&](auto const& ex, auto const& x, auto&) {
      EXPECT_EQ((on(ex, x) | map(twice{}) | reduce(plus{})).get(), 2 * sum);
      EXPECT_EQ((on(ex, x) | filter(is_odd{}) | map([](int) { return 1; }) | reduce(plus{})).get(),
                odd);
      EXPECT_EQ((on(ex, x) | filter(is_odd{}) | count()).get(), odd);
      EXPECT_EQ((on(ex, x) | map(twice{}) | count()), n);
      EXPECT_EQ(
          (on(ex, x) | inclusive_scan(plus{}) | filter([](int) { return true; }) | count()).get(),
          n);
      EXPECT_EQ((on(ex, x) | find_if(is_odd{})).get(), first_odd);
      EXPECT_EQ((on(ex, x) | map(twice{}) | find_if(is_odd{})).get(), n);
      EXPECT_EQ((on(ex, x) | any_of(is_odd{})).get(), odd > 0);
      EXPECT_EQ((on(ex, x) | filter(is_odd{}) | none_of(is_odd{})).get(), odd == 0);
      EXPECT_TRUE((on(ex, x) | filter(is_odd{}) | all_of(is_odd{})).get());
    });
  }
}

/// The results of the same stages on one machine and on ranks.
template <class Stages>
void expect_results(Stages const& stages) {
  for (int const n : {0, 1, 2, 29}) {
    auto const all = numbers(n);
    auto const expected = on(cpu::sequential(), all) | stages | to_vector();
    auto const sum = (on(cpu::sequential(), all) | stages | reduce(plus{})).get();
    on_numbers(n, [&](auto const& ex, auto const& x, auto&) {
      EXPECT_EQ(everywhere(ex, on(ex, x) | stages | to_buffer()), expected);
      EXPECT_EQ((on(ex, x) | stages | reduce(plus{})).get(), sum);
      auto const some = on(ex, x) | stages | count();
      if constexpr (requires { some.get(); }) {
        EXPECT_EQ(some.get(), std::ssize(expected));
      } else {
        EXPECT_EQ(some, std::ssize(expected));
      }
    });
  }
}

TEST(DistributedPipelines, PlacesOfAllRanks) {
  expect_results(take(7));
  expect_results(map(twice{}) | drop(5));
  expect_results(filter(is_odd{}) | slice(2, 6) | inclusive_scan(plus{}));
  expect_results(inclusive_scan(plus{}) | take(20) | drop(3) | filter(is_odd{}));
}

TEST(DistributedPipelines, NeighboursOnOtherRanks) {
  expect_results(adjacent(plus<int>{}) | map(twice{}));
  expect_results(filter(is_odd{}) | adjacent(maximum{}));
  expect_results(adjacent_difference());
  expect_results(filter(is_positive{}) | adjacent_difference() | filter(is_odd{}));
}

TEST(DistributedPipelines, SortsAndWhatFollowsThem) {
  expect_results(sort());
  expect_results(map(twice{}) | sort(descending) | take(9));
  expect_results(filter(is_odd{}) | sort([](int a, int b) { return a > b; }));
  expect_results(sort() | unique() | inclusive_scan(plus{}));
  expect_results(top_k(5));
  expect_results(filter(is_positive{}) | top_k(3, descending) | map(twice{}));
}

TEST(DistributedPipelines, ZippedSequencesInTheSamePieces) {
  auto const all = numbers(29);
  std::vector<int> expected, sums(29);
  for (int const i : all) expected.push_back(3 * i);
  on(cpu::sequential(), all) | inclusive_scan(plus{}) | zip(all) | map(minus<int>{}) | into(sums);
  on_numbers(29, [&](auto const& ex, auto const& x, auto& y) {
    on(ex, x) | map(twice{}) | zip(x) | map(plus<int>{}) | into(y);
    EXPECT_EQ(everywhere(ex, y), expected);
    on(ex, zip(x, y)) | map([](int, int b) { return b; }) | into(y);
    EXPECT_EQ(everywhere(ex, y), expected);
    on(ex, x) | inclusive_scan(plus{}) | zip(x) | map(minus<int>{}) | into(y);
    EXPECT_EQ(everywhere(ex, y), sums);
  });
}

TEST(DistributedPipelines, ADestinationThatIsTooSmallIsASentenceOnAllRanks) {
  auto const said = error_of([] {
    distributed::run_ranks(2, [](auto const& ranks) {
      on_ranks const ex(cpu::sequential(), ranks);
      auto const x = placed(ex, std::vector<int>{1, 3, 5, 2}, {0, 3, 4});
      distributed::sequence<int, on_ranks> y(ex, 4);
      on(ex, x) | filter(is_odd{}) | into(y);
    });
  });
  EXPECT_EQ(
      said,
      "rank 0: into: pipeline: stage 2, into: there are 3 elements on this rank, and room for "
      "2");
}

}  // namespace
}  // namespace ravel::testing::ranks_pipelines_test
