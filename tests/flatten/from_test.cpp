/// Host ranges of every kind as nested values, which all threads copy where they can, and back.

#include <ravel/core/checked.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <gtest/gtest.h>
#include <boost/hana/define_struct.hpp>

#include <cstddef>
#include <deque>
#include <list>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::from_test {
namespace {

namespace sv = std::views;
using ints = std::vector<int>;

struct city {
  BOOST_HANA_DEFINE_STRUCT(city, (std::string, name), (ints, districts));
};

/// Rows of 0 to 39 elements.
std::vector<ints> many_rows() {
  std::vector<ints> rows;
  for (int i = 0; i < 3000; ++i) {
    rows.emplace_back();
    for (int k = 0; k < i * 7919 % 40; ++k) rows.back().push_back(i + k);
  }
  return rows;
}

template <class Ex>
struct from_ranges : ::testing::Test {
  Ex ex;
};
struct checked_threads : checked_executor<cpu::threads> {
  checked_threads() : checked_executor<cpu::threads>(cpu::threads(3)) {}
};
using executors = ::testing::Types<cpu::threads, checked_threads>;
TYPED_TEST_SUITE(from_ranges, executors);

TYPED_TEST(from_ranges, of_ranges_by_index_and_in_order) {
  auto const& ex = this->ex;
  auto const rows = many_rows();
  EXPECT_EQ(to_host(from(ex, rows)), rows);
  EXPECT_EQ(to_host(from(ex, std::deque<ints>(rows.begin(), rows.end()))), rows);
  EXPECT_EQ(to_host(from(ex, std::list<ints>(rows.begin(), rows.end()))), rows);
  std::vector<std::list<int>> lists;
  for (ints const& row : rows) lists.emplace_back(row.begin(), row.end());
  EXPECT_EQ(to_host(from(ex, lists)), rows);
  auto const all = [](ints const& row) { return row | sv::filter([](int) { return true; }); };
  EXPECT_EQ(to_host(from(ex, rows | sv::transform(all))), rows);
  EXPECT_EQ(to_host(from(ex, rows | sv::transform([](ints const& row) { return ints(row); }))),
            rows);
  EXPECT_EQ(to_host(from(ex, rows | sv::join)), [&] {
    ints joined;
    for (ints const& row : rows) joined.insert(joined.end(), row.begin(), row.end());
    return joined;
  }());
}

TYPED_TEST(from_ranges, of_records_and_of_nothing) {
  auto const& ex = this->ex;
  std::vector<std::pair<int, double>> pairs;
  for (int i = 0; i < 20'000; ++i) pairs.emplace_back(i, 0.5 * i);
  auto const back = to_host(from(ex, pairs));
  ASSERT_EQ(back.size(), pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_EQ(back[i], std::tuple(pairs[i].first, pairs[i].second));
  }
  std::vector<city> const cities{{"Ulm", {3, 1}}, {"", {}}, {"Bonn", {2, 4, 1}}};
  auto const again = to_host(from(ex, cities));
  for (std::size_t i = 0; i < cities.size(); ++i) {
    EXPECT_EQ(again[i].name, cities[i].name);
    EXPECT_EQ(again[i].districts, cities[i].districts);
  }
  auto const made = sv::iota(0, 20'000) | sv::transform([](int i) { return std::pair(i, 'a'); });
  EXPECT_EQ(std::get<0>(to_host(from(ex, made))[19'999]), 19'999);
  std::vector<std::vector<ints>> const deep{{{1}, {}}, {}, {{2, 3}}};
  EXPECT_EQ(to_host(from(ex, deep)), deep);
  EXPECT_EQ(to_host(from(ex, ints{})), ints{});
  EXPECT_EQ(to_host(from(ex, std::vector<ints>(3))), std::vector<ints>(3));
  EXPECT_EQ(to_host(from(ex, std::vector{true, false})), (std::vector{true, false}));
  EXPECT_EQ(to_host(from(ex, 7)), 7);
}

TYPED_TEST(from_ranges, an_element_that_throws_is_what_the_caller_catches) {
  auto const refused = sv::iota(0, 20'000) | sv::transform([](int i) {
                         if (i == 12'345) throw std::runtime_error("refused");
                         return i;
                       });
  EXPECT_THROW(from(this->ex, refused), std::runtime_error);
}

}  // namespace
}  // namespace ravel::from_test
