#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/histogram.hpp>
#include <ravel/distributed/map.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/runs.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/segmented_scan.hpp>
#include <ravel/distributed/segments.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::deferred_test {
namespace {

cpu::sequential const alone;
template <class T>
using on_all = distributed::sequence<T, on_ranks>;

std::vector<int> const numbers{3, 1, 0, 0, 2, 4, 0, 1, 5, 0, 0, 2, 2, 0, 1, 3, 0, 7, 0, 0};
constexpr index_t n = 20;

std::vector<int> scanned() {
  std::vector<int> sums(n);
  inclusive_scan(alone, numbers, sums);
  return sums;
}

template <class T>
std::vector<T> first_of(std::vector<T> const& all, index_t k) {
  return {all.begin(), all.begin() + k};
}

/// f(ex, x, s) in all placements of x, where s is the source of a deferred scan of x; and expects that no
/// rank has settled the scan.
template <class F>
void read_deferred(F const& f) {
  on_groups([&](auto const& ex) {
    for (auto const& begins : placements(n, ex.ranks().size())) {
      auto const x = placed(ex, numbers, begins);
      on_all<int> y(ex, x);
      auto const scan = distributed::deferred_inclusive_scan(ex, x, y);
      std::vector<int> const pieces(y.begin(), y.end());
      f(ex, x, scan.source());
      EXPECT_EQ(std::vector<int>(y.begin(), y.end()), pieces);
    }
  });
}

struct is_odd {
  bool operator()(int i) const { return i % 2 != 0; }
};

TEST(DeferredScan, CompactionsApplyTheCarry) {
  auto const sums = scanned();
  std::vector<int> odd(n), flagged(n), distinct(n);
  index_t const odds = filter_sync(alone, sums, is_odd{}, odd);
  index_t const flags = pack_sync(alone, sums, numbers, flagged);
  index_t const values = unique_sync(alone, sums, distinct);
  read_deferred([&](auto const& ex, auto const& x, auto const& s) {
    on_all<int> z(ex, x);
    auto const before = ex.ranks().sent();
    EXPECT_EQ(filter_sync(ex, s, is_odd{}, z), odds);
    EXPECT_EQ(ex.ranks().sent() - before, sizeof(index_t) * (ex.ranks().size() - 1));
    EXPECT_EQ(everywhere(ex, z), first_of(odd, odds));
    EXPECT_EQ(pack_sync(ex, s, x, z), flags);
    EXPECT_EQ(everywhere(ex, z), first_of(flagged, flags));
    EXPECT_EQ(unique_sync(ex, s, z), values);
    EXPECT_EQ(everywhere(ex, z), first_of(distinct, values));
  });
}

TEST(DeferredScan, RunsApplyTheCarry) {
  auto const sums = scanned();
  std::vector<int> keys(n), lengths(n), k(n), v(n), k2(n), v2(n);
  index_t const runs = run_length_encode_sync(alone, sums, keys, lengths);
  reduce_by_key_sync(alone, sums, numbers, k, v, maximum{});
  index_t const of_numbers = reduce_by_key_sync(alone, numbers, sums, k2, v2, maximum{});
  read_deferred([&](auto const& ex, auto const& x, auto const& s) {
    on_all<int> a(ex, x), b(ex, x);
    EXPECT_EQ(run_length_encode_sync(ex, s, a, b), runs);
    EXPECT_EQ(everywhere(ex, a), first_of(keys, runs));
    EXPECT_EQ(everywhere(ex, b), first_of(lengths, runs));
    EXPECT_EQ(reduce_by_key_sync(ex, s, x, a, b, maximum{}), runs);
    EXPECT_EQ(everywhere(ex, a), first_of(k, runs));
    EXPECT_EQ(everywhere(ex, b), first_of(v, runs));
    EXPECT_EQ(reduce_by_key_sync(ex, x, s, a, b, maximum{}), of_numbers);
    EXPECT_EQ(everywhere(ex, a), first_of(k2, of_numbers));
    EXPECT_EQ(everywhere(ex, b), first_of(v2, of_numbers));
  });
}

TEST(DeferredScan, MapsReductionsAndHistogramsApplyTheCarry) {
  auto const sums = scanned();
  std::vector<int> bins(12), expected(n);
  histogram(alone, sums, bins, by_width(0, 3));
  inclusive_scan(alone, sums, expected, maximum{});
  read_deferred([&](auto const& ex, auto const& x, auto const& s) {
    auto const counts = ex.template replicate<int>(12);
    histogram(ex, s, counts, by_width(0, 3));
    EXPECT_EQ(std::vector<int>(counts.begin(), counts.end()), bins);
    on_all<int> z(ex, x);
    auto const difference = [](auto const& p) { return p.first - p.second; };
    map(ex, difference, z, zip_source(s, x));
    auto const of_all = everywhere(ex, z);
    for (index_t i = 0; i < n; ++i) EXPECT_EQ(of_all[i], i == 0 ? 0 : sums[i - 1]);
    inclusive_scan(ex, s, z, maximum{});
    EXPECT_EQ(everywhere(ex, z), expected);
    EXPECT_EQ(reduce_sync(ex, s), reduce_sync(alone, sums));
  });
}

TEST(DeferredScan, SegmentedCallsApplyTheCarry) {
  auto const sums = scanned();
  std::vector<int> const offsets{0, 3, 3, 11, 12, 20}, lengths{3, 0, 8, 1, 8};
  std::vector<int> heads(n), keys(n);
  for (int const o : {0, 3, 11, 12}) heads[o] = 1;
  inclusive_scan(alone, heads, keys);
  std::vector<int> of_five(5), of_four(4), uniform_of_four(5), through(n), before(n);
  segmented_reduce(alone, sums, by_offsets(offsets), of_five);
  segmented_reduce(alone, sums, by_heads(heads), of_four);
  segmented_reduce(alone, sums, uniform(5, 4), uniform_of_four);
  segmented_inclusive_scan(alone, sums, by_offsets(offsets), through);
  segmented_exclusive_scan(alone, sums, by_offsets(offsets), before);
  std::vector<int> of_chunks(n);
  segmented_inclusive_scan(alone, sums, uniform(5, 4), of_chunks);
  read_deferred([&](auto const& ex, auto const& x, auto const& s) {
    auto const o = from(ex, offsets), l = from(ex, lengths);
    std::vector<index_t> const begins(x.begins().begin(), x.begins().end());
    auto const h = placed(ex, heads, begins), k = placed(ex, keys, begins);
    auto five = ex.template allocate<int>(5), four = ex.template allocate<int>(4);
    on_all<int> z(ex, x);
    segmented_reduce(ex, s, by_offsets(o), five);
    EXPECT_EQ(everywhere(ex, five), of_five);
    segmented_reduce(ex, s, by_lengths(l), five);
    EXPECT_EQ(everywhere(ex, five), of_five);
    segmented_reduce(ex, s, by_heads(h), four);
    EXPECT_EQ(everywhere(ex, four), of_four);
    segmented_reduce(ex, s, by_keys(k), four);
    EXPECT_EQ(everywhere(ex, four), of_four);
    segmented_reduce(ex, s, uniform(5, 4), five);
    EXPECT_EQ(everywhere(ex, five), uniform_of_four);

    segmented_inclusive_scan(ex, s, by_offsets(o), z);
    EXPECT_EQ(everywhere(ex, z), through);
    segmented_inclusive_scan(ex, s, by_heads(h), z);
    EXPECT_EQ(everywhere(ex, z), through);
    segmented_exclusive_scan(ex, s, by_lengths(l), z);
    EXPECT_EQ(everywhere(ex, z), before);
    segmented_exclusive_scan(ex, s, by_keys(k), z);
    EXPECT_EQ(everywhere(ex, z), before);
    segmented_inclusive_scan(ex, s, uniform(5, 4), z);
    EXPECT_EQ(everywhere(ex, z), of_chunks);
  });
}

// Both ranks find it: the sentence is of the one that is first.
TEST(DeferredScan, OtherPiecesAreASentence) {
  auto const error = error_of([] {
    distributed::run_ranks(2, [](auto const& ranks) {
      on_ranks const ex(cpu::sequential(), ranks);
      auto const x = distributed::from(ex, std::vector{1, 2, 4, 3});
      auto const flags = placed(ex, std::vector{1, 1, 0, 1}, {0, 1, 4});
      on_all<int> y(ex, x), z(ex, x);
      auto const scan = distributed::deferred_inclusive_scan(ex, x, y);
      pack_sync(ex, scan.source(), flags, z);
    });
  });
  EXPECT_TRUE(error == "rank 0: pack_sync: a source has 2 elements, and a sequence 1" ||
              error == "rank 1: pack_sync: a source has 2 elements, and a sequence 3")
      << error;
}

}  // namespace
}  // namespace ravel::testing::deferred_test
