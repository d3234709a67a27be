#pragma once

/// The laws that the concept executor names and the compiler cannot check.

#include <ravel/core/concepts.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/transfer.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace ravel::testing {

/// Records every tile, its leaders, and every index in it.
struct note_tiles {
  tile* tiles;
  int* leaders;  // of each tile
  int* visits;   // of each index

  struct note_index {
    int* visits;
    RAVEL_HD void operator()(index_t i) const { ++visits[i]; }
  };
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.for_each(t, note_index{visits});
    if (team.leads()) {
      tiles[t.id] = t;
      ++leaders[t.id];
    }
  }
};

/// x = factor x + i, for element i.
struct multiply_and_add_index {
  int* x;
  int factor;

  struct change {
    int* x;
    int factor;
    RAVEL_HD void operator()(index_t i) const { x[i] = factor * x[i] + static_cast<int>(i); }
  };
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.for_each(t, change{x, factor});
  }
};

inline std::vector<int> numbers_from(int first, index_t n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// for_each_tile(n, f) calls f for tile_count(n) tiles, which are consecutive from 0 to n; a team
/// visits each index of its tile once and has one leader.
template <executor Ex>
void expect_tiles_cover_each_index_once(Ex const& ex, index_t n) {
  SCOPED_TRACE(n);
  index_t const count = ex.tile_count(n);
  auto const tiles = ex.template allocate<tile>(count);
  auto const leaders = to(ex, std::vector<int>(static_cast<std::size_t>(count)));
  auto const visits = to(ex, std::vector<int>(static_cast<std::size_t>(n)));
  ex.for_each_tile(n, note_tiles{tiles.data(), leaders.data(), visits.data()});

  EXPECT_EQ(to_host(ex, visits), std::vector<int>(static_cast<std::size_t>(n), 1));
  EXPECT_EQ(to_host(ex, leaders), std::vector<int>(static_cast<std::size_t>(count), 1));
  index_t id = 0;
  index_t end = 0;
  for (tile const& t : to_host(ex, tiles)) {
    EXPECT_EQ(t.id, id++);
    EXPECT_EQ(t.begin, end);
    EXPECT_LT(t.begin, t.end);
    end = t.end;
  }
  EXPECT_EQ(end, n);
}

/// Work issued earlier completes earlier, without waiting in between.
template <executor Ex>
void expect_order_of_issue(Ex const& ex, index_t n) {
  SCOPED_TRACE(n);
  auto const x = to(ex, numbers_from(1, n));
  auto const y = ex.template allocate<int>(n);
  ex.for_each_tile(n, multiply_and_add_index{x.data(), 3});
  ex.copy(x.data(), y.data(), n);
  ex.for_each_tile(n, multiply_and_add_index{x.data(), 5});

  std::vector<int> first = numbers_from(1, n);
  std::vector<int> second = first;
  for (int i = 0; i < n; ++i) {
    auto const k = static_cast<std::size_t>(i);
    first[k] = 3 * first[k] + i;
    second[k] = 5 * first[k] + i;
  }
  EXPECT_EQ(to_host(ex, y), first);
  EXPECT_EQ(to_host(ex, x), second);
}

/// take(n) returns n elements that nothing else uses, for their lifetime.
template <executor Ex, class Take>
void expect_memory_of_its_own(Ex const& ex, Take take) {
  auto const filled = [&](index_t n, int first) {
    auto made = take(n);
    EXPECT_EQ(size_of(made), n);
    auto const numbers = numbers_from(first, n);
    ex.copy(numbers.data(), view_of(made).data(), n);
    ex.wait();
    return made;
  };
  auto const a = filled(1000, 1);
  auto const none = filled(0, 0);
  auto const b = filled(1, 2);
  {
    auto const inner = filled(70000, 3);
    EXPECT_EQ(to_host(ex, inner), numbers_from(3, 70000));
  }
  auto const c = filled(3'000'000, 4);
  EXPECT_EQ(to_host(ex, a), numbers_from(1, 1000));
  EXPECT_EQ(to_host(ex, none), std::vector<int>());
  EXPECT_EQ(to_host(ex, b), numbers_from(2, 1));
  EXPECT_EQ(to_host(ex, c), numbers_from(4, 3'000'000));
}

template <executor Ex>
void expect_executor_laws(Ex const& ex) {
  EXPECT_EQ(ex.tile_count(0), 0);
  for (index_t const n : {0, 1, 2, 63, 64, 65, 511, 512, 513, 2047, 2048, 2049, 4095, 4096, 4097,
                          16383, 16384, 16385, 100'003}) {
    expect_tiles_cover_each_index_once(ex, n);
    expect_order_of_issue(ex, n);
  }
  expect_memory_of_its_own(ex, [&](index_t n) { return ex.template allocate<int>(n); });
  expect_memory_of_its_own(ex, [&](index_t n) { return ex.template scratch<int>(n); });
  EXPECT_THROW(ex.template allocate<int>(-1), contract_error);
  EXPECT_THROW(ex.template scratch<int>(-1), contract_error);
}

}  // namespace ravel::testing
