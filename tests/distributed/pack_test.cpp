#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/runs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::pack_test {
namespace {

constexpr auto is_odd = [](int i) { return i % 2 != 0; };

std::vector<int> numbers(index_t n) {
  std::vector<int> all(n);
  for (index_t i = 0; i < n; ++i) all[i] = static_cast<int>(i * 37 % 11);
  return all;
}
template <class T>
std::vector<T> first_of(std::vector<T> const& all, index_t n) {
  return {all.begin(), all.begin() + n};
}

/// f(ex, x) for sequences of `all` in every placement.
template <class T, class F>
void in_placements(std::vector<T> const& all, F const& f) {
  on_groups([&](auto const& ex) {
    for (auto const& begins : placements(static_cast<index_t>(all.size()), ex.ranks().size())) {
      f(ex, placed(ex, all, begins));
    }
  });
}

TEST(DistributedPack, FilterKeepsElementsWhereTheyAre) {
  for (index_t const n : {0, 29}) {
    std::vector<int> expected(n);
    index_t const kept = ravel::filter_sync(cpu::sequential(), numbers(n), is_odd, expected);
    in_placements(numbers(n), [&](auto const& ex, auto const& x) {
      distributed::sequence<int, on_ranks> y(ex, x);
      auto const before = ex.ranks().sent();
      EXPECT_EQ(ravel::filter_sync(ex, x, is_odd, y), kept);
      EXPECT_EQ(ex.ranks().sent() - before, sizeof(index_t) * (ex.ranks().size() - 1));
      EXPECT_EQ(y.size(), std::count_if(x.begin(), x.end(), is_odd));
      EXPECT_EQ(everywhere(ex, y), first_of(expected, kept));
    });
  }
}

TEST(DistributedPack, PackKeepsFlaggedElements) {
  on_groups([](auto const& ex) {
    auto const x = distributed::from(ex, std::vector{3, 1, 2, 4, 1, 5});
    auto const flags = distributed::from(ex, std::vector{1, 0, 0, 1, 0, 1});
    auto y = ex.template allocate<int>(6);
    auto const before = ex.ranks().sent();
    EXPECT_EQ(ravel::pack_sync(ex, x, flags, y), 3);
    EXPECT_EQ(ex.ranks().sent() - before, sizeof(index_t) * (ex.ranks().size() - 1));
    EXPECT_EQ(everywhere(ex, y), (std::vector{3, 4, 5}));
  });
}

TEST(DistributedPack, PlacesAreThoseAmongAllRanks) {
  for (index_t const n : {0, 29}) {
    std::vector<int> flags = numbers(n);
    for (int& f : flags) f = f % 3 == 0;
    std::vector<int> expected(n);
    index_t const kept = ravel::pack_index_sync(cpu::sequential(), flags, expected);
    in_placements(flags, [&](auto const& ex, auto const& x) {
      distributed::sequence<int, on_ranks> y(ex, x);
      EXPECT_EQ(ravel::pack_index_sync(ex, x, y), kept);
      EXPECT_EQ(everywhere(ex, y), first_of(expected, kept));
    });
  }
}

/// `flags` of the piece of this rank as bits.
template <class X>
std::vector<std::uint64_t> bits_of(X const& flags) {
  std::vector<std::uint64_t> words(div_up(flags.size(), index_t{64}));
  for (index_t i = 0; i < flags.size(); ++i) {
    words[i / 64] |= std::uint64_t{flags.begin()[i] != 0} << i % 64;
  }
  return words;
}

TEST(DistributedPack, TakesTheBitsOfEachPiece) {
  index_t const n = 290;
  std::vector<int> flags = numbers(n);
  for (int& f : flags) f = f % 3 == 0;
  std::vector<int> expected(n), places(n);
  index_t const kept = ravel::pack_sync(cpu::sequential(), numbers(n), flags, expected);
  ravel::pack_index_sync(cpu::sequential(), flags, places);
  in_placements(flags, [&](auto const& ex, auto const& f) {
    auto const words = from_pieces(ex, bits_of(f));
    auto const x = placed(ex, numbers(n), {f.begins().begin(), f.begins().end()});
    distributed::sequence<int, on_ranks> y(ex, x);
    auto const before = ex.ranks().sent();
    EXPECT_EQ(ravel::pack_sync(ex, x, by_bits(words, x.size()), y), kept);
    EXPECT_EQ(ex.ranks().sent() - before, sizeof(index_t) * (ex.ranks().size() - 1));
    EXPECT_EQ(everywhere(ex, y), first_of(expected, kept));
    auto const then = ex.ranks().sent();
    EXPECT_EQ(ravel::pack_index_sync(ex, by_bits(words, x.size()), y), kept);
    EXPECT_EQ(ex.ranks().sent() - then, 2 * sizeof(index_t) * (ex.ranks().size() - 1));
    EXPECT_EQ(everywhere(ex, y), first_of(places, kept));
  });
  EXPECT_EQ(error_of([] {
              distributed::run_ranks(1, [](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                auto const x = distributed::from(ex, std::vector{1, 2, 4});
                auto const words = distributed::from(ex, std::vector{7U});
                distributed::sequence<int, on_ranks> y(ex, x);
                ravel::pack_sync(ex, x, by_bits(words, 2), y);
              });
            }),
            "rank 0: pack_sync: there are 3 elements on rank 0, and 2 flags");
}

TEST(DistributedPack, MisuseIsASentence) {
  EXPECT_EQ(error_of([] {
              distributed::run_ranks(2, [](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                auto const x = distributed::from(ex, std::vector{1, 2, 4, 3, 5, 7});
                auto y = ex.template allocate<int>(4);
                ravel::filter_sync(ex, x, is_odd, y);
              });
            }),
            "rank 1: filter_sync: out has room for 2 elements, and 3 are kept");
}

/// Keys with one run over many ranks, runs that end with a piece, and single elements.
std::vector<std::vector<int>> keys() {
  std::vector<std::vector<int>> all{{}, {7, 7, 4, 4, 4, 4, 1}, std::vector<int>(24, 5)};
  std::vector<int> mixed;
  for (int i = 0; i < 48; ++i) mixed.push_back(i < 6 ? i : i < 30 ? 9 : i / 3);
  all.push_back(mixed);
  return all;
}

TEST(DistributedRuns, UniqueKeepsTheFirstOfEachRun) {
  for (auto const& all : keys()) {
    std::vector<int> expected(all.size());
    index_t const runs = ravel::unique_sync(cpu::sequential(), all, expected);
    in_placements(all, [&](auto const& ex, auto const& x) {
      distributed::sequence<int, on_ranks> y(ex, x);
      auto const before = ex.ranks().sent();
      EXPECT_EQ(ravel::unique_sync(ex, x, y), runs);
      EXPECT_LE(ex.ranks().sent() - before, 40u * (ex.ranks().size() - 1));
      EXPECT_EQ(everywhere(ex, y), first_of(expected, runs));
    });
  }
}

TEST(DistributedRuns, LengthsAreThoseOverAllRanks) {
  for (auto const& all : keys()) {
    std::vector<int> values(all.size()), lengths(all.size());
    index_t const runs = ravel::run_length_encode_sync(cpu::sequential(), all, values, lengths);
    in_placements(all, [&](auto const& ex, auto const& x) {
      distributed::sequence<int, on_ranks> v(ex, x), l(ex, x);
      auto const before = ex.ranks().sent();
      EXPECT_EQ(ravel::run_length_encode_sync(ex, x, v, l), runs);
      EXPECT_LE(ex.ranks().sent() - before, 40u * (ex.ranks().size() - 1));
      EXPECT_EQ(everywhere(ex, v), first_of(values, runs));
      EXPECT_EQ(everywhere(ex, l), first_of(lengths, runs));
    });
  }
}

/// Keeps the left operand: a monoid that is not commutative, with 0 as identity.
struct leftmost {
  int identity() const { return 0; }
  int operator()(int x, int y) const { return x != 0 ? x : y; }
};

TEST(DistributedRuns, ValuesAreCombinedInTheirOrder) {
  for (auto const& all : keys()) {
    auto const n = static_cast<index_t>(all.size());
    std::vector<int> ids(n), out_keys(n), out_values(n);
    for (index_t i = 0; i < n; ++i) ids[i] = i % 4 == 3 ? static_cast<int>(i) : 0;
    index_t const runs =
        ravel::reduce_by_key_sync(cpu::sequential(), all, ids, out_keys, out_values, leftmost{});
    in_placements(all, [&](auto const& ex, auto const& x) {
      auto const values = placed(ex, ids, {x.begins().begin(), x.begins().end()});
      distributed::sequence<int, on_ranks> k(ex, x), v(ex, x);
      auto const before = ex.ranks().sent();
      EXPECT_EQ(ravel::reduce_by_key_sync(ex, x, values, k, v, leftmost{}), runs);
      EXPECT_LE(ex.ranks().sent() - before, 40u * (ex.ranks().size() - 1));
      EXPECT_EQ(everywhere(ex, k), first_of(out_keys, runs));
      EXPECT_EQ(everywhere(ex, v), first_of(out_values, runs));
    });
  }
}

TEST(DistributedRuns, AnInitialValueComesBeforeEachRun) {
  for (auto const& all : keys()) {
    std::vector<int> out_keys(all.size()), sums(all.size());
    index_t const runs =
        ravel::reduce_by_key_sync(cpu::sequential(), all, all, out_keys, sums, plus{}, from(100));
    in_placements(all, [&](auto const& ex, auto const& x) {
      distributed::sequence<int, on_ranks> k(ex, x), v(ex, x);
      EXPECT_EQ(ravel::reduce_by_key_sync(ex, x, x, k, v, plus{}, from(100)), runs);
      EXPECT_EQ(everywhere(ex, v), first_of(sums, runs));
    });
  }
}

}  // namespace
}  // namespace ravel::testing::pack_test
