/// On the host the elements may be of any type, and operators may throw.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace ravel::any_type_test {
namespace {

/// Concatenation: associative, and not commutative; its values own memory.
struct concatenate {
  static std::string identity() { return {}; }
  std::string operator()(std::string const& x, std::string const& y) const { return x + y; }
};

/// Keeps only the ends of what it concatenates, so that sums stay short.
struct ends {
  static std::string identity() { return {}; }
  std::string operator()(std::string const& x, std::string const& y) const {
    std::string const both = x + y;
    return both.size() <= 40 ? both : both.substr(0, 20) + both.substr(both.size() - 20);
  }
};

std::vector<std::string> words(std::size_t n) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < n; ++i) made.push_back("a word of some length " + std::to_string(i));
  return made;
}

template <class Ex>
struct any_type : ::testing::Test {
  Ex ex;
};
using host_executors = ::testing::Types<cpu::sequential, cpu::threads>;
TYPED_TEST_SUITE(any_type, host_executors);

TYPED_TEST(any_type, concatenates_strings_in_order) {
  std::vector<std::string> const in{"to", "be", "or", "not"};
  std::vector<std::string> out(4);
  inclusive_scan(this->ex, in, out, concatenate{});
  EXPECT_EQ(out, (std::vector<std::string>{"to", "tobe", "tobeor", "tobeornot"}));
  segmented_inclusive_scan(this->ex, in, uniform(2, 2), out, concatenate{}, backward);
  EXPECT_EQ(out, (std::vector<std::string>{"tobe", "be", "ornot", "not"}));
  std::vector<std::string> const initial{"> "};  // a bare string would be a sequence of characters
  EXPECT_EQ(reduce_sync(this->ex, in, concatenate{}, from(initial)), "> tobeornot");
}

TYPED_TEST(any_type, scans_many_tiles_of_strings) {
  auto const in = words(50'000);
  std::vector<std::string> out(in.size());
  inclusive_scan(this->ex, in, out, ends{});
  std::string sum;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum = ends{}(sum, in[i]);
    ASSERT_EQ(out[i], sum) << "at " << i;
  }
}

/// Without a default constructor.
struct amount {
  explicit amount(index_t x) : x(x) {}
  index_t x;
};
struct add_amounts {
  static amount identity() { return amount(0); }
  amount operator()(amount const& x, amount const& y) const { return amount(x.x + y.x); }
};

TYPED_TEST(any_type, scans_elements_without_a_default_constructor) {
  index_t const n = 300'000;
  std::vector<amount> const in(std::size_t(n), amount(1));
  std::vector<amount> sums(in), before(in), rows(in);
  inclusive_scan(this->ex, in, sums, add_amounts{});
  exclusive_scan(this->ex, in, before, add_amounts{});
  segmented_inclusive_scan(this->ex, in, uniform(n / 1000, 1000), rows, add_amounts{});
  for (index_t i = 0; i < n; ++i) {
    auto const at = static_cast<std::size_t>(i);
    ASSERT_EQ(sums[at].x, i + 1);
    ASSERT_EQ(before[at].x, i);
    ASSERT_EQ(rows[at].x, i % 1000 + 1);
  }
}

TYPED_TEST(any_type, filters_strings) {
  auto const in = words(50'000);
  std::vector<std::string> out(in.size());
  auto const ends_in_seven = [](std::string const& word) { return word.back() == '7'; };
  ASSERT_EQ(filter_sync(this->ex, in, ends_in_seven, out), 5000);
  for (std::size_t k = 0; k < 5000; ++k) ASSERT_EQ(out[k], in[10 * k + 7]);
}

/// So large that a stack holds few.
struct page {
  int number;
  char text[200'000];
};

TYPED_TEST(any_type, packs_elements_as_large_as_caches) {
  std::vector<page> in(70), out(35);
  for (std::size_t i = 0; i < in.size(); ++i) in[i].number = static_cast<int>(i);
  auto const is_odd = [](page const& p) { return p.number % 2 != 0; };
  ASSERT_EQ(filter_sync(this->ex, in, is_odd, out), 35);
  for (std::size_t k = 0; k < out.size(); ++k)
    ASSERT_EQ(out[k].number, static_cast<int>(2 * k + 1));
}

TYPED_TEST(any_type, merges_and_finds_and_replicates_strings) {
  auto a = words(30'000);
  auto b = words(20'000);
  for (std::string& word : b) word += "!";
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<std::string> merged(a.size() + b.size());
  std::vector<std::string> expected(merged.size());
  ravel::merge(this->ex, a, b, merged);
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
  EXPECT_EQ(merged, expected);

  std::vector<index_t> places(b.size());
  ravel::lower_bound(this->ex, b, merged, places);
  for (std::size_t i = 0; i < b.size(); ++i) {
    ASSERT_EQ(merged[static_cast<std::size_t>(places[i])], b[i]);
  }
  std::vector<std::string> twice(2 * a.size());
  replicate(this->ex, a, uniform(std::ssize(a), 2), twice);
  for (std::size_t i = 0; i < twice.size(); ++i) ASSERT_EQ(twice[i], a[i / 2]);
}

TYPED_TEST(any_type, lets_out_what_an_operator_throws) {
  std::vector<int> const in(100'000, 1);
  std::vector<int> out(in.size());
  struct until {
    int most;
    static int identity() { return 0; }
    int operator()(int x, int y) const {
      if (x + y > most) throw std::overflow_error("too much");
      return x + y;
    }
  };
  EXPECT_THROW(inclusive_scan(this->ex, in, out, until{77'777}), std::overflow_error);
  inclusive_scan(this->ex, in, out, until{100'000});  // and works after the exception as before
  EXPECT_EQ(out.back(), 100'000);
}

}  // namespace
}  // namespace ravel::any_type_test
