#include <ravel/distributed/list_rank.hpp>
#include <ravel/distributed/searches.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/distributed/sort_on_devices.cuh>
#include <ravel/distributed/spmv.hpp>
#include <ravel/software_device/forms.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "distributed/keys.hpp"
#include "distributed/ranks.hpp"
#include "support/briefly.hpp"

namespace ravel::testing::devices_test {
namespace {

using ranks_of_devices = distributed::in_process_ranks<device_space>;
using on_devices = distributed::executor<software_device, ranks_of_devices>;

/// Calls f(ex) on each rank of groups of 2 and 3, which sort in parts from 500 keys of each rank on.
template <class F>
void on_groups_of_devices(F const& f) {
  for (int const ranks : {2, 3}) {
    distributed::run_ranks<device_space>(ranks,
                                         [&](auto const& mine) {
                                           software_device device;
                                           auto sizes = device.tuned();
                                           sizes.bucketed = 500;
                                           device.tune(sizes);
                                           f(on_devices(device, mine));
                                         },
                                         {.limit = std::chrono::seconds(100)});
  }
}

/// `all` in pieces of devices.
template <class T>
auto placed_on_devices(on_devices const& ex, std::vector<T> const& all,
                       std::vector<index_t> const& begins) {
  distributed::sequence<T, on_devices> x(ex, begins);
  ex.copy(all.data() + x.first(), x.data(), x.size());
  ex.local().wait();
  return x;
}

template <class T>
void expect_piece(on_devices const& ex, distributed::sequence<T, on_devices> const& x,
                  std::vector<T> const& all) {
  std::vector<T> const mine = to_host(ex.local(), x.local());
  EXPECT_EQ(mine, std::vector<T>(all.begin() + x.first(), all.begin() + x.first() + x.size()));
}

template <class T>
void expect_sorted_up_and_down(std::vector<T> const& keys) {
  auto up = keys, down = keys;
  std::ranges::sort(up);
  std::ranges::sort(down, std::greater<>());
  on_groups_of_devices([&](on_devices const& ex) {
    auto const shapes = placements(std::ssize(keys), ex.ranks().size());
    auto x = placed_on_devices(ex, keys, shapes[keys[0] % 2 == 0 ? 0 : 3]);
    distributed::sequence<T, on_devices> y(ex, shapes[keys[0] % 2 == 0 ? 0 : 4]);
    ravel::radix_sort(ex, x, y);
    expect_piece(ex, y, up);
    ravel::radix_sort(ex, x, descending);
    expect_piece(ex, x, down);
  });
}

/// Integers whose bits are all random.
template <class T>
std::vector<T> random_integers(index_t n) {
  std::vector<T> all(static_cast<std::size_t>(n));
  auto const high = random_keys(n, std::numeric_limits<std::uint32_t>::max(), 1);
  auto const low = random_keys(n, std::numeric_limits<std::uint32_t>::max(), 2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<T>(std::uint64_t{high[i]} << (8 * sizeof(T) - 32) | low[i]);
  }
  return all;
}

TEST(SortOnDevices, Integers) {
  expect_sorted_up_and_down(random_integers<std::uint32_t>(10'000));
  expect_sorted_up_and_down(random_integers<std::int64_t>(10'000));
}

/// Values are the places of keys in the input, which shows whether a sort is stable.
template <class V>
void expect_sorted_pairs(std::vector<std::uint32_t> const& keys) {
  std::vector<V> places(keys.size());
  std::iota(places.begin(), places.end(), V{});
  auto order = places;
  std::ranges::stable_sort(order, [&](V i, V j) {
    return keys[static_cast<std::size_t>(i)] < keys[static_cast<std::size_t>(j)];
  });
  auto sorted = keys;
  std::ranges::sort(sorted);
  on_groups_of_devices([&](on_devices const& ex) {
    auto const shapes = placements(std::ssize(keys), ex.ranks().size());
    auto k = placed_on_devices(ex, keys, shapes[4]);
    auto v = placed_on_devices(ex, places, shapes[4]);
    distributed::sequence<std::uint32_t, on_devices> k_out(ex, shapes[0]);
    distributed::sequence<V, on_devices> v_out(ex, shapes[0]);
    ravel::radix_sort_pairs(ex, k, v, k_out, v_out);
    expect_piece(ex, k_out, sorted);
    expect_piece(ex, v_out, order);
  });
}

TEST(SortOnDevices, Pairs) {
  auto keys = random_integers<std::uint32_t>(9000);
  for (auto& k : keys) k = k % 500 * 8'500'000;  // some are equal
  expect_sorted_pairs<std::uint32_t>(keys);
  expect_sorted_pairs<double>(keys);
}

/// Numbers whose highest digits are uneven: zeros of both signs and NaNs, too.
THOROUGH_TEST(SortOnDevices, NumbersInStableOrder) {
  std::vector<double> keys(6000);
  auto const random = random_keys(6000, 1 << 20);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = std::ldexp(random[i] - 5e5, -20);
  for (std::size_t i = 0; i < keys.size(); i += 7) keys[i] = i % 2 == 0 ? 0.0 : -0.0;
  for (std::size_t i = 0; i < keys.size(); i += 501) keys[i] = std::nan("");
  std::vector<std::int32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int32_t i) {
    return radix_key<double>::bits(keys[static_cast<std::size_t>(i)]);
  });
  std::vector<std::uint64_t> bits;
  for (auto const i : order) bits.push_back(std::bit_cast<std::uint64_t>(keys[i]));
  on_groups_of_devices([&](on_devices const& ex) {
    auto const shapes = placements(std::ssize(keys), ex.ranks().size());
    std::vector<std::int32_t> places(keys.size());
    std::iota(places.begin(), places.end(), 0);
    auto k = placed_on_devices(ex, keys, shapes[3]);
    auto v = placed_on_devices(ex, places, shapes[3]);
    ravel::radix_sort_pairs(ex, k, v, k, v);
    expect_piece(ex, v, order);
    auto const sorted = to_host(ex.local(), k.local());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(sorted[i]), bits[i + k.first()]);
    }
  });
}

struct tagged {
  std::int16_t key;
  std::int32_t tag[5];
};

/// A key of each row, and of it only some bits.
TEST(SortOnDevices, RecordsByAKey) {
  std::vector<tagged> rows(4000);
  auto const random = random_keys(4000, 3000);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].key = static_cast<std::int16_t>(random[i] - 1500);
    std::ranges::fill(rows[i].tag, static_cast<std::int32_t>(i));
  }
  auto const by_key = [](tagged const& x) { return x.key; };
  auto sorted = rows, by_bits = rows;
  std::ranges::stable_sort(sorted, std::greater<>(), &tagged::key);
  std::ranges::stable_sort(by_bits, {}, [](tagged const& x) { return (x.key >> 2) & 7; });
  auto const expect = [](on_devices const& ex, auto const& x, std::vector<tagged> const& all) {
    auto const mine = to_host(ex.local(), x.local());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      tagged const& want = all[i + static_cast<std::size_t>(x.first())];
      EXPECT_EQ(mine[i].key, want.key);
      EXPECT_TRUE(std::ranges::equal(mine[i].tag, want.tag));
    }
  };
  on_groups_of_devices([&](on_devices const& ex) {
    auto const shapes = placements(std::ssize(rows), ex.ranks().size());
    auto const x = placed_on_devices(ex, rows, shapes[0]);
    distributed::sequence<tagged, on_devices> y(ex, shapes[4]);
    ravel::radix_sort(ex, x, y, by(by_key), descending);
    expect(ex, y, sorted);
    ravel::radix_sort(ex, x, y, by(by_key), bit_range{2, 5});
    expect(ex, y, by_bits);
  });
}

