#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "distributed/keys.hpp"
#include "distributed/ranks.hpp"
#include "support/briefly.hpp"

namespace ravel::testing::sort_test {
namespace {

using key = std::uint32_t;

/// The permutation that sorts stably.
template <class T, class Before>
std::vector<int> order_of(std::vector<T> const& all, Before before) {
  std::vector<int> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int i, int j) { return before(all[i], all[j]); });
  return order;
}
template <class T>
std::vector<T> in_order(std::vector<T> const& all, std::vector<int> const& order) {
  std::vector<T> sorted;
  for (int const i : order) sorted.push_back(all[i]);
  return sorted;
}

/// The piece of this rank, for comparison with that of all elements.
template <class Ex, class T>
void expect_piece(distributed::sequence<T, Ex> const& x, std::vector<T> const& all) {
  std::vector<T> const mine(x.begin(), x.end());
  EXPECT_EQ(mine, std::vector<T>(all.begin() + x.first(), all.begin() + x.first() + x.size()));
}

TEST(DistributedSort, EachRankGetsWhatItsPieceHasRoomFor) {
  distributed::run_ranks(3, [](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    std::vector const all{3, 1, 2, 4, 1, 5};
    auto const in = placed(ex, all, {0, 3, 5, 6});
    distributed::sequence<int, on_ranks> out(ex, std::vector<index_t>{0, 2, 4, 6});
    ravel::radix_sort(ex, in, out);
    EXPECT_EQ(everywhere(ex, out), (std::vector{1, 1, 2, 3, 4, 5}));
    ravel::radix_sort(ex, in, out, descending);
    EXPECT_EQ(everywhere(ex, out), (std::vector{5, 4, 3, 2, 1, 1}));
    ravel::comparison_sort(ex, in, out, [](int x, int y) { return x % 2 < y % 2; });
    EXPECT_EQ(everywhere(ex, out), (std::vector{2, 4, 3, 1, 1, 5}));
  });
}

/// Values are the places of keys in the input, which shows whether a sort is stable.
TEST(DistributedSort, RadixSortOfPairs) {
  for (index_t const n : {0, 1, 7, 3000}) {
    for (auto const& keys : kinds_of_keys(n)) {
      auto const order = order_of(keys, std::less<>());
      auto const sorted = in_order(keys, order);
      std::vector<int> places(n);
      std::iota(places.begin(), places.end(), 0);
      on_groups([&](auto const& ex) {
        auto const shapes = placements(n, ex.ranks().size());
        for (std::size_t s = 0; s < shapes.size(); ++s) {
          auto const& shape_out = shapes[(s + 2) % shapes.size()];
          auto const k = placed(ex, keys, shapes[s]);
          auto const v = placed(ex, places, shapes[s]);
          distributed::sequence<key, on_ranks> k_out(ex, shape_out);
          distributed::sequence<int, on_ranks> v_out(ex, shape_out);
          ravel::radix_sort_pairs(ex, k, v, k_out, v_out);
          expect_piece(k_out, sorted);
          expect_piece(v_out, order);
        }
      });
    }
  }
}

THOROUGH_TEST(DistributedSort, OptionsOfRadixSort) {
  auto const keys = random_keys(2000, 1 << 16);
  struct digits {
    bool operator()(key x, key y) const { return (y >> 4 & 255) < (x >> 4 & 255); }
  };
  auto const sorted = in_order(keys, order_of(keys, digits()));
  auto const low = [](key x) { return static_cast<std::uint8_t>(x); };
  auto const by_low = in_order(keys, order_of(keys, [&](key x, key y) { return low(x) < low(y); }));
  on_groups([&](auto const& ex) {
    auto x = distributed::from(ex, keys);
    distributed::sequence<key, on_ranks> y(ex, x);
    ravel::radix_sort(ex, x, y, descending, bit_range{4, 12});
    expect_piece(y, sorted);
    ravel::radix_sort(ex, x, y, by(low));
    expect_piece(y, by_low);
    ravel::radix_sort(ex, x, y, descending, bit_range{32, 32});  // of no bits: a copy
    expect_piece(y, keys);
    ravel::radix_sort(ex, x, descending, bit_range{4, 12});
    expect_piece(x, sorted);
  });
}

