/// Pipelines and nested programs: each takes the values of the other where they are, and one explain
/// shows both.

#include <ravel/flatten/flatten.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <boost/hana/adapt_struct.hpp>

#include "support/executors.hpp"

#include <string>
#include <utility>

namespace ravel::nested_pipelines_test {

struct point {
  int x;
  double y;
};

}  // namespace ravel::nested_pipelines_test
BOOST_HANA_ADAPT_STRUCT(ravel::nested_pipelines_test::point, x, y);

namespace ravel::nested_pipelines_test {
namespace {

using numbers = std::vector<int>;
using rows = std::vector<numbers>;

struct is_odd {
  RAVEL_HD bool operator()(int x) const { return x % 2 == 1; }
};
struct doubled {
  RAVEL_HD int operator()(int x) const { return 2 * x; }
};
struct sum_of_members {
  RAVEL_HD double operator()(int x, double y) const { return x + y; }
};

template <class Ex>
struct nested_pipelines : ::testing::Test {
  Ex ex;
  rows const all{{3, 1, 2}, {}, {4, 1}, {5}};
};
TYPED_TEST_SUITE(nested_pipelines, testing::executors);

TYPED_TEST(nested_pipelines, begin_with_sequences_of_sequences) {
  auto const& ex = this->ex;
  auto const a = from(ex, this->all);
  EXPECT_EQ(on(ex, a) | reduce(plus{}) | to_vector(), (numbers{6, 0, 5, 5}));
  EXPECT_EQ(on(ex, a) | filter(is_odd{}) | join() | to_vector(), (numbers{3, 1, 1, 5}));
  EXPECT_EQ(on(ex, a) | map(doubled{}) | inclusive_scan(plus{}) | to_vector(),
            (numbers{6, 8, 12, 8, 10, 10}));
}

/// Slices, which are elsewhere in memory, and expressions.
TYPED_TEST(nested_pipelines, begin_with_what_programs_compute) {
  auto const& ex = this->ex;
  auto const a = from(ex, this->all);
  auto const tails = each(a, [](auto row) { return drop(row, min(len(row), 1)); });
  EXPECT_EQ(on(ex, tails) | reduce(plus{}) | to_vector(), (numbers{3, 0, 1, 0}));
  EXPECT_EQ(on(ex, each(a, [](auto row) { return row * 2; })) | reduce(plus{}) | to_vector(),
            (numbers{12, 0, 10, 10}));
  EXPECT_EQ(on(ex, each(a, [](auto row) { return sum(row); })) | map(doubled{}) | to_vector(),
            (numbers{12, 0, 10, 10}));
}

TYPED_TEST(nested_pipelines, begin_with_columns_of_structs) {
  auto const& ex = this->ex;
  auto const points = from(ex, std::vector<point>{{1, 0.5}, {2, 0.25}, {3, 4}});
  EXPECT_EQ(on(ex, points) | map(sum_of_members{}) | to_vector(), (std::vector{1.5, 2.25, 7.0}));
  auto const pairs = from(ex, std::vector<std::pair<int, double>>{{1, 0.5}, {2, 0.25}});
  EXPECT_EQ(on(ex, pairs) | map(sum_of_members{}) | to_vector(), (std::vector{1.5, 2.25}));
}

TYPED_TEST(nested_pipelines, are_operands_of_nested_programs) {
  auto const& ex = this->ex;
  auto const in = to(ex, numbers{3, 1, 2, 4, 1, 5});
  auto const scanned = from(ex, on(ex, in) | map(doubled{}) | inclusive_scan(plus{}));
  EXPECT_EQ(to_host(scanned), (numbers{6, 8, 12, 20, 22, 32}));
  auto const odd = from(ex, on(ex, in) | filter(is_odd{}));
  EXPECT_EQ(to_host(each(odd, [&](auto x) { return x + sum(scanned); })),
            (numbers{103, 101, 101, 105}));
}

TYPED_TEST(nested_pipelines, are_explained_as_steps) {
  auto const& ex = this->ex;
  auto const a = from(ex, this->all);
  auto const said = explain([&] {
    auto const sums = each(a, [](auto row) { return sum(row); });
    on(ex, sums) | filter(is_odd{}) | sort() | to_vector();
  });
  auto const at = [&](char const* what) { return said.find(what); };
  EXPECT_LT(at("segmented reduce"), at("pass: pack  ")) << said;
  EXPECT_LT(at("pass: pack  "), at("sort  ")) << said;
  EXPECT_NE(at("sort  "), std::string::npos) << said;
}

}  // namespace
}  // namespace ravel::nested_pipelines_test
