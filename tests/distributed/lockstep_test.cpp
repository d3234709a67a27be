#include <ravel/distributed/checked.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/group_by.hpp>
#include <ravel/distributed/histogram.hpp>
#include <ravel/distributed/list_rank.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/same_everywhere.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/segments.hpp>
#include <ravel/distributed/sort.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::lockstep_test {
namespace {

using checked_ranks = distributed::checked<distributed::in_process>;
using on_checked = distributed::executor<cpu::sequential, checked_ranks>;

template <class F>
void on_checked_ranks(int size, F const& f) {
  distributed::run_ranks(size, [&](distributed::in_process const& ranks) {
    f(on_checked(cpu::sequential(), checked_ranks(ranks)));
  });
}

TEST(DistributedLockstep, EveryRankMakesTheSameCallsWhateverItsPiece) {
  index_t const n = 200;
  std::vector<int> numbers(n), order(n), next(n), ranks(n);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    numbers[i] = static_cast<int>(i * 37 % 11);
    next[i] = i + 1 < order.size() ? order[i + 1] : -1;
    ranks[i] = static_cast<int>(i);
  }
  std::vector<int> const offsets{0, 3, 3, 190, 200};
  for (int const size : {1, 2, 3, 8}) {
    on_checked_ranks(size, [&](on_checked const& ex) {
      for (auto const& shape : placements(n, size)) {
        auto const x = placed(ex, numbers, shape);
        distributed::sequence<int, on_checked> y(ex, x), z(ex, x);
        EXPECT_EQ(reduce_sync(ex, x), reduce_sync(cpu::sequential(), numbers));
        inclusive_scan(ex, x, y);
        filter_sync(
            ex, x, [](int i) { return i > 5; }, z);
        distributed::sequence<int, on_checked> sorted(ex, x), keys(ex, n), counts(ex, n);
        radix_sort(ex, x, sorted);
        auto const ones = placed(ex, std::vector<int>(n, 1), shape);
        EXPECT_EQ(group_by_sync(ex, x, ones, keys, counts), 11);

        auto const bins = ex.template replicate<int>(11);
        histogram(ex, x, bins);
        auto const by = from(ex, offsets);
        auto sums = ex.template allocate<int>(4);
        segmented_reduce(ex, x, by_offsets(by), sums);
        auto const links = placed(ex, next, shape);
        distributed::sequence<int, on_checked> ranked(ex, links), taken(ex, links);
        list_rank(ex, links, ranked);
        EXPECT_EQ(everywhere(ex, ranked), ranks);
        gather(ex, x, ranked, taken);
        EXPECT_EQ(everywhere(ex, taken), numbers);
        auto const f = placed(ex, std::vector<float>(n, 0.5F), shape);
        EXPECT_EQ(reduce_sync(same_everywhere(ex), f), 100);
      }
    });
  }
}

}  // namespace
}  // namespace ravel::testing::lockstep_test