TEST(DistributedSort, NumbersByValue) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> numbers;
  for (int i = 0; i < 500; ++i) {
    for (float const x :
         {0.0f, -0.0f, nan, -nan, infinity, -infinity, 1.5f * float(i % 7), -3.0f}) {
      numbers.push_back(x);
    }
  }
  auto const bits = [](std::vector<float> const& v) {
    std::vector<key> b;
    for (float const x : v) b.push_back(std::bit_cast<key>(x));
    return b;
  };
  auto const sorted = bits(in_order(numbers, order_of(numbers, [](float x, float y) {
                                      return radix_key<float>::bits(x) < radix_key<float>::bits(y);
                                    })));
  on_groups([&](auto const& ex) {
    auto const x = distributed::from(ex, numbers);
    distributed::sequence<float, on_ranks> y(ex, x);
    ravel::radix_sort(ex, x, y);
    EXPECT_EQ(bits(everywhere(ex, y)), sorted);
    ravel::comparison_sort(ex, x, y);
    EXPECT_EQ(bits(everywhere(ex, y)), sorted);
  });
}

struct named {
  char name[3];
  int place;
  friend bool operator==(named const&, named const&) = default;
};
struct by_name {
  bool operator()(named const& x, named const& y) const {
    return std::lexicographical_compare(x.name, x.name + 3, y.name, y.name + 3);
  }
};

TEST(DistributedSort, ComparisonSortOfAnyElements) {
  for (key const below : {2, 30, 4000}) {
    std::vector<named> all;
    for (key const k : random_keys(3000, below)) {
      auto const letter = [&](key d) { return static_cast<char>('a' + d % 26); };
      all.push_back({{letter(k / 676), letter(k / 26), letter(k)}, static_cast<int>(all.size())});
    }
    auto const sorted = in_order(all, order_of(all, by_name()));
    on_groups([&](auto const& ex) {
      auto const shapes = placements(3000, ex.ranks().size());
      for (auto const& shape : shapes) {
        auto x = placed(ex, all, shape);
        distributed::sequence<named, on_ranks> y(ex, shapes[0]);
        ravel::comparison_sort(ex, x, y, by_name());
        expect_piece(y, sorted);
        ravel::comparison_sort(ex, x, by_name());
        expect_piece(x, sorted);
      }
    });
  }
}

TEST(DistributedSort, NineRanksSortWhatTheyGet) {
  auto const keys = zipf_keys(5000);
  auto const sorted = in_order(keys, order_of(keys, std::less<>()));
  distributed::run_ranks(9, [&](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    auto x = distributed::from(ex, keys);
    ravel::radix_sort(ex, x);
    expect_piece(x, sorted);
  });
}

/// Windows of equally distributed keys have equal quantiles, so that the samples of all ranks are as
/// even as those of one.
TEST(DistributedSort, RanksSampleDifferentQuantiles) {
  for (int r = 0; r < 4; ++r) {
    auto const at = distributed::detail::positions_to_sample({{500, 0, 8192, 0, 4 * 8192}}, 4, r);
    ASSERT_EQ(at.size(), 512u);
    for (index_t k = 0; k < 512; ++k) EXPECT_EQ(at[k], 4 * (4 * k + r) + 2);
  }
}

/// An order that is not known to be that of numbers.
struct by_value {
  bool operator()(key x, key y) const { return x < y; }
};

