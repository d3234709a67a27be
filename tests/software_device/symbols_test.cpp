/// The symbolic monoid: trees of what algorithms combine.

#include <ravel/software_device/symbols.hpp>

#include "support/executors.hpp"

#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan_algorithm.hpp>
#include <ravel/software_device/forms.hpp>

#include <string>
#include <vector>

namespace ravel::symbols_test {
namespace {

using software::symbol;
using software::symbolic;
using software::tree_of;

template <class Ex, class... By>
std::vector<std::string> trees(Ex const& ex, index_t n, By... by) {
  auto const in = to(ex, software::symbols(n));
  auto const out = ex.template allocate<symbol>(n);
  inclusive_scan(ex, in, out, symbolic{}, by...);
  std::vector<std::string> all;
  for (symbol const s : to_host(ex, out)) all.push_back(tree_of(s));
  return all;
}

TEST(symbols, show_the_tree_of_each_result) {
  cpu::sequential const ex;
  EXPECT_EQ(trees(ex, 4), (std::vector<std::string>{"a", "(a b)", "((a b) c)", "(((a b) c) d)"}));
  EXPECT_EQ(trees(ex, 8, scan_algorithm::step_doubling).back(), "(((a b) (c d)) ((e f) (g h)))");
  EXPECT_EQ(trees(ex, 8, scan_algorithm::brent_kung)[6], "((((a b) (c d)) (e f)) g)");
}

TEST(symbols, of_the_identity_are_empty_and_of_many_have_numbers) {
  EXPECT_EQ(tree_of(symbolic::identity()), "");
  auto const x = software::symbols(28);
  EXPECT_EQ(tree_of(symbolic{}(x[25], x[27])), "(z x27)");
  EXPECT_EQ(symbolic{}(symbolic::identity(), x[3]), x[3]);
  EXPECT_EQ(symbolic{}(x[3], symbolic::identity()), x[3]);
}

/// Elements are combined once each and in order, however they are grouped.
template <class Ex, class... By>
void expect_in_order(Ex const& ex, By... by) {
  index_t const n = 300;
  std::string expected;
  index_t i = 0;
  for (std::string tree : trees(ex, n, by...)) {
    std::erase_if(tree, [](char c) { return c == '(' || c == ')'; });
    expected += (i > 0 ? " " : "") + tree_of(software::symbols(i + 1).back());
    ASSERT_EQ(tree, expected);
    if (++i == 40) return;
  }
}

TEST(symbols, are_combined_in_order_on_every_executor) {
  expect_in_order(cpu::threads(3));
#ifndef RAVEL_UNDER_TSAN  // it cannot follow fibres
  using namespace scan_algorithm;
  software_device const ex{3};
  expect_in_order(ex);
  expect_in_order(ex, decoupled_look_back);
  expect_in_order(ex, lightscan);
  expect_in_order(ex, local_sums);
  expect_in_order(ex, warp_hierarchical);
#endif
}

}  // namespace
}  // namespace ravel::symbols_test