/// No rank gets more than it keeps of equal keys, which travel once.
TEST(SortOnDevices, EqualKeysAreShared) {
  std::vector<std::uint32_t> const keys(9000, 7);
  std::vector<std::int32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  on_groups_of_devices([&](on_devices const& ex) {
    auto const shapes = placements(std::ssize(keys), ex.ranks().size());
    auto k = placed_on_devices(ex, keys, shapes[0]);
    auto v = placed_on_devices(ex, places, shapes[0]);
    auto const sent = ex.ranks().sent();
    ravel::radix_sort_pairs(ex, k, v, k, v);
    expect_piece(ex, v, places);
    EXPECT_LT(ex.ranks().sent() - sent, std::uint64_t{45'000});  // samples and counts
  });
}

THOROUGH_TEST(SortOnDevices, UnevenKeys) {
  for (auto const& keys : kinds_of_keys(3000)) expect_sorted_up_and_down(keys);
}

/// The highest digits are even, but all keys of one are equal, and too many for a block.
THOROUGH_TEST(SortOnDevices, KeysThatAreUnevenWithinTheirHighestDigit) {
  std::vector<std::uint32_t> keys(80'000);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<std::uint32_t>(i % 4 << 30 | 5);
  expect_sorted_up_and_down(keys);
}

struct lists {
  std::vector<std::int32_t> next, ranks;
};
/// Nodes in a given order, in lists of `length` nodes.
lists lists_of(std::vector<std::int32_t> const& order, std::size_t length) {
  lists l{std::vector<std::int32_t>(order.size()), std::vector<std::int32_t>(order.size())};
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto const node = static_cast<std::size_t>(order[i]);
    bool const is_last = (i + 1) % length == 0 || i + 1 == order.size();
    l.next[node] = !is_last ? order[i + 1] : i % 2 == 0 ? order[i] : -1;
    l.ranks[node] = static_cast<std::int32_t>(i % length);
  }
  return l;
}

TEST(ListRankOnDevices, RanksWalkShares) {
  for (int const size : {1, 5, 31, 2001}) {
    std::vector<std::int32_t> upward(static_cast<std::size_t>(size));
    std::iota(upward.begin(), upward.end(), 0);
    auto random = upward, downward = upward;
    std::ranges::reverse(downward);
    std::ranges::shuffle(random, std::mt19937(1));
    for (auto const& order : {upward, downward, random}) {
      for (std::size_t const length : {1, 3, 700, 2001}) {
        auto const l = lists_of(order, length);
        on_groups_of_devices([&](on_devices const& ex) {
          auto const shapes = placements(size, ex.ranks().size());
          auto const links = placed_on_devices(ex, l.next, shapes[length % shapes.size()]);
          distributed::sequence<std::int32_t, on_devices> ranked(ex, links);
          list_rank(ex, links, ranked);
          expect_piece(ex, ranked, l.ranks);
        });
      }
    }
  }
}

TEST(ListRankOnDevices, SendsLinksCellsAndSublists) {
  std::vector<std::int32_t> order(6000);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, std::mt19937(3));
  auto const l = lists_of(order, order.size());
  on_groups_of_devices([&](on_devices const& ex) {
    int const p = ex.ranks().size();
    auto const links = placed_on_devices(ex, l.next, distributed::even_begins(6000, p));
    distributed::sequence<std::int32_t, on_devices> ranked(ex, links);
    auto const before = ex.ranks().sent();
    list_rank(ex, links, ranked);
    auto const sent = static_cast<index_t>(ex.ranks().sent() - before);
    index_t const of_nodes = index_t{8} * 6000 * (p - 1) / p;
    EXPECT_GE(sent, of_nodes);
    EXPECT_LE(sent, of_nodes + of_nodes / 64 + of_nodes * (2 + p) / 16 + 200 * p);
    expect_piece(ex, ranked, l.ranks);
  });
}

/// A list with all its splitters at the end, so that its first sublist ends early.
TEST(ListRankOnDevices, OneWalkPassesNearlyAllNodes) {
  std::vector<std::int32_t> order(40'000);
  std::iota(order.begin(), order.end(), 0);
  ravel::detail::splitters const by(std::ssize(order), 3);
  std::ranges::stable_partition(order, [&](int node) { return !by.has(node); });
  auto const l = lists_of(order, order.size());
  on_groups_of_devices([&](on_devices const& ex) {
    auto const links = placed_on_devices(ex, l.next, placements(40'000, ex.ranks().size())[0]);
    distributed::sequence<std::int32_t, on_devices> ranked(ex, links);
    list_rank(ex, links, ranked);
    expect_piece(ex, ranked, l.ranks);
  });
}

TEST(ListRankOnDevices, LinksThatAreNoListsEnd) {
  on_groups_of_devices([](on_devices const& ex) {
    std::vector<std::int32_t> next(100, 50);  // all link to one
    next[0] = 1, next[1] = 2, next[2] = 0;    // and a cycle
    next[50] = -1, next[98] = 99, next[99] = -1;
    auto const links = placed_on_devices(ex, next, placements(100, ex.ranks().size())[0]);
    distributed::sequence<std::int32_t, on_devices> ranked(ex, links);
    list_rank(ex, links, ranked);
    auto const mine = to_host(ex.local(), ranked.local());
    if (ex.ranks().rank() + 1 == ex.ranks().size()) {
      EXPECT_EQ(mine.back(), 1);
    }
  });
}

TEST(ListRankOnDevices, ALinkOutsideIsASentence) {
  auto const said = error_of([] {
    on_groups_of_devices([](on_devices const& ex) {
      auto const links =
          placed_on_devices(ex, std::vector<int>{1, 2, 7, -1},
                            ex.ranks().size() == 2 ? std::vector<index_t>{0, 1, 4}
                                                   : std::vector<index_t>{0, 1, 4, 4});
      distributed::sequence<int, on_devices> ranked(ex, links);
      list_rank(ex, links, ranked);
    });
  });
  EXPECT_NE(said.find("list_rank: 1 links of this rank are outside of [0, 4)"), said.npos) << said;
}

/// Rows of a grid, whose inner ones read x in place, and rows that all read remote elements.
TEST(SearchesOnDevices, OccurrencesOnSeveralRanks) {
  std::vector<int> all;
  for (int i = 0; i < 29; ++i) all.push_back(i % 7 % 3);
  on_groups_of_devices([&](auto const& ex) {
    index_t const p = ex.ranks().size();
    auto const x = placed_on_devices(ex, all, placements(29, ex.ranks().size()).back());
    for (int const m : {1, 9, 28}) {
      std::vector<int> const what(all.end() - m, all.end());
      auto const y = from(ex, what);
      EXPECT_EQ(search_sync(ex, x, y), search_sync(cpu::sequential(), all, what)) << p;
      EXPECT_EQ(find_end_sync(ex, x, y), 29 - m) << p;
    }
    auto const both = ex.template replicate<index_t>(2);
    minmax_element(ex, x, both);
    EXPECT_EQ(to_host(ex.local(), both.local()), (std::vector<index_t>{0, 26})) << p;
  });
}

TEST(SpmvOnDevices, InnerRowsAndOthers) {
  index_t const n = 600;
  for (index_t const far : {index_t{10}, n / 2}) {
    auto const entries = [&](index_t row, auto const& f) {
      for (index_t const c : {row - far, row - 1, row, row + far}) {
        if (c >= 0 && c < n) f(c, static_cast<double>(row % 7 + 1));
      }
    };
    std::vector<double> in(static_cast<std::size_t>(n)), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<double>(i % 13);
    }
    for (std::size_t r = 0; r < out.size(); ++r) {
      entries(static_cast<index_t>(r), [&](index_t c, double v) { out[r] += v * in[c]; });
    }
    on_groups_of_devices([&](on_devices const& ex) {
      for (auto const& shape : placements(n, ex.ranks().size())) {
        csr<std::vector<index_t>, std::vector<int>, std::vector<double>> block{0, n, {0}, {}, {}};
        int const rank = ex.ranks().rank();
        for (index_t r = shape[rank]; r < shape[rank + 1]; ++r, ++block.rows) {
          entries(r, [&](index_t c, double v) {
            block.columns.push_back(static_cast<int>(c));
            block.values.push_back(v);
          });
          block.offsets.push_back(std::ssize(block.columns));
        }
        auto const x = placed_on_devices(ex, in, shape);
        distributed::sequence<double, on_devices> y(ex, shape);
        distributed::csr const a(ex, to(ex.local(), block), shape);
        spmv_plan const plan(ex, a);
        ravel::spmv(ex, plan, x, y);
        expect_piece(ex, y, out);
      }
    });
  }
}

}  // namespace
}  // namespace ravel::testing::devices_test
