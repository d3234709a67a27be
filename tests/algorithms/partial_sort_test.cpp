/// Partial sorts, beside a stable sort.

#include <ravel/algorithms/partial_sort.hpp>

#include <ravel/core/error.hpp>

#include "support/executors.hpp"
#ifndef __CUDACC__
#  include <ravel/algorithms/cuda/selection.cuh>
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ravel::partial_sort_test {
namespace {

struct even_first {
  RAVEL_HD bool operator()(int x, int y) const { return x % 2 == 0 && y % 2 != 0; }
};

template <class Ex>
struct partial_sort_of : testing::on_executor<Ex> {
  template <class T, class Before = less>
  std::vector<T> sorted(std::vector<T> const& in, index_t k, Before before = {}) {
    auto const there = to(this->ex(), in);
    partial_sort(this->ex(), there, k, before);
    return to_host(this->ex(), there);
  }
  /// The front is that of a stable sort, and the whole a permutation.
  template <class T, class Before = less, class By = std::less<>>
  void expect_sorted(std::vector<T> in, index_t k, Before before = {}, By by = {}) {
    auto const found = sorted(in, k, before);
    std::stable_sort(in.begin(), in.end(), by);
    ASSERT_TRUE(std::equal(in.begin(), in.begin() + k, found.begin())) << in.size() << ' ' << k;
    auto all = found;
    std::stable_sort(all.begin(), all.end());
    std::stable_sort(in.begin(), in.end());
    EXPECT_EQ(all, in) << in.size() << ' ' << k;
  }
};
TYPED_TEST_SUITE(partial_sort_of, testing::device_if_thorough);

TYPED_TEST(partial_sort_of, example) {
  std::vector<int> const in{3, 1, 2, 4, 1, 5};
  auto const front = [](std::vector<int> const& all) {
    return std::vector(all.begin(), all.begin() + 3);
  };
  EXPECT_EQ(front(this->sorted(in, 3)), (std::vector{1, 1, 2}));
  EXPECT_EQ(front(this->sorted(in, 3, even_first{})), (std::vector{2, 4, 3}));
  EXPECT_EQ(front(this->sorted(in, 3, std::greater<>{})), (std::vector{5, 4, 3}));
}

TYPED_TEST(partial_sort_of, any_number_of_elements) {
  std::mt19937 random(3);
  for (index_t const n : {0, 1, 2, 100, 5'000}) {
    for (unsigned const values : {1u, 5u, 1u << 30}) {
      std::vector<int> in(static_cast<std::size_t>(n));
      for (int& x : in) x = static_cast<int>(random() % values);
      for (index_t const k : {index_t{0}, n / 100, n / 3, n}) {
        this->expect_sorted(in, k);
        this->expect_sorted(in, k, std::greater<>{}, std::greater<>{});
      }
    }
  }
}

THOROUGH_TYPED_TEST(partial_sort_of, numbers_that_may_be_nan) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const found = this->sorted(std::vector{nan, 3.0, nan, 1.0, 2.0, nan}, 4);
  EXPECT_EQ(std::vector(found.begin(), found.begin() + 3), (std::vector{1.0, 2.0, 3.0}));
  EXPECT_TRUE(std::isnan(found[3]) && std::isnan(found[5]));
}

TYPED_TEST(partial_sort_of, k_is_verified) {
  auto const there = to(this->ex(), std::vector{3, 1});
  try {
    partial_sort(this->ex(), there, 3);
    ADD_FAILURE() << "more than there are";
  } catch (contract_error const& e) {
    EXPECT_STREQ(e.what(), "partial_sort: k is 3, and there are 2 elements");
  }
  EXPECT_THROW(partial_sort(this->ex(), there, -1), contract_error);
}

#ifndef __CUDACC__  // where functions of hosts in kernels are errors
TEST(partial_sort, of_strings) {
  std::vector<std::string> words{"to", "be", "or", "not"};
  partial_sort(cpu::threads{}, words, 2);
  EXPECT_EQ(words[0], "be");
  EXPECT_EQ(words[1], "not");
}
#endif

}  // namespace
}  // namespace ravel::partial_sort_test
