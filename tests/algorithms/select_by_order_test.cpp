/// Selection by an order on the host: what a stable sort has there.

#include <ravel/algorithms/selection.hpp>
#include <ravel/core/cpu/executor.hpp>

#include "support/briefly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace ravel::select_by_order_test {
namespace {

struct item {
  int key, place;
  friend bool operator==(item const&, item const&) = default;
};
struct by_key_of_item {
  bool operator()(item const& x, item const& y) const { return x.key < y.key; }
};
struct even_first {
  bool operator()(int x, int y) const { return x % 2 == 0 && y % 2 != 0; }
};

TEST(select_by_order, examples) {
  cpu::threads const ex(2);
  std::vector<int> const in{3, 1, 2, 4, 1, 5};
  std::vector<int> one(1), three(3);
  nth_element(ex, in, 1, one, even_first{});
  EXPECT_EQ(one[0], 4);
  top_k(ex, in, three, even_first{});
  EXPECT_EQ(three, (std::vector<int>{2, 4, 3}));
}

TEST(select_by_order, agrees_with_a_stable_sort) {
  cpu::threads const ex(3);
  for (int const n : {1, 100, 100'000}) {
    for (int const keys : {1, 3, 1 << 20}) {
      std::vector<item> in;
      for (int i = 0; i < n; ++i)
        in.push_back({static_cast<int>(i * 48271LL % 2147483647) % keys, i});
      auto sorted = in;
      std::stable_sort(sorted.begin(), sorted.end(), by_key_of_item{});
      for (int const k : {0, 1, n / 3, n - 1, n}) {
        std::vector<item> out(static_cast<std::size_t>(k)), one(1);
        top_k(ex, in, out, by_key_of_item{});
        ASSERT_TRUE(std::equal(out.begin(), out.end(), sorted.begin()))
            << n << ' ' << keys << ' ' << k;
        if (k == n) continue;
        nth_element(ex, in, k, one, by_key_of_item{});
        ASSERT_EQ(one[0], sorted[static_cast<std::size_t>(k)]) << n << ' ' << keys << ' ' << k;
      }
    }
  }
}

/// The first ones of many, by threads that each keep a few: orders of the input that make them keep
/// few or all, and equivalent elements at the bound of the sample.
THOROUGH_TEST(select_by_order, agrees_where_few_of_many_are_selected) {
  constexpr int n = 100'000;
  auto const agrees = [](char const* what, auto key) {
    SCOPED_TRACE(what);
    std::vector<item> in;
    for (int i = 0; i < n; ++i) in.push_back({static_cast<int>(key(i)), i});
    std::vector<std::string> words;
    for (item const& x : in) words.push_back(std::to_string(1'000'000 + x.key));
    auto sorted = in;
    std::stable_sort(sorted.begin(), sorted.end(), by_key_of_item{});
    for (std::size_t const k : {1, 10, 1000, n / 64, n / 64 + 1}) {
      SCOPED_TRACE(k);
      std::vector<item> out(k), alone(k);
      std::vector<std::string> least(k);
      top_k(cpu::threads(3), in, out, by_key_of_item{});
      top_k(cpu::sequential{}, in, alone, by_key_of_item{});
      top_k(cpu::threads(3), words, least, std::less<>{});
      EXPECT_TRUE(std::equal(out.begin(), out.end(), sorted.begin()));
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), sorted.begin()));
      for (std::size_t i = 0; i < k; ++i) {
        ASSERT_EQ(least[i], std::to_string(1'000'000 + sorted[i].key)) << i;
      }
    }
  };
  auto const any = [](int i) { return i * 48271LL % 2147483647 % n; };
  agrees("any", any);
  agrees("ascending", [](int i) { return i; });
  agrees("descending", [](int i) { return n - i; });
  agrees("one value", [](int) { return 7; });
  agrees("ten values", [&](int i) { return any(i) % 10; });
  agrees("ten values, descending", [](int i) { return 10 - i / 10'000; });
  agrees("one that is less", [](int i) { return i != 70'000; });
  agrees("one that is greater", [](int i) { return i == 0; });
  agrees("few that are less than most", [&](int i) { return any(i) % 200 == 0 ? any(i) : n; });
}

/// Unordered elements, as NaNs by <: each result is an element of the input, once.
THOROUGH_TEST(select_by_order, takes_elements_once_among_nans) {
  std::vector<double> in(100'000), out(1000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i % 3 == 0 ? std::nan("") : double(i);
  top_k(cpu::threads(2), in, out, std::less<>{});
  std::erase_if(out, [](double x) { return std::isnan(x); });
  std::sort(out.begin(), out.end());
  EXPECT_EQ(std::adjacent_find(out.begin(), out.end()), out.end());
}

TEST(select_by_order, passes_exceptions_on) {
  std::vector<int> in(100'000), out(10);
  std::iota(in.begin(), in.end(), 0);
  auto const throws = [](int x, int y) {
    return x == 77'777 ? throw std::domain_error("") : x < y;
  };
  EXPECT_THROW(top_k(cpu::threads(3), in, out, throws), std::domain_error);
}

/// An order that is none: each result is an element of the input, once.
THOROUGH_TEST(select_by_order, writes_elements_whatever_the_order) {
  std::vector<int> in(100'000), out(1000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i);
  auto const no_order = [](int x, int y) { return (x * 31 + y * 17) % 3 == 0; };
  auto const always = [](int, int) { return true; };
  auto const takes_each_once = [&](auto before) {
    for (std::size_t const k : {1000, 10'000}) {
      out.resize(k);
      top_k(cpu::threads(2), in, out, before);
      std::sort(out.begin(), out.end());
      EXPECT_EQ(std::adjacent_find(out.begin(), out.end()), out.end()) << k;
    }
  };
  takes_each_once(no_order);
  takes_each_once(always);
}

TEST(select_by_order, refuses_what_is_not_there) {
  std::vector<int> const in{3, 1};
  std::vector<int> one(1), three(3);
  EXPECT_THROW(nth_element(cpu::threads(2), in, 2, one, even_first{}), contract_error);
  EXPECT_THROW(top_k(cpu::threads(2), in, three, even_first{}), contract_error);
}

}  // namespace
}  // namespace ravel::select_by_order_test
