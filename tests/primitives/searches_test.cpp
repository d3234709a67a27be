#include <ravel/primitives/searches.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/said_by.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ravel::searches_test {
namespace {

using ints = std::vector<int>;

struct even_number {
  RAVEL_HD bool operator()(int x) const { return x % 2 == 0; }
};
struct negative_number {
  RAVEL_HD bool operator()(int x) const { return x < 0; }
};
struct downward {
  RAVEL_HD bool operator()(int x, int y) const { return x > y; }
};

template <class Ex>
struct searches : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(searches, testing::all_executors);

TYPED_TEST(searches, give_the_examples_in_the_header) {
  auto const& ex = this->ex();
  auto const x = this->there(ints{3, 1, 2, 4, 1, 5}), y = this->there(ints{3, 1, 1, 4, 4}),
             sorted = this->there(ints{1, 1, 3, 4}), parts = this->there(ints{4, 2, 3, 1}),
             word = this->there(ints{3, 1, 2, 4}), other = this->there(ints{3, 1, 7}),
             text = this->there(ints{3, 1, 2, 1, 2, 5}), what = this->there(ints{1, 2});
  EXPECT_TRUE(any_of_sync(ex, x, even_number{}));
  EXPECT_FALSE(all_of_sync(ex, x, even_number{}));
  EXPECT_TRUE(none_of_sync(ex, x, negative_number{}));
  EXPECT_EQ(adjacent_find_sync(ex, y), 1);
  EXPECT_EQ(adjacent_find_sync(ex, x), 6);
  EXPECT_TRUE(is_sorted_sync(ex, sorted));
  EXPECT_FALSE(is_sorted_sync(ex, sorted, downward{}));
  EXPECT_TRUE(is_partitioned_sync(ex, parts, even_number{}));
  EXPECT_FALSE(is_partitioned_sync(ex, x, even_number{}));
  EXPECT_EQ(mismatch_sync(ex, word, other), 2);
  EXPECT_FALSE(equal_sync(ex, word, other));
  EXPECT_TRUE(equal_sync(ex, x, x));
  EXPECT_TRUE(lexicographical_compare_sync(ex, word, other));
  EXPECT_FALSE(lexicographical_compare_sync(ex, other, word));
  EXPECT_EQ(search_sync(ex, text, what), 1);
  EXPECT_EQ(find_end_sync(ex, text, what), 3);
  EXPECT_EQ(search_sync(ex, text, other), 6);
  EXPECT_EQ(min_element_sync(ex, x), 1);
  EXPECT_EQ(max_element_sync(ex, x), 5);
  EXPECT_EQ(min_element_sync(ex, x, downward{}), 5);
  auto both = this->template replicate<int>(2);
  minmax_element(ex, this->there(ints{5, 1, 2, 5, 1, 3}), both);
  EXPECT_EQ(this->here(both), (ints{1, 3}));
}

/// Positions as those of <algorithm>, where what is found is anywhere, and beginnings are equal.
TYPED_TEST(searches, agree_with_the_standard_ones) {
  auto const& ex = this->ex();
  for (int const n : {0, 1, 2, 63, 3000, 20'000}) {
    ints host(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) host[static_cast<std::size_t>(i)] = 3 * i % 1999;
    auto const in = this->there(host);
    auto const place = [&](ints::iterator it) { return it - host.begin(); };
    EXPECT_EQ(adjacent_find_sync(ex, in, downward{}),
              place(std::adjacent_find(host.begin(), host.end(), downward{})));
    EXPECT_EQ(min_element_sync(ex, in), place(std::min_element(host.begin(), host.end())));
    EXPECT_EQ(max_element_sync(ex, in), place(std::max_element(host.begin(), host.end())));
    auto pair = this->template replicate<index_t>(2);
    minmax_element(ex, in, pair);
    auto const [least, most] = std::minmax_element(host.begin(), host.end());
    EXPECT_EQ(this->here(pair), (std::vector<index_t>{place(least), place(most)}));
    auto const same = this->there(std::vector<double>(host.begin(), host.end()));
    EXPECT_EQ(min_element_sync(ex, same), place(least));
    minmax_element(ex, same, pair);
    EXPECT_EQ(this->here(pair), (std::vector<index_t>{place(least), place(most)}));
    for (int const m : {0, 1, 5}) {
      ints host_what(host.end() - std::min(m, n), host.end());
      auto const what = this->there(host_what);
      auto const begin = host_what.begin(), end = host_what.end();
      EXPECT_EQ(search_sync(ex, in, what),
                place(std::search(host.begin(), host.end(), begin, end)));
      EXPECT_EQ(find_end_sync(ex, in, what),
                place(std::find_end(host.begin(), host.end(), begin, end)));
      EXPECT_EQ(search_sync(ex, what, in),
                std::search(begin, end, host.begin(), host.end()) - begin);
      EXPECT_EQ(equal_sync(ex, in, what), host == host_what);
      EXPECT_EQ(lexicographical_compare_sync(ex, in, what), host < host_what);
    }
    EXPECT_TRUE(equal_sync(ex, in, this->there(host)));
    for (int const i : {0, n / 2, n - 1}) {
      if (n == 0) break;
      ints host_other = host;
      host_other[static_cast<std::size_t>(i)] = -1;
      auto const other = this->there(host_other);
      EXPECT_EQ(mismatch_sync(ex, in, other), i);
      EXPECT_FALSE(equal_sync(ex, in, other));
    }
  }
}

/// Of many elements, the least are searched for in the first tile that has one.
TYPED_TEST(searches, find_the_first_of_the_least_and_of_the_greatest_of_many) {
  ints host(300'000, 7);
  for (int const i : {250'001, 250'003, 299'999}) host[static_cast<std::size_t>(i)] = 3;
  for (int const i : {140'002, 270'000}) host[static_cast<std::size_t>(i)] = 9;
  auto const in = this->there(host);
  EXPECT_EQ(min_element_sync(this->ex(), in), 250'001);
  EXPECT_EQ(max_element_sync(this->ex(), in), 140'002);
}

/// Several in each vector of 16 bytes, in enough bytes that a device reads vectors.
LOCAL_TYPED_TEST(searches, finds_the_first_of_many_equal_extremes) {
  auto const expect = [&]<class T>(T) {
    std::vector<T> host((std::size_t{8} << 20) / sizeof(T) + 5, T(7));
    for (std::size_t i = 100'003; i < host.size(); i += 3) host[i] = T(5 + i % 2 * 4);
    auto const in = this->there(host);
    EXPECT_EQ(min_element_sync(this->ex(), in), 100'006);
    EXPECT_EQ(max_element_sync(this->ex(), in), 100'003);
  };
  expect(std::uint8_t{});
  expect(double{});
}

LOCAL_TYPED_TEST(searches, refuse_what_does_not_fit) {
  auto const in = this->there(ints{1});
  auto out = this->template allocate<index_t>(3);
  EXPECT_EQ(testing::said_by([&] { ravel::search(this->ex(), in, in, out); }),
            "search: out has 3 elements and must have one");
  EXPECT_EQ(testing::said_by([&] { ravel::minmax_element(this->ex(), in, out); }),
            "minmax_element: out has 3 elements and must have two");
}

}  // namespace
}  // namespace ravel::searches_test
