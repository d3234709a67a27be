#include <ravel/distributed/list_rank.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "distributed/ranks.hpp"
#include "support/briefly.hpp"

namespace ravel::testing::list_rank_test {
namespace {

struct lists {
  std::vector<int> next, ranks;
};

/// n nodes in a given order, in lists of `length` nodes.
lists lists_of(std::vector<int> const& order, std::size_t length) {
  lists l{std::vector<int>(order.size()), std::vector<int>(order.size())};
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto const node = static_cast<std::size_t>(order[i]);
    bool const is_last = (i + 1) % length == 0 || i + 1 == order.size();
    l.next[node] = !is_last ? order[i + 1] : i % 2 == 0 ? order[i] : -1;
    l.ranks[node] = static_cast<int>(i % length);
  }
  return l;
}

TEST(DistributedListRank, CountsTheNodesBefore) {
  distributed::run_ranks(3, [](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    auto const next = placed(ex, std::vector{4, 2, -1, 0, -1}, {0, 2, 4, 5});
    distributed::sequence<int, on_ranks> out(ex, next);
    ravel::list_rank(ex, next, out);
    EXPECT_EQ(everywhere(ex, out), (std::vector{1, 0, 1, 0, 2}));
  });
}

TEST(DistributedListRank, IsRightInAnyPieces) {
  std::vector<int> order(100);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (std::size_t const length : {1, 7, 100}) {
    auto const l = lists_of(order, length);
    on_groups([&](auto const& ex) {
      for (auto const& shape : placements(100, ex.ranks().size())) {
        auto const next = placed(ex, l.next, shape);
        distributed::sequence<int, on_ranks> out(ex, next);
        ravel::list_rank(ex, next, out);
        EXPECT_EQ(everywhere(ex, out), l.ranks);
      }
    });
  }
}

THOROUGH_TEST(DistributedListRank, OfRanksWithSeveralThreads) {
  std::vector<int> order(30'000);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(4));
  auto const l = lists_of(order, 9'000);
  distributed::run_ranks(2, [&](auto const& ranks) {
    distributed::executor const ex(cpu::threads(2).with_grain(64), ranks);
    auto const next = from(ex, l.next);
    distributed::sequence<int, std::remove_const_t<decltype(ex)>> out(ex, next);
    ravel::list_rank(ex, next, out);
    EXPECT_TRUE(std::equal(out.begin(), out.end(), l.ranks.begin() + out.first()));
  });
}

TEST(DistributedListRank, SendsAFixedNumberOfBytesForEachNode) {
  index_t const n = 20000;
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  auto const in_order = lists_of(order, n);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  auto const random = lists_of(order, n);
  on_groups([&](auto const& ex) {
    index_t const p = ex.ranks().size(), rounds = 60;
    index_t const a_round = (p - 1) * (16 * p + 8 * p + 32);
    auto const sent = [&](lists const& l) {
      auto const next = from(ex, l.next);
      distributed::sequence<int, on_ranks> out(ex, next);
      auto const before = ex.ranks().sent();
      ravel::list_rank(ex, next, out);
      auto const bytes = static_cast<index_t>(ex.ranks().sent() - before);
      EXPECT_EQ(everywhere(ex, out), l.ranks);
      return bytes;
    };
    if (p <= distributed::detail::most_ranks_by_shares<host_space>) {
      index_t const of_nodes = 8 * n * (p - 1) / p;
      for (auto const* l : {&random, &in_order}) {
        EXPECT_LE(sent(*l), of_nodes + of_nodes / 64 + of_nodes * (2 + p) / 16 + 200 * p);
      }
    } else {
      EXPECT_LE(sent(random), 45 * n / p * 11 / 10 + rounds * a_round);
      EXPECT_LE(sent(in_order), 45 * p + rounds * a_round);
    }
  });
}

/// By shares on two ranks, by contraction on seven.
TEST(DistributedListRank, RefusesLinksOutOfRangeAndEndsOnCycles) {
  auto const said_of = [](int p, int link) {
    auto const said = error_of([&] {
      distributed::run_ranks(p, [&](auto const& ranks) {
        on_ranks const ex(cpu::sequential(), ranks);
        auto const next = from(ex, std::vector{1, 2, link, -1});
        distributed::sequence<int, on_ranks> out(ex, next);
        ravel::list_rank(ex, next, out);
      });
    });
    return said.substr(8);
  };
  for (int const link : {9, -2}) {
    EXPECT_EQ(said_of(2, link), "list_rank: 1 links of this rank are outside of [0, 4)");
    EXPECT_EQ(said_of(7, link), "list_rank: index " + std::to_string(link) + " is outside [0, 4)");
  }
  for (int const p : {3, 7}) {
    distributed::run_ranks(p, [](auto const& ranks) {
      on_ranks const ex(cpu::sequential(), ranks);
      auto const next = from(ex, std::vector{1, 2, 0, 1, 5, -1});  // 3 leads into a cycle
      distributed::sequence<int, on_ranks> out(ex, next);
      ravel::list_rank(ex, next, out);
      EXPECT_EQ(everywhere(ex, out)[5], 1);
    });
  }
}

}  // namespace
}  // namespace ravel::testing::list_rank_test