/// Values add their bytes for each element that another rank gets, and nothing else.
TEST(DistributedSort, SendsEachElementOnce) {
  index_t const n = 1 << 15;
  for (auto const& keys : kinds_of_keys(n)) {
    auto const order = order_of(keys, std::less<>());
    on_groups([&](auto const& ex) {
      index_t const p = ex.ranks().size();
      auto const x = distributed::from(ex, keys);
      auto const mine = [&](index_t i) { return x.first() <= i && i < x.first() + x.size(); };
      index_t leaving = 0;
      for (index_t i = 0; i < n; ++i) leaving += mine(order[i]) && !mine(i) ? 1 : 0;

      distributed::sequence<key, on_ranks> y(ex, x), v(ex, x), w(ex, x);
      std::ranges::fill(v, 0);
      auto const begin = ex.ranks().sent();
      ravel::radix_sort(ex, x, y);
      auto const middle = ex.ranks().sent();
      ravel::radix_sort_pairs(ex, x, v, y, w);
      auto const of_keys = static_cast<index_t>(middle - begin);
      auto const of_pairs = static_cast<index_t>(ex.ranks().sent() - middle);
      EXPECT_EQ(of_pairs - of_keys, 4 * leaving);
      index_t const bytes_of_cuts = p > 1 ? bytes_of_splitters(p, 2) : 0;
      EXPECT_LE(of_keys, 4 * leaving + bytes_of_cuts) << p << " ranks";

      auto const before_comparison = ex.ranks().sent();
      ravel::comparison_sort(ex, x, y, by_value());
      auto const compared = static_cast<index_t>(ex.ranks().sent() - before_comparison);
      EXPECT_LE(compared, 4 * leaving + bytes_of_cuts) << p << " ranks";
    });
  }
}

/// Each rank has so many rows that they are split into parts before they are sorted.
THOROUGH_TEST(DistributedSort, ManyRowsGoToTheirRanksInParts) {
  index_t const n = index_t{1} << 18;
  for (auto const& keys : kinds_of_keys(n)) {
    auto const order = order_of(keys, std::greater<>());
    auto const sorted = in_order(keys, order);
    std::vector<int> places(n);
    std::iota(places.begin(), places.end(), 0);
    on_groups([&](auto const& ex) {
      index_t const p = ex.ranks().size();
      auto const shapes = placements(n, ex.ranks().size());
      std::size_t const s = (keys[0] + 1) % shapes.size();
      auto const x = placed(ex, keys, shapes[s]);
      auto const v = placed(ex, places, shapes[s]);
      distributed::sequence<key, on_ranks> y(ex, shapes[(s + 1) % shapes.size()]);
      distributed::sequence<int, on_ranks> w(ex, y);
      index_t leaving = 0;
      auto const is_in = [](auto const& piece, index_t i) {
        return piece.first() <= i && i < piece.first() + piece.size();
      };
      for (index_t i = 0; i < n; ++i) leaving += is_in(x, order[i]) && !is_in(y, i) ? 1 : 0;

      // Three splits at most, of which that by octaves has up to 2^10 parts.
      index_t const others = (p > 1 ? bytes_of_splitters(p, 4) : 0) + 3 * (8 * 1024 + 32) * (p - 1);
      auto const begin = ex.ranks().sent();
      ravel::radix_sort_pairs(ex, x, v, y, w, descending);
      EXPECT_LE(static_cast<index_t>(ex.ranks().sent() - begin), 8 * leaving + others);
      expect_piece(y, sorted);
      expect_piece(w, order);
      ravel::radix_sort(ex, x, y, descending);
      expect_piece(y, sorted);

      // With a key and its value in 16 bytes, of which 4 are padding.
      auto const wide = placed(ex, std::vector<index_t>(places.begin(), places.end()), shapes[s]);
      distributed::sequence<index_t, on_ranks> moved(ex, y);
      auto const middle = ex.ranks().sent();
      ravel::radix_sort_pairs(ex, x, wide, y, moved, descending);
      EXPECT_LE(static_cast<index_t>(ex.ranks().sent() - middle), 12 * leaving + others);
      expect_piece(moved, std::vector<index_t>(order.begin(), order.end()));
    });
  }
}

