#include <ravel/algorithms/string_sort.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace ravel::string_sort_test {
namespace {

template <class Ex>
struct string_sort : testing::on_executor<Ex> {
  static std::vector<std::int32_t> order_of(std::vector<std::string> const& strings,
                                            bool downward) {
    std::vector<std::int32_t> order(strings.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
      auto const& x = strings[static_cast<std::size_t>(downward ? j : i)];
      auto const& y = strings[static_cast<std::size_t>(downward ? i : j)];
      return std::lexicographical_compare(
          x.begin(), x.end(), y.begin(), y.end(), [](char a, char b) {
            return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
          });
    });
    return order;
  }

  void agrees(std::vector<std::string> const& strings) {
    auto const& ex = this->ex();
    std::vector<char> text;
    std::vector<index_t> lengths;
    for (auto const& s : strings) {
      text.insert(text.end(), s.begin(), s.end());
      lengths.push_back(std::ssize(s));
    }
    auto const bytes = this->there(text);
    auto const there = this->there(lengths);
    auto const order = this->template allocate<std::int32_t>(std::ssize(strings));
    string_argsort_sync(ex, bytes, by_lengths(there), order);
    EXPECT_EQ(this->here(order), order_of(strings, false));
    string_argsort_sync(ex, bytes, by_lengths(there), order, descending);
    EXPECT_EQ(this->here(order), order_of(strings, true));
  }
};
TYPED_TEST_SUITE(string_sort, testing::executors);

TYPED_TEST(string_sort, does_what_its_example_says) {
  auto const& ex = this->ex();
  std::string const fruit = "pearfigpeachfig", banana = "banana";
  auto const text = this->there(std::vector<char>(fruit.begin(), fruit.end()));
  auto const lengths = this->there(std::vector<int>{4, 3, 5, 3});
  auto const order = this->template allocate<int>(4);
  string_argsort_sync(ex, text, by_lengths(lengths), order);
  EXPECT_EQ(this->here(order), (std::vector{1, 3, 2, 0}));
  string_argsort_sync(ex, text, by_lengths(lengths), order, descending);
  EXPECT_EQ(this->here(order), (std::vector{0, 2, 1, 3}));

  auto const letters = this->there(std::vector<char>(banana.begin(), banana.end()));
  auto const begins = this->there(std::vector<int>{0, 1, 2, 3, 4, 5});
  auto const ends = this->there(std::vector<int>{6, 6, 6, 6, 6, 6});
  auto const suffixes = this->template allocate<index_t>(6);
  string_argsort_sync(ex, letters, begins, ends, suffixes);
  EXPECT_EQ(this->here(suffixes), (std::vector<index_t>{5, 3, 1, 0, 4, 2}));
}

TEST(substrings, are_compared_where_they_stand) {
  int const begins[] = {1, 3, 0, 2}, ends[] = {4, 6, 6, 2};
  substrings<char, int, int> const strings{"banana", begins, ends};
  EXPECT_TRUE(string_equal(strings, 0, 1));
  EXPECT_FALSE(string_equal(strings, 0, 2));
  EXPECT_FALSE(string_equal(strings, 0, 3));
  EXPECT_TRUE(string_less(strings, 0, 2));
  EXPECT_FALSE(string_less(strings, 2, 0));
  EXPECT_FALSE(string_less(strings, 0, 1));
  EXPECT_TRUE(string_less(strings, 3, 0));
}

TYPED_TEST(string_sort, orders_bytes_as_unsigned_and_endings_first) {
  using namespace std::string_literals;
  this->agrees({});
  this->agrees({""});
  this->agrees({"", "", ""});
  this->agrees({"b", "", "a\xff", "a", "a\x7f", "a\0"s, "a\0\0"s, "", "\xc3\xa4", "a\x01"});
  this->agrees({"abcdefg", "abcdef", "abcdefgh", "abcdefg\0"s, "abcdefg", "abcdefgg"});
}

