/// What calls send, against the bound that their docstrings state: of the calls whose own tests do not
/// compare it.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/delta.hpp>
#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/histogram.hpp>
#include <ravel/distributed/map.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/pipelines.hpp>
#include <ravel/distributed/runs.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/searches.hpp>
#include <ravel/distributed/segmented_sort.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/primitives/linear_recurrence.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "distributed/keys.hpp"
#include "distributed/ranks.hpp"

namespace ravel::testing::volume_test {
namespace {

constexpr index_t n = 1000;
template <class T>
using on_all = distributed::sequence<T, on_ranks>;

std::vector<int> numbers() {
  std::vector<int> all(n);
  for (index_t i = 0; i < n; ++i) all[i] = static_cast<int>(i * 37 % 101);
  return all;
}
constexpr auto is_small = [](int i) { return i < 50; };

/// What one rank sends in a call, and what that may be.
struct volume {
  on_ranks const& ex;

  template <class F>
  index_t of(F const& call) const {
    auto const before = ex.ranks().sent();
    call();
    return static_cast<index_t>(ex.ranks().sent() - before);
  }
  index_t others() const { return ex.ranks().size() - 1; }
  template <class F>
  void is(index_t bytes_to_each, char const* name, F const& call) const {
    EXPECT_EQ(of(call), bytes_to_each * others()) << name;
  }
  template <class F>
  void is_at_most(index_t bytes_to_each, char const* name, F const& call) const {
    EXPECT_LE(of(call), bytes_to_each * others()) << name;
  }
};

/// f(volume, x, y, z) for x in every placement, with room for results in y and z.
template <class F>
void in_placements(F const& f) {
  on_groups([&](auto const& ex) {
    for (auto const& begins : placements(n, ex.ranks().size())) {
      auto const x = placed(ex, numbers(), begins);
      on_all<int> y(ex, x), z(ex, x);
      f(volume{ex}, x, y, z);
    }
  });
}

TEST(DistributedVolume, MapsSendNothing) {
  in_placements([](volume const& v, auto const& x, auto& y, auto&) {
    auto const& ex = v.ex;
    auto const one = ex.template replicate<int>(1);
    v.is(0, "transform", [&] { transform(ex, x, y, [](int i) { return i + 1; }); });
    v.is(0, "for_each", [&] { for_each(ex, y, [](int& i) { ++i; }); });
    v.is(0, "iota", [&] { iota(ex, y); });
    v.is(0, "distribute", [&] { distribute(ex, 7, y); });
    v.is(0, "distribute of an element", [&] { distribute(ex, one, y); });
  });
}

TEST(DistributedVolume, ScansSendACarry) {
  in_placements([](volume const& v, auto const& x, auto& y, auto&) {
    auto const& ex = v.ex;
    auto const total = ex.template replicate<int>(1);
    v.is(4, "deferred_exclusive_scan",
         [&] { distributed::deferred_exclusive_scan(ex, x, y).settle(); });
    v.is(4, "exclusive_scan with its options",
         [&] { exclusive_scan(ex, x, y, maximum{}, backward, from(3), total_to(total)); });
    v.is(4, "delta_decode", [&] { delta_decode(ex, x, y); });
    v.is_at_most(3 * 4 * 4 + 8, "inclusive_scan of an order and of tuples",
                 [&] { inclusive_scan(ex, x, y, plus{}, of_order<2>, of_tuples<3>); });
    v.is_at_most(2 * 6 * 4 + 8, "linear_recurrence of tuples", [&] {
      linear_recurrence(ex, x, coefficients{3, 5}, y, of_tuples<2>);
    });
  });
}

TEST(DistributedVolume, PacksAndRunsSendNumbersAndEdges) {
  in_placements([](volume const& v, auto const& x, auto& y, auto& z) {
    auto const& ex = v.ex;
    v.is(8, "pack_index_sync", [&] { pack_index_sync(ex, x, y); });
    v.is_at_most(16 + 8, "unique_sync", [&] { unique_sync(ex, x, y); });
    v.is_at_most(24 + 16, "run_length_encode_sync", [&] { run_length_encode_sync(ex, x, y, z); });
    v.is_at_most(24 + 16, "reduce_by_key_sync with from",
                 [&] { reduce_by_key_sync(ex, x, x, y, z, plus{}, from(3)); });
  });
}

TEST(DistributedVolume, SearchesSendWhatTheyFind) {
  in_placements([](volume const& v, auto const& x, auto&, auto&) {
    auto const& ex = v.ex;
    auto const places = ex.template replicate<index_t>(2);
    v.is(1, "any_of_sync", [&] { any_of_sync(ex, x, is_small); });
    v.is(1, "all_of_sync", [&] { all_of_sync(ex, x, is_small); });
    v.is(1, "none_of_sync", [&] { none_of_sync(ex, x, is_small); });
    v.is_at_most(24, "is_sorted_sync", [&] { is_sorted_sync(ex, x); });
    v.is_at_most(24, "is_partitioned_sync", [&] { is_partitioned_sync(ex, x, is_small); });
    v.is_at_most(24, "max_element_sync", [&] { max_element_sync(ex, x); });
    v.is_at_most(48, "minmax_element", [&] { minmax_element(ex, x, places); });
    v.is_at_most(24, "lexicographical_compare_sync",
                 [&] { lexicographical_compare_sync(ex, x, x); });
    auto const other = from(ex, numbers());
    index_t const sent = v.of([&] { mismatch_sync(ex, x, other); });
    EXPECT_LE(sent, 4 * other.size() + 24 * v.others()) << "mismatch_sync of other pieces";
    auto const what = from(ex, std::vector(10, -1));
    index_t const searched = v.of([&] { search_sync(ex, x, what); });
    EXPECT_LE(searched,
              (24 + 4 * div_up(index_t{10}, index_t{ex.ranks().size()}) + 4 * 9) * v.others())
        << "search_sync";
  });
}

TEST(DistributedVolume, SegmentsOnOneRankStayThere) {
  on_groups([](auto const& ex) {
    volume const v{ex};
    index_t const p = ex.ranks().size(), each = 8 * 16;
    auto const all = random_keys(p * each, 1000);
    auto const x = from(ex, all);
    on_all<std::uint32_t> y(ex, x), z(ex, x);
    index_t const counts = 64;
    v.is_at_most(counts, "segmented_sort",
                 [&] { segmented_sort(ex, x, uniform(8 * p, 16), y, descending); });
    v.is_at_most(counts, "segmented_sort_pairs",
                 [&] { segmented_sort_pairs(ex, x, x, uniform(8 * p, 16), y, z); });
    // One segment of all: each element that another rank gets, with 8 bytes, and samples as a sort.
    index_t const sent = v.of([&] { segmented_sort(ex, x, uniform(1, p * each), y); });
    EXPECT_LE(sent, (4 + 8) * each + (p > 1 ? bytes_of_splitters(p, 3, 12) : 0));
  });
}

TEST(DistributedVolume, SelectionsByAnOrderSendTheirElements) {
  in_placements([](volume const& v, auto const& x, auto&, auto&) {
    auto least = v.ex.template allocate<int>(10);
    v.is_at_most(8 + 4 * 10, "top_k by an order",
                 [&] { top_k(v.ex, x, least, [](int a, int b) { return a % 10 < b % 10; }); });
  });
}

TEST(DistributedVolume, PipelinesSendWhatTheirCallsSend) {
  in_placements([](volume const& v, auto const& x, auto& y, auto&) {
    auto const& ex = v.ex;
    v.is(4, "reduce",
         [&] { (on(ex, x) | map([](int i) { return 2 * i; }) | reduce(plus{})).get(); });
    v.is(8, "count", [&] { (on(ex, x) | filter(is_small) | count()).get(); });
    v.is_at_most(1, "any_of", [&] { (on(ex, x) | any_of(is_small)).get(); });
    v.is_at_most(16, "find_if", [&] { (on(ex, x) | find_if(is_small)).get(); });
    v.is_at_most(16 + 8 + 2 * 8, "unique", [&] { on(ex, x) | unique() | into(y); });
  });
}

}  // namespace
}  // namespace ravel::testing::volume_test
