#include <ravel/distributed/map.hpp>
#include <ravel/distributed/sequence.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <list>
#include <numeric>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::sequence_test {
namespace {

std::vector<int> numbers(index_t n) {
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

TEST(DistributedSequence, EvenPiecesDifferByOneElementAtMost) {
  EXPECT_EQ(distributed::even_begins(5, 3), (std::vector<index_t>{0, 2, 4, 5}));
  EXPECT_EQ(distributed::even_begins(2, 3), (std::vector<index_t>{0, 1, 2, 2}));
  EXPECT_EQ(distributed::even_begins(0, 2), (std::vector<index_t>{0, 0, 0}));
}

TEST(DistributedSequence, FromKeepsThePieceOfTheRank) {
  on_groups([](auto const& ex) {
    for (index_t const n : {0, 1, 5, 100}) {
      auto const all = numbers(n);
      auto const x = from(ex, all);
      EXPECT_EQ(x.total_size(), n);
      EXPECT_EQ(std::vector<int>(x.begin(), x.end()),
                std::vector<int>(all.begin() + x.first(), all.begin() + x.first() + x.size()));
      EXPECT_EQ(everywhere(ex, x), all);
    }
  });
}

TEST(DistributedSequence, RangesOfTheHostAreRead) {
  on_groups([](auto const& ex) {
    auto const all = numbers(17);
    auto const squares =
        std::views::iota(1, 18) | std::views::transform([](int i) { return i * i; });
    std::vector<int> expected(17);
    for (int i = 0; i < 17; ++i) expected[i] = (i + 1) * (i + 1);
    EXPECT_EQ(everywhere(ex, from(ex, squares)), expected);
    EXPECT_EQ(everywhere(ex, from(ex, std::deque(all.begin(), all.end()))), all);
    EXPECT_EQ(everywhere(ex, from(ex, std::list(all.begin(), all.end()))), all);
    std::istringstream text("3 1 2");
    EXPECT_EQ(everywhere(ex, from(ex, std::ranges::istream_view<int>(text))),
              (std::vector{3, 1, 2}));
    auto const odd = from(ex, all | std::views::filter([](int i) { return i % 2 != 0; }));
    EXPECT_EQ(odd.total_size(), 9);
    EXPECT_EQ(from(ex, std::views::empty<int>).total_size(), 0);
    EXPECT_EQ(everywhere(ex, from(ex, std::vector<bool>{true, false, true})),
              (std::vector{true, false, true}));

    int const rank = ex.ranks().rank();
    auto const x = from_pieces(ex, std::views::iota(rank * 100, rank * 100 + rank));
    EXPECT_EQ(x.size(), rank);
    EXPECT_TRUE(std::ranges::equal(x, std::views::iota(rank * 100, rank * 100 + rank)));
  });
}

TEST(DistributedSequence, AlgorithmsOfStdReadAndWriteThePiece) {
  on_groups([](auto const& ex) {
    auto x = from(ex, numbers(17));
    std::ranges::reverse(x);
    std::vector<int> mine;
    std::ranges::copy(x | std::views::transform([](int i) { return 2 * i; }),
                      std::back_inserter(mine));
    for (index_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(mine[i], 2 * static_cast<int>(x.first() + x.size() - i));
    }
  });
}

TEST(DistributedSequence, PlacesAndValuesAreWritten) {
  on_groups([](auto const& ex) {
    for (auto const& begins : placements(17, ex.ranks().size())) {
      distributed::sequence<std::int16_t, on_ranks> x(ex, begins);
      iota(ex, x);
      std::vector<std::int16_t> expected(17);
      std::iota(expected.begin(), expected.end(), std::int16_t{0});
      EXPECT_EQ(everywhere(ex, x), expected);
      iota(ex, x, 10, -2);
      for (int i = 0; i < 17; ++i) expected[i] = static_cast<std::int16_t>(10 - 2 * i);
      EXPECT_EQ(everywhere(ex, x), expected);
      for_each(ex, x, [](std::int16_t& i) { i = static_cast<std::int16_t>(i / 2); });
      for (auto& i : expected) i = static_cast<std::int16_t>(i / 2);
      EXPECT_EQ(everywhere(ex, x), expected);
      distribute(ex, 7, x);
      EXPECT_EQ(everywhere(ex, x), std::vector<std::int16_t>(17, 7));
    }
  });
}

TEST(DistributedSequence, PiecesOfAnySizesAreInTheOrderOfRanks) {
  on_groups([](auto const& ex) {
    for (auto const& begins : placements(17, ex.ranks().size())) {
      auto const x = placed(ex, numbers(17), begins);
      EXPECT_EQ(std::vector<index_t>(x.begins().begin(), x.begins().end()), begins);
      EXPECT_EQ(everywhere(ex, x), numbers(17));
      for (int r = 0; r < ex.ranks().size(); ++r) {
        auto const before = ex.ranks().sent();
        gather_to(ex, x, r);
        EXPECT_EQ(ex.ranks().sent() - before, r == ex.ranks().rank() ? 0 : x.size() * sizeof(int));
      }
    }
  });
}

TEST(DistributedSequence, BalanceSendsEachElementOnceAtMost) {
  on_groups([](auto const& ex) {
    int const p = ex.ranks().size();
    for (auto const& begins : placements(17, p)) {
      auto const x = placed(ex, numbers(17), begins);
      auto const before = ex.ranks().sent();
      auto const y = balance(ex, x);
      EXPECT_LE(ex.ranks().sent() - before, x.size() * sizeof(int));
      EXPECT_EQ(std::vector<index_t>(y.begins().begin(), y.begins().end()),
                distributed::even_begins(17, p));
      auto const again = ex.ranks().sent();
      auto const z = balance(ex, y);
      EXPECT_EQ(ex.ranks().sent(), again);
      EXPECT_EQ(everywhere(ex, z), numbers(17));
    }
  });
}

TEST(DistributedSequence, PiecesThatAreKeptStayWhereTheyAre) {
  on_groups([](auto const& ex) {
    auto x = from(ex, numbers(24));
    x.keep_piece(ex, 1, 1);
    std::vector<int> expected;
    for (int r = 0; r < ex.ranks().size(); ++r) expected.push_back(2 + 24 / ex.ranks().size() * r);
    EXPECT_EQ(everywhere(ex, x), expected);
  });
}

TEST(DistributedSequence, MisuseIsASentence) {
  auto const on_two = [](auto const& f) {
    return error_of([&] {
      distributed::run_ranks(2, [&](auto const& ranks) { f(on_ranks(cpu::sequential(), ranks)); });
    });
  };
  EXPECT_EQ(on_two([](auto const& ex) {
              if (ex.ranks().rank() == 1) ex.template allocate<int>(-1);
            }),
            "rank 1: distributed::sequence: the size is -1");
  EXPECT_EQ(on_two([](auto const& ex) {
              auto x = ex.template allocate<int>(4);
              x.keep_piece(ex, 0, 2 + ex.ranks().rank());
            }),
            "rank 1: distributed::sequence: keep_piece: there is room for 2 elements on rank 1, "
            "and 3 are wanted");
}

}  // namespace
}  // namespace ravel::testing::sequence_test
