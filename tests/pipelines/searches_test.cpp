/// Sinks that search.

#include <ravel/pipelines/pipelines.hpp>

#include "support/executors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ravel::searches_test {
namespace {

using ints = std::vector<int>;

struct is_even {
  RAVEL_HD bool operator()(int x) const { return x % 2 == 0; }
};
struct is_negative {
  RAVEL_HD bool operator()(int x) const { return x < 0; }
};
struct half {
  RAVEL_HD int operator()(int x) const { return x / 2; }
};
struct greater {
  RAVEL_HD bool operator()(int x, int y) const { return x > y; }
};
struct same_parity {
  RAVEL_HD bool operator()(int x, int y) const { return (x - y) % 2 == 0; }
};

template <class Ex>
struct searches : ::testing::Test {
  Ex ex;
  template <class... Values>
  auto of(Values... values) {
    return to(ex, ints{values...});
  }
};
TYPED_TEST_SUITE(searches, testing::executors);

TYPED_TEST(searches, find_an_element) {
  auto const in = this->of(3, 1, 2, 4, 1, 5);
  auto const p = on(this->ex, in);
  EXPECT_EQ((p | find_if(is_even{})).get(), 2);
  EXPECT_EQ((p | find_if(is_negative{})).get(), 6);
  EXPECT_EQ((p | map(half{}) | find_if(is_even{})).get(), 1);
  EXPECT_EQ((p | drop(3) | find_if(is_even{})).get(), 0);
  EXPECT_EQ((on(this->ex, iota(0)) | find_if(is_even{})).get(), 0);
  // Positions are of what a filter keeps: 2 4.
  EXPECT_EQ((p | filter(is_even{}) | map(half{}) | find_if(is_even{})).get(), 1);
  EXPECT_EQ((p | filter(is_even{}) | find_if(is_negative{})).get(), 2);
  EXPECT_EQ((p | inclusive_scan(plus{}) | find_if(is_even{})).get(), 0 + 1);
}

TYPED_TEST(searches, find_any_and_all) {
  auto const in = this->of(3, 1, 2, 4, 1, 5);
  auto const p = on(this->ex, in);
  EXPECT_TRUE((p | any_of(is_even{})).get());
  EXPECT_FALSE((p | all_of(is_even{})).get());
  EXPECT_FALSE((p | none_of(is_even{})).get());
  EXPECT_TRUE((p | none_of(is_negative{})).get());
  EXPECT_TRUE((p | filter(is_even{}) | all_of(is_even{})).get());
  EXPECT_FALSE((p | filter(is_even{}) | any_of(is_negative{})).get());
  EXPECT_TRUE((p | inclusive_scan(plus{}) | any_of(is_even{})).get());
  auto const none = on(this->ex, iota(0));
  EXPECT_FALSE((none | any_of(is_even{})).get());
  EXPECT_TRUE((none | all_of(is_even{})).get());
  EXPECT_TRUE((none | none_of(is_even{})).get());
}

TYPED_TEST(searches, compare_neighbours) {
  auto const in = this->of(3, 1, 1, 4, 4), sorted = this->of(1, 1, 3, 4), parts = this->of(4, 2, 3);
  auto const p = on(this->ex, in);
  EXPECT_EQ((p | adjacent_find()).get(), 1);
  EXPECT_EQ((p | adjacent_find(less{})).get(), 2);
  EXPECT_EQ((p | unique() | adjacent_find()).get(), 3);
  EXPECT_EQ((p | take(1) | adjacent_find()).get(), 1);
  EXPECT_EQ((p | take(0) | adjacent_find()).get(), 0);
  EXPECT_FALSE((p | is_sorted()).get());
  EXPECT_TRUE((on(this->ex, sorted) | is_sorted()).get());
  EXPECT_FALSE((on(this->ex, sorted) | is_sorted(greater{})).get());
  EXPECT_TRUE((p | filter(is_even{}) | is_sorted()).get());
  EXPECT_TRUE((p | take(0) | is_sorted()).get());
  EXPECT_TRUE((on(this->ex, parts) | is_partitioned(is_even{})).get());
  EXPECT_FALSE((on(this->ex, parts) | reverse() | is_partitioned(is_even{})).get());
}

TYPED_TEST(searches, compare_sequences) {
  auto const in = this->of(3, 1, 2), longer = this->of(3, 1, 2, 4), other = this->of(3, 4);
  auto const p = on(this->ex, in);
  EXPECT_EQ((p | mismatch(other)).get(), 1);
  EXPECT_EQ((p | mismatch(longer)).get(), 3);
  EXPECT_EQ((p | mismatch(other, same_parity{})).get(), 1);
  EXPECT_EQ((p | mismatch(iota(0))).get(), 0);
  EXPECT_TRUE((p | equal(in)).get());
  EXPECT_FALSE((p | equal(longer)).get());
  EXPECT_FALSE((p | equal(on(this->ex, in) | reverse())).get());
  EXPECT_TRUE((on(this->ex, longer) | filter(is_even{}) |
               equal(p | filter(is_even{}) | concat(constant(4, 1))))
                  .get());
  EXPECT_FALSE((p | filter(is_even{}) | equal(in)).get());
  EXPECT_TRUE((p | lexicographical_compare(other)).get());
  EXPECT_TRUE((p | lexicographical_compare(longer)).get());
  EXPECT_FALSE((p | lexicographical_compare(in)).get());
  EXPECT_FALSE((on(this->ex, longer) | lexicographical_compare(in)).get());
  EXPECT_FALSE((p | lexicographical_compare(other, greater{})).get());
  EXPECT_TRUE((on(this->ex, iota(0)) | lexicographical_compare(in)).get());
}

TYPED_TEST(searches, find_one_sequence_in_another) {
  auto const in = this->of(3, 1, 2, 1, 2, 5), what = this->of(1, 2), other = this->of(2, 5, 7);
  auto const p = on(this->ex, in);
  EXPECT_EQ((p | search(what)).get(), 1);
  EXPECT_EQ((p | find_end(what)).get(), 3);
  EXPECT_EQ((p | search(other)).get(), 6);
  EXPECT_EQ((p | find_end(other)).get(), 6);
  EXPECT_EQ((p | search(on(this->ex, other) | take(2))).get(), 4);
  EXPECT_EQ((p | find_end(on(this->ex, what) | reverse())).get(), 2);
  EXPECT_EQ((p | search(what, same_parity{})).get(), 1);
  EXPECT_EQ((p | map(half{}) | search(constant(0, 2))).get(), 6);
  EXPECT_EQ((p | search(iota(0))).get(), 0);
  EXPECT_EQ((p | find_end(iota(0))).get(), 6);
  EXPECT_EQ((p | take(1) | search(what)).get(), 1);
  // Of what filters keep: 2 2 in 2 2, 5 in 3 1 1 5.
  EXPECT_EQ((p | filter(is_even{}) | search(p | filter(is_even{}))).get(), 0);
  EXPECT_EQ((p | filter(is_even{}) | find_end(constant(2, 1))).get(), 1);
  EXPECT_EQ((p | filter(is_even{}) | search(constant(2, 3))).get(), 2);
  EXPECT_EQ((p | search(p | filter(is_negative{}))).get(), 0);
}

TYPED_TEST(searches, find_the_least_and_greatest) {
  auto const in = this->of(5, 1, 2, 5, 1, 3);
  auto const p = on(this->ex, in);
  EXPECT_EQ((p | min_element()).get(), 1);
  EXPECT_EQ((p | max_element()).get(), 0);
  EXPECT_EQ((p | min_element(greater{})).get(), 0);
  EXPECT_EQ((p | minmax_element()).get(), (row<index_t, index_t>{1, {3}}));
  EXPECT_EQ((p | filter(is_even{}) | max_element()).get(), 0);
  EXPECT_EQ((p | inclusive_scan(plus{}) | max_element()).get(), 5);
  EXPECT_EQ((p | take(0) | min_element()).get(), 0);
  EXPECT_EQ((p | take(0) | minmax_element()).get(), (row<index_t, index_t>{0, {0}}));
}

TYPED_TEST(searches, long_sequences) {
  index_t const n = 100'000;
  auto const in = to(this->ex, [&] {
    ints x(static_cast<std::size_t>(n), 2);
    x[70'000] = x[90'000] = 1;
    return x;
  }());
  auto const p = on(this->ex, in);
  EXPECT_EQ((p | min_element()).get(), 70'000);
  EXPECT_EQ((p | max_element()).get(), 0);
  EXPECT_EQ((p | minmax_element()).get(), (row<index_t, index_t>{70'000, {n - 1}}));
  EXPECT_EQ((p | adjacent_find(greater{})).get(), 69'999);
  EXPECT_EQ((p | mismatch(constant(2, n))).get(), 70'000);
  EXPECT_FALSE((p | all_of(is_even{})).get());
}

#ifndef __CUDACC__  // lambdas of the host
cpu::threads const ex;

TEST(searches_on_the_host, stop_early) {
  int calls = 0;
  auto const counted = [&calls](int x) { return ++calls, x; };
  cpu::sequential const one;
  EXPECT_TRUE(
      (on(one, iota(1'000'000)) | map(counted) | any_of([](int x) { return x == 10; })).get());
  EXPECT_LT(calls, 100'000);
}

TEST(searches_on_the_host, take_elements_of_any_type) {
  std::vector<std::string> const words{"if", "else", "do", "while"};
  EXPECT_EQ((on(ex, words) | min_element()).get(), 2);
  EXPECT_EQ((on(ex, words) | max_element([](auto const& x, auto const& y) {
               return x.size() < y.size();
             })).get(),
            3);
  EXPECT_EQ((on(ex, words) | find_if(&std::string::empty)).get(), 4);
  EXPECT_FALSE((on(ex, words) | equal(std::list<std::string>{"if"})).get());
  std::vector<std::unique_ptr<int>> owners;
  for (int const x : {3, 1, 2}) owners.push_back(std::make_unique<int>(x));
  EXPECT_EQ(
      (on(ex, owners) | min_element([](auto const& x, auto const& y) { return *x < *y; })).get(),
      1);
  auto const [least, greatest] = (on(ex, words) | minmax_element()).get();
  EXPECT_EQ(words[static_cast<std::size_t>(least)] + words[static_cast<std::size_t>(greatest)],
            "dowhile");
}

TEST(searches_on_the_host, spread_rows) {
  ints const a{3, 1, 2}, b{1, 1, 2};
  EXPECT_EQ((on(ex, zip(a, b)) | find_if(ravel::equal_to{})).get(), 1);
  EXPECT_TRUE((on(ex, zip(a, b)) | any_of([](int x, int y) { return x == y; })).get());
}
#endif

}  // namespace
}  // namespace ravel::searches_test
