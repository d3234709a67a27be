/// Ranges of the host on every executor, where they are copied by name: `to` and `from`.

#include <ravel/core/transfer.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/primitives/scan.hpp>

#include "support/executors.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <map>
#include <ranges>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ravel::copies_test {
namespace {

namespace sv = std::views;
using ints = std::vector<int>;

struct square {
  RAVEL_HD int operator()(int x) const { return x * x; }
};
struct is_odd {
  RAVEL_HD bool operator()(int x) const { return x % 2 != 0; }
};

template <class Ex>
struct copies : testing::on_executor<Ex> {
  template <class R>
  ints squares(R&& range) {
    auto const there = to(this->ex(), std::forward<R>(range));
    return on(this->ex(), there) | map(square{}) | to_vector();
  }
};
TYPED_TEST_SUITE(copies, testing::executors);

TYPED_TEST(copies, of_ranges_in_pipelines) {
  ints const v{3, 1, 2};
  std::istringstream numbers("3 1 2");
  EXPECT_EQ(this->squares(std::list{3, 1, 2}), (ints{9, 1, 4}));
  EXPECT_EQ(this->squares(std::deque{3, 1, 2}), (ints{9, 1, 4}));
  EXPECT_EQ(this->squares(v | sv::filter(is_odd{})), (ints{9, 1}));
  EXPECT_EQ(this->squares(v | sv::reverse | sv::take(2)), (ints{4, 1}));
  EXPECT_EQ(this->squares(sv::istream<int>(numbers)), (ints{9, 1, 4}));
  EXPECT_EQ(this->squares(std::map<char, int>{{'a', 3}} | sv::values), ints{9});
  EXPECT_EQ(this->squares(std::list<int>{}), ints{});
}

TYPED_TEST(copies, of_operands) {
  auto const& ex = this->ex();
  auto const v = to(ex, std::list{3, 1, 2});
  auto const index = to(ex, std::deque{2, 0});
  EXPECT_EQ(on(ex, v) | gather(index) | to_vector(), (ints{2, 3}));
  auto const sums = ex.template allocate<int>(3);
  inclusive_scan(ex, v, sums);
  EXPECT_EQ(to_host(ex, sums), (ints{3, 4, 6}));
}

TYPED_TEST(copies, of_nested_values) {
  auto const& ex = this->ex();
  std::list<std::deque<int>> const rows{{3, 1}, {}, {2}};
  EXPECT_EQ(to_host(each(from(ex, rows), [](auto row) { return sum(row); })), (ints{4, 0, 2}));
  std::map<std::string, ints> const named{{"a", {1, 2}}, {"b", {3}}};
  EXPECT_EQ(to_host(each(from(ex, named), [](auto entry) { return sum(snd(entry)); })),
            (ints{3, 3}));
  EXPECT_EQ(to_host(sum(from(ex, sv::iota(1, 4) | sv::transform(square{})))), 14);
}

}  // namespace
}  // namespace ravel::copies_test