/// Skewed keys are split by octaves, whose lowest parts have one key each; of 8 bytes, two.
THOROUGH_TEST(DistributedSort, SkewedKeysAreSplitByOctaves) {
  index_t const n = index_t{1} << 18;
  auto const keys = zipf_keys(n);
  std::vector<std::uint64_t> const wide(keys.begin(), keys.end());
  auto const order = order_of(keys, std::less<>());
  auto const sorted = in_order(keys, order);
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), 0);
  on_groups([&](auto const& ex) {
    auto const shapes = placements(n, ex.ranks().size());
    auto x = placed(ex, keys, shapes.back());
    auto v = placed(ex, places, shapes.back());
    distributed::sequence<key, on_ranks> y(ex, shapes.front());
    distributed::sequence<int, on_ranks> w(ex, y);
    ravel::radix_sort_pairs(ex, x, v, y, w);
    expect_piece(y, sorted);
    expect_piece(w, order);
    ravel::radix_sort(ex, x);
    expect_piece(x, sorted);
    auto z = placed(ex, wide, shapes.back());
    ravel::radix_sort(ex, z);
    expect_piece(z, std::vector<std::uint64_t>(sorted.begin(), sorted.end()));
  });
}

/// Hosts that sort keys by quicksort split them where pieces begin, and count those that are frequent: of few
/// ranks, in pieces that are alike and others, in place and not, in any order of their digits.
template <class K>
void expect_sorted_by_pivots(std::vector<K> const& keys) {
  index_t const n = std::ssize(keys);
  auto ascending = keys;
  std::ranges::sort(ascending);
  std::vector<K> const downward(ascending.rbegin(), ascending.rend());
  for (int const p : {2, 4}) {
    distributed::run_ranks(p, [&](auto const& ranks) {
      distributed::executor const ex(cpu::threads(2), ranks);
      for (auto const& shape : placements(n, p)) {
        auto x = placed(ex, keys, shape);
        distributed::sequence<K, std::remove_const_t<decltype(ex)>> y(ex, n);
        ravel::radix_sort(ex, x, y);
        expect_piece(y, ascending);
        ravel::radix_sort(ex, x, descending);
        expect_piece(x, downward);
      }
    });
  }
}
THOROUGH_TEST(DistributedSort, KeysAreSplitWherePiecesBegin) {
  index_t const n = index_t{1} << 19;
  auto kinds = kinds_of_keys(n);
  kinds.push_back(random_keys(n, 0xffffffff));
  for (index_t i = 0; i < n; i += 3) kinds.back()[i] = 0xffffffff;
  for (index_t i = 1; i < n; i += 3) kinds.back()[i] = 0;
  for (auto const& keys : kinds) {
    expect_sorted_by_pivots(keys);
#ifndef RAVEL_TEST_BRIEFLY
    expect_sorted_by_pivots(std::vector<int>(keys.begin(), keys.end()));
#endif
  }
  std::vector<float> reals(kinds[0].begin(), kinds[0].end());
  for (float& x : reals) x -= 2e9f;
  expect_sorted_by_pivots(reals);
}

