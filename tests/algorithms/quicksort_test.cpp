#include <ravel/algorithms/quicksort.hpp>

#include "support/executors.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace ravel::quicksort_test {
namespace {

template <class Ex>
struct quicksort : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(quicksort, testing::executors);

/// By the tens, so that elements of one ten show whether the sort is stable.
struct by_tens {
  RAVEL_HD bool operator()(std::int32_t a, std::int32_t b) const { return a / 10 < b / 10; }
};

TYPED_TEST(quicksort, sorts_stably) {
  std::mt19937 random{5};
  for (index_t const n : {0, 1, 2, 47, 48, 49, 1000, 20'000}) {
    for (std::int32_t const limit : {1, 40, 100'000}) {
      std::vector<std::int32_t> in;
      for (index_t i = 0; i < n; ++i)
        in.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(limit)));
      auto wanted = in;
      std::stable_sort(wanted.begin(), wanted.end(), by_tens{});
      auto const from = this->there(in);
      auto out = this->template allocate<std::int32_t>(n);
      ravel::quicksort_sync(this->ex(), from, out, by_tens{});
      EXPECT_EQ(this->here(out), wanted) << n << " below " << limit;
    }
  }
}

TYPED_TEST(quicksort, sorts_in_place_what_is_in_order_or_alternates) {
  index_t const n = 5000;
  std::vector<std::int32_t> ascending, descending, alternating;
  for (std::int32_t i = 0; i < n; ++i) {
    ascending.push_back(i);
    descending.push_back(static_cast<std::int32_t>(n) - i);
    alternating.push_back(i % 2 == 0 ? i : -i);
  }
  for (auto const& in : {ascending, descending, alternating}) {
    auto wanted = in;
    std::sort(wanted.begin(), wanted.end());
    auto data = this->there(in);
    ravel::quicksort_sync(this->ex(), data, data);
    EXPECT_EQ(this->here(data), wanted);
  }
}

}  // namespace
}  // namespace ravel::quicksort_test