TYPED_TEST(string_sort, looks_as_far_as_strings_are_the_same) {
  std::vector<std::string> strings;
  for (std::size_t const same : {6u, 7u, 8u, 69u, 70u, 71u, 400u}) {
    for (char const c : {'b', 'a', 'c', 'a'}) {
      strings.push_back(std::string(same, 'x') + c);
      strings.push_back(std::string(same, 'x'));
    }
  }
  this->agrees(strings);
}

TYPED_TEST(string_sort, of_many_lengths) {
  std::vector<std::string> strings;
  std::uint32_t z = 1;
  for (int i = 0; i < 700; ++i) {
    z = z * 1664525 + 1013904223;
    std::string s(z >> 28, ' ');
    for (char& c : s) {
      z = z * 1664525 + 1013904223;
      c = static_cast<char>('a' + (z >> 30));
    }
    strings.push_back(s);
  }
  this->agrees(strings);
}

/// On the host groups of more strings than fit in a cache are sorted by all threads.
TEST(string_sort_on_host, of_large_groups) {
  std::string text;
  std::vector<index_t> begins, ends;
  std::uint32_t z = 1;
  for (int i = 0; i < 150'000; ++i) {
    z = z * 1664525 + 1013904223;
    begins.push_back(std::ssize(text));
    if (i % 8 != 0) text += "the same for many";
    if (i % 4 != 0) text += std::string(z >> 30, 'x') + "and the same for fewer";
    if (i % 2 != 0) text += std::to_string(z >> 20);
    ends.push_back(std::ssize(text));
  }
  auto const string = [&](index_t s) {
    auto const k = static_cast<std::size_t>(s);
    return std::string_view(text).substr(static_cast<std::size_t>(begins[k]),
                                         static_cast<std::size_t>(ends[k] - begins[k]));
  };
  std::vector<index_t> expected(begins.size()), order(begins.size());
  std::iota(expected.begin(), expected.end(), 0);
  auto downward = expected;
  auto const less = [&](index_t s, index_t t) { return string(s) < string(t); };
  std::stable_sort(expected.begin(), expected.end(), less);
  std::stable_sort(downward.begin(), downward.end(),
                   [&](index_t s, index_t t) { return less(t, s); });

  string_argsort_sync(cpu::threads(3), text, begins, ends, order);
  EXPECT_TRUE(order == expected);
  string_argsort_sync(cpu::sequential{}, text, begins, ends, order);
  EXPECT_TRUE(order == expected);
  std::vector<std::int32_t> narrow(begins.size());
  string_argsort_sync(cpu::threads(3), text, begins, ends, narrow, descending);
  EXPECT_TRUE(std::equal(narrow.begin(), narrow.end(), downward.begin(), downward.end()));
}

/// Suffixes of one letter: each seven bytes decide seven strings, and recursion would be deep.
TEST(string_sort_on_host, of_suffixes_that_repeat) {
  index_t const n = 20'000;
  std::string const text(n, 'a');
  std::vector<index_t> begins(n), ends(n, n), order(n);
  std::iota(begins.begin(), begins.end(), 0);
  string_argsort_sync(cpu::threads(2), text, begins, ends, order);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), std::greater<>{}));
}

TYPED_TEST(string_sort, reports_sizes_that_do_not_fit) {
  auto const text = this->there(std::vector<char>{'a', 'b'});
  auto const two = this->there(std::vector<int>{1, 1});
  auto const order = this->template allocate<int>(3);
  EXPECT_THROW(string_argsort_sync(this->ex(), text, by_lengths(two), order), contract_error);
  EXPECT_THROW(string_argsort_sync(this->ex(), text, two, two, order), contract_error);
  auto const many = this->there(std::vector<int>(129, 0));
  auto const narrow = this->template allocate<std::int8_t>(129);
  EXPECT_THROW(string_argsort_sync(this->ex(), text, many, many, narrow), contract_error);
}

}  // namespace
}  // namespace ravel::string_sort_test
