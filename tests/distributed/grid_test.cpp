#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/grid.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "distributed/keys.hpp"
#include "distributed/ranks.hpp"

namespace ravel::testing::grid_test {
namespace {

using distributed::detail::grid_of_ranks;

TEST(Grid, EachRankHasOneHopToEachColumn) {
  for (int p = 1; p <= 150; ++p) {
    grid_of_ranks const grid(p);
    std::vector<std::vector<int>> senders(p);
    for (int s = 0; s < p; ++s) {
      for (int c = 0; c < grid.width(); ++c) {
        int const hop = grid.hop(s, c);
        ASSERT_LT(hop, p);
        EXPECT_EQ(grid.column_of(hop), c);
        senders[hop].push_back(s);
      }
    }
    for (int r = 0; r < p; ++r) {
      EXPECT_EQ(grid.senders(r), senders[r]);
      EXPECT_LE(std::ssize(senders[r]), 2 * grid.width());
      EXPECT_EQ(grid.hop(r, grid.column_of(r)), r);
    }
  }
}

/// How many bytes rank s has for rank d.
std::size_t bytes_from(int s, int d) {
  return static_cast<std::size_t>((s * 7 + d * 5) % 4 == 0 ? 0 : (s * 3 + d) % 6);
}

TEST(Grid, ExchangesAsInOneLevel) {
  for (int const p : {1, 2, 3, 5, 7, 8, 11}) {
    for (bool const own_stays : {false, true}) {
      distributed::run_ranks(p, [&](auto const& ranks) {
        on_ranks const ex(cpu::sequential(), ranks);
        int const rank = ranks.rank();
        std::vector<std::size_t> sent, received;
        for (int r = 0; r < p; ++r) {
          sent.push_back(bytes_from(rank, r));
          received.push_back(r == rank && own_stays ? 0 : bytes_from(r, rank));
        }
        std::vector<char> from(std::accumulate(sent.begin(), sent.end(), std::size_t{}));
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(rank * 40 + i);
        std::vector<char> to(std::accumulate(received.begin(), received.end(), std::size_t{}));
        auto expected = to;
        ranks.all_to_all_v(ex.local(), from.data(), sent, expected.data(), received);
        distributed::detail::all_to_all_in_grid(ex, from.data(), sent, to.data(), received);
        EXPECT_EQ(to, expected);

        std::vector<index_t> const mine(sent.begin(), sent.end());
        std::vector<index_t> theirs;
        for (int r = 0; r < p; ++r) theirs.push_back(static_cast<index_t>(bytes_from(r, rank)));
        EXPECT_EQ(distributed::detail::counts_in_grid(ex, mine), theirs);
      });
    }
  }
}

/// x -> a x + b, which do not commute.
struct affine {
  std::uint32_t a, b;
  bool operator==(affine const&) const = default;
};
struct then {
  RAVEL_HD affine identity() const { return {1, 0}; }
  RAVEL_HD affine operator()(affine f, affine g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};

TEST(Grid, ReductionsByDoublingAreInTheOrderOfRanks) {
  for (int const p : {1, 2, 3, 6, 8, 13}) {
    distributed::run_ranks(p, [&](auto const& ranks) {
      on_ranks const ex(cpu::sequential(), ranks);
      auto const of_rank = [](int r, int i) {
        return affine{static_cast<std::uint32_t>(2 * r + i + 1), static_cast<std::uint32_t>(i + r)};
      };
      std::vector<affine> data, expected(3, then{}.identity());
      for (int i = 0; i < 3; ++i) {
        data.push_back(of_rank(ranks.rank(), i));
        for (int r = 0; r < p; ++r) expected[i] = then{}(expected[i], of_rank(r, i));
      }
      distributed::detail::all_reduce_by_doubling(ex, view<affine, host_space>(data.data(), 3),
                                                  then{});
      EXPECT_EQ(data, expected);
    });
  }
}

/// What a rank sends is what it keeps room for: of many ranks, its numbers once for each doubling.
TEST(Grid, SumsOfRanksBeforeTakeNoMoreThanTheNumbersForEachDoubling) {
  for (int const p : {1, 2, 3, 16, 17, 24, 33}) {
    distributed::run_ranks(p, [&](auto const& ranks) {
      on_ranks const ex(cpu::sequential(), ranks);
      auto const of_rank = [](int r, int i) { return index_t{r * 3 + i * i % 7}; };
      std::vector<index_t> mine, expected(p + 1);
      for (int i = 0; i <= p; ++i) {
        mine.push_back(of_rank(ranks.rank(), i));
        for (int r = 0; r < ranks.rank(); ++r) expected[i] += of_rank(r, i);
      }
      auto const before = ranks.sent();
      EXPECT_EQ(distributed::detail::sums_of_ranks_before(ex, mine), expected);
      index_t rounds = p - 1;
      if (p >= distributed::detail::fewest_of_grid) {
        rounds = 0;
        for (int d = 1; d < p; d *= 2) rounds += ranks.rank() + d < p;
      }
      EXPECT_EQ(static_cast<index_t>(ranks.sent() - before), 8 * (p + 1) * rounds);
    });
  }
}

/// On many ranks no exchange sends p counts to each, and calls are what they are on few.
TEST(Grid, CallsOfManyRanks) {
  int const p = 70;
  index_t const n = 3000;
  auto const keys = random_keys(n, 1 << 20), at = random_keys(n, static_cast<std::uint32_t>(n), 2);
  auto sorted = keys;
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> taken;
  for (auto const i : at) taken.push_back(keys[i]);
  distributed::run_ranks(p, [&](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    auto const x = from(ex, keys);
    auto const where = from(ex, at);
    distributed::sequence<std::uint32_t, on_ranks> y(ex, x);
    auto const piece = [&](std::vector<std::uint32_t> const& all) {
      return std::vector<std::uint32_t>(all.begin() + y.first(),
                                        all.begin() + y.first() + y.size());
    };
    auto const before = ranks.sent();
    ravel::gather(ex, x, where, y);
    EXPECT_EQ(std::vector<std::uint32_t>(y.begin(), y.end()), piece(taken));
    EXPECT_LT(ranks.sent() - before, std::uint64_t{8 * p * (p - 1)});
    ravel::comparison_sort(ex, x, y);
    EXPECT_EQ(std::vector<std::uint32_t>(y.begin(), y.end()), piece(sorted));
  });
}

}  // namespace
}  // namespace ravel::testing::grid_test
