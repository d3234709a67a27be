#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/searches.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::searches_test {
namespace {

struct is_nine {
  bool operator()(int i) const { return i == 9; }
};
struct is_small {
  bool operator()(int i) const { return i < 5; }
};
/// An order by which some elements are equal that differ.
struct tens_less {
  bool operator()(int a, int b) const { return a / 10 < b / 10; }
};
struct follows {
  bool operator()(int a, int b) const { return b == a + 1; }
};

/// Sequences with what is searched for nowhere, first, last, repeatedly, and at each edge of a piece.
std::vector<std::vector<int>> sequences() {
  std::vector<int> ascending(24), falling(24), late(24, 1);
  for (int i = 0; i < 24; ++i) ascending[i] = 2 * i;
  for (int i = 0; i < 24; ++i) falling[i] = 50 - 2 * i;
  late.back() = 9;
  std::vector<std::vector<int>> all{
      {}, {9}, {3}, ascending, falling, late, std::vector<int>(24, 9)};
  for (int const at : {1, 2, 3, 7, 8, 12, 16, 21, 23}) {
    auto x = ascending;
    x[at] = 9;
    all.push_back(x);
    x[at] = x[at - 1];
    all.push_back(x);
  }
  return all;
}

/// f(ex, x, all) of each, in all placements.
template <class F>
void of_sequences(F const& f) {
  on_groups([&](auto const& ex) {
    for (auto const& all : sequences()) {
      for (auto const& begins : placements(std::ssize(all), ex.ranks().size())) {
        f(ex, placed(ex, all, begins), all);
      }
    }
  });
}
cpu::sequential const alone;

TEST(DistributedSearches, OneElementIsFoundAsOnOneRank) {
  of_sequences([](auto const& ex, auto const& x, auto const& all) {
    auto const before = ex.ranks().sent();
    EXPECT_EQ(find_first_sync(ex, x, is_nine{}), find_first_sync(alone, all, is_nine{}));
    EXPECT_EQ(ex.ranks().sent() - before, 16u * (ex.ranks().size() - 1));
    EXPECT_EQ(any_of_sync(ex, x, is_nine{}), any_of_sync(alone, all, is_nine{}));
    EXPECT_EQ(all_of_sync(ex, x, is_nine{}), all_of_sync(alone, all, is_nine{}));
    EXPECT_EQ(none_of_sync(ex, x, is_nine{}), none_of_sync(alone, all, is_nine{}));
  });
}

TEST(DistributedSearches, NeighboursMayBeOnTwoRanks) {
  of_sequences([](auto const& ex, auto const& x, auto const& all) {
    auto const before = ex.ranks().sent();
    EXPECT_EQ(adjacent_find_sync(ex, x), adjacent_find_sync(alone, all));
    EXPECT_LE(ex.ranks().sent() - before, 24u * (ex.ranks().size() - 1));
    EXPECT_EQ(adjacent_find_sync(ex, x, follows{}), adjacent_find_sync(alone, all, follows{}));
    EXPECT_EQ(is_sorted_sync(ex, x), is_sorted_sync(alone, all));
    EXPECT_EQ(is_sorted_sync(ex, x, std::greater<>{}),
              is_sorted_sync(alone, all, std::greater<>{}));
    EXPECT_EQ(is_partitioned_sync(ex, x, is_small{}), is_partitioned_sync(alone, all, is_small{}));
  });
}

TEST(DistributedSearches, OfEqualElementsTheFirstIsTheLeastAndTheGreatest) {
  of_sequences([](auto const& ex, auto const& x, auto const& all) {
    auto const before = ex.ranks().sent();
    EXPECT_EQ(min_element_sync(ex, x), min_element_sync(alone, all));
    EXPECT_LE(ex.ranks().sent() - before, 24u * (ex.ranks().size() - 1));
    EXPECT_EQ(max_element_sync(ex, x), max_element_sync(alone, all));
    EXPECT_EQ(min_element_sync(ex, x, tens_less{}), min_element_sync(alone, all, tens_less{}));
    EXPECT_EQ(max_element_sync(ex, x, tens_less{}), max_element_sync(alone, all, tens_less{}));
  });
}

TEST(DistributedSearches, BothExtremesAreReplicated) {
  of_sequences([](auto const& ex, auto const& x, auto const& all) {
    std::vector<index_t> expected(2);
    auto const out = ex.template replicate<index_t>(2);
    minmax_element(alone, all, expected);
    minmax_element(ex, x, out);
    EXPECT_EQ(std::vector<index_t>(out.begin(), out.end()), expected);
    minmax_element(alone, all, expected, tens_less{});
    minmax_element(ex, x, out, tens_less{});
    EXPECT_EQ(std::vector<index_t>(out.begin(), out.end()), expected);
  });
}

/// Of all lengths, in pieces that are empty, or shorter than what is found.
TEST(DistributedSearches, OccurrencesMayBeOnAnyNumberOfRanks) {
  std::vector<int> all;
  for (int i = 0; i < 29; ++i) all.push_back(i % 7 % 3);
  std::vector<std::vector<int>> whats{{}, {7}, {0, 1, 2, 7}, {2, 0, 1, 2, 0, 1, 0, 1, 2, 0}};
  for (int const m : {1, 2, 3, 5, 9, 20, 28, 29}) {
    whats.emplace_back(all.begin(), all.begin() + m);
    whats.emplace_back(all.end() - m, all.end());
  }
  whats.emplace_back(30, 0);
  on_groups([&](auto const& ex) {
    int const p = ex.ranks().size();
    for (auto const& begins : placements(std::ssize(all), p)) {
      auto const x = placed(ex, all, begins);
      for (auto const& what : whats) {
        auto const y = placed(ex, what, placements(std::ssize(what), p).back());
        EXPECT_EQ(search_sync(ex, x, y), search_sync(alone, all, what));
        EXPECT_EQ(find_end_sync(ex, x, y), find_end_sync(alone, all, what));
        EXPECT_EQ(search_sync(ex, x, y, follows{}), search_sync(alone, all, what, follows{}));
        EXPECT_EQ(search_sync(ex, y, x), search_sync(alone, what, all));
      }
    }
  });
}

TEST(DistributedSearches, ARankSendsTheBeginningOfItsPieceToThoseBefore) {
  on_groups([](auto const& ex) {
    auto const x = from(ex, std::vector(800, 7)), what = from(ex, std::vector(16, 7));
    auto const before = ex.ranks().sent();
    EXPECT_EQ(find_end_sync(ex, x, what), 784);
    auto const others = static_cast<std::size_t>(ex.ranks().size() - 1);
    auto const of_what = 4 * ((16 + others) / (others + 1));
    EXPECT_EQ(ex.ranks().sent() - before,
              others * (24 + of_what) + (ex.ranks().rank() > 0 ? 4 * 15 : 0));
  });
}

TEST(DistributedSearches, TwoSequencesMayBeInAnyPieces) {
  std::vector<std::vector<int>> const words{
      {}, {3, 1, 2}, {3, 1, 2, 4, 1, 5, 9}, {3, 1, 7, 0}, {3, 1, 2, 4, 1, 5, 8}};
  on_groups([&](auto const& ex) {
    int const p = ex.ranks().size();
    for (auto const& a : words) {
      for (auto const& b : words) {
        for (auto const& begins : placements(std::ssize(a), p)) {
          auto const x = placed(ex, a, begins);
          auto const expect_as_alone = [&](auto const& y) {
            EXPECT_EQ(mismatch_sync(ex, x, y), mismatch_sync(alone, a, b));
            EXPECT_EQ(equal_sync(ex, x, y), a == b);
            EXPECT_EQ(lexicographical_compare_sync(ex, x, y), a < b);
            EXPECT_EQ(lexicographical_compare_sync(ex, x, y, std::greater<>{}),
                      lexicographical_compare_sync(alone, a, b, std::greater<>{}));
          };
          expect_as_alone(from(ex, b));
          expect_as_alone(placed(ex, b, placements(std::ssize(b), p).back()));
        }
      }
    }
  });
}

TEST(DistributedSearches, SequencesInTheSamePiecesStayWhereTheyAre) {
  on_groups([](auto const& ex) {
    auto const x = from(ex, std::vector(100, 7)), y = from(ex, std::vector(100, 7));
    auto const before = ex.ranks().sent();
    EXPECT_TRUE(equal_sync(ex, x, y));
    EXPECT_EQ(ex.ranks().sent() - before, 24u * (ex.ranks().size() - 1));
  });
}

TEST(DistributedSearches, DeferredScansAreSearchedWithTheirCarries) {
  std::vector<int> const all{3, 1, 2, 4, 1, 5, 0, 0, 2, 7, 1, 1};
  std::vector<int> sums(all.size());
  inclusive_scan(alone, all, sums);
  auto const is_18 = [](int i) { return i == 18; };
  on_groups([&](auto const& ex) {
    for (auto const& begins : placements(std::ssize(all), ex.ranks().size())) {
      auto const x = placed(ex, all, begins);
      distributed::sequence<int, on_ranks> y(ex, x);
      auto const scanned = distributed::deferred_inclusive_scan(ex, x, y);
      auto const s = scanned.source();
      EXPECT_EQ(find_first_sync(ex, s, is_18), 8);
      EXPECT_TRUE(any_of_sync(ex, s, is_18));
      EXPECT_EQ(adjacent_find_sync(ex, s), 5);
      EXPECT_TRUE(is_sorted_sync(ex, s));
      EXPECT_EQ(max_element_sync(ex, s), 11);
      EXPECT_EQ(search_sync(ex, s, from(ex, std::vector(sums.begin() + 2, sums.end() - 1))), 2);
    }
  });
}

TEST(DistributedSearches, MisuseIsASentence) {
  EXPECT_EQ(error_of([] {
              distributed::run_ranks(2, [](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                auto const x = distributed::from(ex, std::vector{1, 2, 4, 3});
                find_first_sync(ex, x, [](int i) -> bool {
                  if (i == 4) throw std::runtime_error("4 is refused");
                  return false;
                });
              });
            }),
            "rank 1: find_first_sync: 4 is refused");
}

}  // namespace
}  // namespace ravel::testing::searches_test
