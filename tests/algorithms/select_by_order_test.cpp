/// Selection by an order on the host: what a stable sort has there.

#include <ravel/algorithms/selection.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <gtest/gtest.h>

#include <algorithm>
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

/// An order that is none: each result is an element of the input, once.
TEST(select_by_order, writes_elements_whatever_the_order) {
  std::vector<int> in(100'000), out(1000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i);
  top_k(cpu::threads(2), in, out, [](int x, int y) { return (x * 31 + y * 17) % 3 == 0; });
  std::sort(out.begin(), out.end());
  EXPECT_EQ(std::adjacent_find(out.begin(), out.end()), out.end());
}

TEST(select_by_order, refuses_what_is_not_there) {
  std::vector<int> const in{3, 1};
  std::vector<int> one(1), three(3);
  EXPECT_THROW(nth_element(cpu::threads(2), in, 2, one, even_first{}), contract_error);
  EXPECT_THROW(top_k(cpu::threads(2), in, three, even_first{}), contract_error);
}

}  // namespace
}  // namespace ravel::select_by_order_test