/// Few selected keys are sorted on every rank, and many are exchanged.
TEST(DistributedTopK, IsTheBeginOfTheSortedSequence) {
  auto const keys = random_keys(10'000, 400);
  auto const order = order_of(keys, std::less<>());
  auto const ascending = in_order(keys, order);
  auto const downward = in_order(keys, order_of(keys, std::greater<>()));
  auto const last_digit_first = [](key a, key b) { return a % 10 < b % 10; };
  auto const by_last_digit = in_order(keys, order_of(keys, last_digit_first));
  on_groups([&](auto const& ex) {
    for (auto const& shape : placements(10'000, ex.ranks().size())) {
      auto const x = placed(ex, keys, shape);
      for (index_t const k : {0, 1, 17, 500, 9000, 10'000}) {
        index_t const p = ex.ranks().size();
        distributed::sequence<key, on_ranks> y(ex, placements(k, ex.ranks().size()).back());
        auto const is_in = [](auto const& piece, index_t i) {
          return piece.first() <= i && i < piece.first() + piece.size();
        };
        index_t leaving = 0;
        for (index_t i = 0; i < k; ++i) leaving += is_in(x, order[i]) && !is_in(y, i) ? 1 : 0;
        auto const before = ex.ranks().sent();
        ravel::top_k(ex, x, y);
        auto const sent = static_cast<index_t>(ex.ranks().sent() - before);
        EXPECT_LE(sent, k <= 500 ? (8 + 4 * k) * (p - 1)
                                 : 4 * leaving + (p > 1 ? bytes_of_splitters(p, 2) : 0));
        expect_piece(y, ascending);
        ravel::top_k(ex, x, y, descending);
        expect_piece(y, downward);
        ravel::top_k(ex, x, y, last_digit_first);
        expect_piece(y, by_last_digit);
      }
    }
  });
}

TEST(DistributedSort, SourcesAreWrittenFirst) {
  auto const keys = random_keys(200, 50);
  std::vector<key> sums(keys.size());
  inclusive_scan(cpu::sequential(), keys, sums);
  auto const before = [](key a, key b) { return a % 64 < b % 64; };
  auto const order = order_of(sums, before);
  on_groups([&](auto const& ex) {
    for (auto const& begins : placements(std::ssize(keys), ex.ranks().size())) {
      auto const x = placed(ex, keys, begins);
      distributed::sequence<key, on_ranks> y(ex, x), z(ex, std::ssize(keys));
      auto const scan = distributed::deferred_inclusive_scan(ex, x, y);
      std::vector<key> const pieces(y.begin(), y.end());
      radix_sort(ex, scan.source(), z, bit_range{0, 6});
      EXPECT_EQ(everywhere(ex, z), in_order(sums, order));
      std::vector<int> const ones(sums.size(), 1);
      auto const values = placed(ex, ones, begins);
      distributed::sequence<int, on_ranks> moved(ex, z);
      radix_sort_pairs(ex, scan.source(), values, z, moved, bit_range{0, 6});
      EXPECT_EQ(everywhere(ex, z), in_order(sums, order));
      distributed::sequence<key, on_ranks> least(ex, 20);
      top_k(ex, scan.source(), least);
      EXPECT_EQ(everywhere(ex, least), (std::vector<key>(sums.begin(), sums.begin() + 20)));
      EXPECT_EQ(std::vector<key>(y.begin(), y.end()), pieces);
    }
  });
}

TEST(DistributedSort, MisuseIsASentence) {
  EXPECT_EQ(error_of([] {
              distributed::run_ranks(2, [](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                auto const x = distributed::from(ex, random_keys(4, 9));
                auto y = ex.template allocate<key>(5);
                ravel::radix_sort(ex, x, y);
              });
            }).substr(6),
            ": radix_sort: one sequence has 4 elements, and another 5");
}

TEST(DistributedSort, AnOrderThatIsNoneEndsWithASentence) {
  auto const keys = random_keys(5000, 1000);
  auto const expect_sentence = [&](auto before) {
    for (int const p : {2, 3, 8}) {
      auto const said = error_of([&] {
        distributed::run_ranks(p, [&](auto const& ranks) {
          on_ranks const ex(cpu::sequential(), ranks);
          auto x = distributed::from(ex, keys);
          ravel::comparison_sort(ex, x, before);
        });
      });
      EXPECT_NE(said.find("the order is not a strict weak order"), said.npos) << said;
    }
  };
  expect_sentence([](key a, key b) { return (a ^ b) % 3 == 1; });
  expect_sentence([](key a, key b) { return a <= b; });
}

TEST(DistributedSort, AFaultOfOneRankEndsTheCallOnAll) {
  auto const keys = random_keys(5000, 1000);
  for (int call = 0; call < 12; ++call) {
    EXPECT_NE(error_of([&] {
                distributed::run_ranks(3,
                                       [&](auto const& ranks) {
                                         on_ranks const ex(cpu::sequential(), ranks);
                                         auto x = distributed::from(ex, keys);
                                         for (int i = 0; i < 4; ++i) ravel::radix_sort(ex, x);
                                       },
                                       {.faulty_rank = 1, .fault_at = call});
              }).find("a planted fault"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace ravel::testing::sort_test
