/// Expressions as users of ranges write them, one line each: what stands before a pipeline, in it and
/// after it, in combination.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace ravel;
namespace sv = std::views;
using ints = std::vector<int>;

cpu::sequential const ex;
ints const v{3, 1, 2, 4, 1, 5};
auto const odd = [](int x) { return x % 2 != 0; };
auto const square = [](int x) { return x * x; };
auto const add = [](int x, int y) { return x + y; };

template <class R>
ints read(R&& r) {
  ints found;
  for (auto const x : r) found.push_back(static_cast<int>(x));
  return found;
}

TEST(expressions, begin_with_containers) {
  std::array const array{3, 1, 2};
  int const plain[]{3, 1, 2};
  EXPECT_EQ(array | on(ex) | map(square) | to_vector(), (ints{9, 1, 4}));
  EXPECT_EQ(plain | on(ex) | sort() | to_vector(), (ints{1, 2, 3}));
  EXPECT_EQ(std::span(v).first(2) | on(ex) | to_vector(), (ints{3, 1}));
  EXPECT_EQ(std::deque({3, 1}) | on(ex) | reverse() | to_vector(), (ints{1, 3}));
  EXPECT_EQ((std::forward_list{3, 1} | on(ex) | reduce(plus{})).get(), 4);
  EXPECT_EQ(std::multiset({3, 1, 3}) | on(ex) | unique() | to_vector(), (ints{1, 3}));
  EXPECT_EQ(
      std::vector({true, false}) | on(ex) | map([](bool b) { return b ? 1 : 0; }) | to_vector(),
      (ints{1, 0}));
  EXPECT_EQ((std::string_view("hello") | on(ex) | find_if([](char c) { return c == 'l'; })).get(),
            2);
  EXPECT_EQ(std::string("cab") | on(ex) | sort() | to_vector(), (std::vector{'a', 'b', 'c'}));
}

TEST(expressions, begin_with_views) {
  EXPECT_EQ(v | sv::take(2) | on(ex) | to_vector(), (ints{3, 1}));
  EXPECT_EQ(v | sv::drop(4) | on(ex) | to_vector(), (ints{1, 5}));
  EXPECT_EQ(v | sv::reverse | on(ex) | to_vector(), (ints{5, 1, 4, 2, 1, 3}));
  EXPECT_EQ(v | sv::transform(square) | on(ex) | filter(odd) | to_vector(), (ints{9, 1, 1, 25}));
  EXPECT_EQ(v | sv::filter(odd) | on(ex) | map(square) | to_vector(), (ints{9, 1, 1, 25}));
  EXPECT_EQ(v | sv::drop_while(odd) | on(ex) | to_vector(), (ints{2, 4, 1, 5}));
  EXPECT_EQ(v | sv::take_while(odd) | on(ex) | to_vector(), (ints{3, 1}));
  EXPECT_EQ((sv::iota(1, 5) | on(ex) | reduce(multiplies{})).get(), 24);
  EXPECT_EQ(sv::iota(0) | sv::take(3) | on(ex) | to_vector(), (ints{0, 1, 2}));
  EXPECT_EQ(sv::single(7) | on(ex) | to_vector(), ints{7});
  EXPECT_EQ(sv::empty<int> | on(ex) | to_vector(), ints{});
  EXPECT_EQ(sv::counted(v.begin(), 2) | on(ex) | to_vector(), (ints{3, 1}));
  EXPECT_EQ(std::ranges::subrange(v.begin() + 1, v.end()) | on(ex) | first(1), ints{1});
}

TEST(expressions, begin_with_words_and_pairs) {
  std::map<std::string, int> const ages{{"b", 3}, {"a", 1}};
  EXPECT_EQ(ages | sv::values | on(ex) | to_vector(), (ints{1, 3}));
  EXPECT_EQ(ages | sv::keys | on(ex) | map(&std::string::size) | to_vector(),
            (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ((ages | on(ex) | map([](auto const&, int x) { return x; }) | reduce(maximum{})).get(),
            3);
  std::string_view const text("to be or");
  EXPECT_EQ(text | sv::split(' ') | on(ex) |
                map([](auto word) { return std::ranges::distance(word); }) | to_vector(),
            (std::vector<std::ptrdiff_t>{2, 2, 2}));
  std::istringstream numbers("3 1 2");
  EXPECT_EQ((sv::istream<int>(numbers) | on(ex) | reduce(plus{})).get(), 6);
  std::vector<std::string> const words{"if", "do"};
  EXPECT_EQ(words | sv::join | on(ex) | sort() | unique() | to_vector(),
            (std::vector{'d', 'f', 'i', 'o'}));
}

TEST(expressions, compute_in_the_middle) {
  ints const lengths{2, 4};
  EXPECT_EQ(v | on(ex) | inclusive_scan(plus{}) | to_vector(), (ints{3, 4, 6, 10, 11, 16}));
  EXPECT_EQ(v | on(ex) | exclusive_scan(plus{}) | take(3) | to_vector(), (ints{0, 3, 4}));
  EXPECT_EQ(v | on(ex) | filter(odd) | reverse() | to_vector(), (ints{5, 1, 1, 3}));
  EXPECT_EQ(v | on(ex) | adjacent(add) | to_vector(), (ints{4, 3, 6, 5, 6}));
  EXPECT_EQ(v | on(ex) | adjacent_difference() | to_vector(), (ints{3, -2, 1, 2, -3, 4}));
  EXPECT_EQ(v | on(ex) | stride(2) | to_vector(), (ints{3, 2, 1}));
  EXPECT_EQ(v | on(ex) | slice(1, 2) | to_vector(), (ints{1, 2}));
  EXPECT_EQ(v | on(ex) | zip(sv::iota(0, 6)) | map(add) | to_vector(), (ints{3, 2, 4, 7, 5, 10}));
  EXPECT_EQ(v | on(ex) | concat(std::list{7}) | drop(5) | to_vector(), (ints{5, 7}));
  EXPECT_EQ(v | on(ex) | gather(std::set{5, 0}) | to_vector(), (ints{3, 5}));
  EXPECT_EQ(v | on(ex) | sort(std::greater<>{}) | to_vector(), (ints{5, 4, 3, 2, 1, 1}));
  EXPECT_EQ(v | on(ex) | top_k(2) | to_vector(), (ints{1, 1}));
  EXPECT_EQ(v | on(ex) | chunk(3) | reduce(plus{}) | to_vector(), (ints{6, 10}));
  EXPECT_EQ(v | on(ex) | sort() | in_segments(by_lengths(lengths)) | count() | to_vector(),
            (std::vector<index_t>{2, 4}));
}

TEST(expressions, sort_what_has_an_order) {
  using words = std::vector<std::string>;
  words const w{"pear", "fig", "kiwi", "a", "zoo"};
  ints const lengths{2, 0, 2, 1};
  auto const rows = w | on(ex) | in_segments(by_lengths(lengths));
  auto const longer = [](auto const& s) { return s.size() > 1; };
  EXPECT_EQ(rows | sort() | to_vector(), (words{"fig", "pear", "a", "kiwi", "zoo"}));
  EXPECT_EQ(rows | sort(std::greater{}) | to_vector(), (words{"pear", "fig", "kiwi", "a", "zoo"}));
  EXPECT_EQ(rows | sort(by(&std::string::size)) | to_vector(),
            (words{"fig", "pear", "a", "kiwi", "zoo"}));
  EXPECT_EQ(rows | filter(longer) | sort(std::greater{}) | join() | to_vector(),
            (words{"pear", "fig", "kiwi", "zoo"}));
  EXPECT_EQ(rows | filter(longer) | sort() | count() | to_vector(),
            (std::vector<index_t>{2, 0, 1, 1}));
  auto const greatest_first = sort(std::greater{}) | reduce(plus{});
  EXPECT_EQ(rows | greatest_first | to_vector(), (words{"pearfig", "", "kiwia", "zoo"}));

  auto const sorted = on(ex, zip(ints{2, 1, 2}, words{"b", "c", "a"})) | sort();
  EXPECT_EQ(sorted | map(field<1>{}) | to_vector(), (words{"c", "a", "b"}));
  EXPECT_EQ((on(ex, zip(v, v)) | max_element()).get(), 5);
}

TEST(expressions, end_in_values) {
  EXPECT_EQ(v | on(ex) | count(), 6);
  EXPECT_EQ((v | on(ex) | filter(odd) | count()).get(), 4);
  EXPECT_EQ((v | on(ex) | nth_element(3)).get(), 3);
  EXPECT_EQ((v | on(ex) | min_element()).get(), 1);
  EXPECT_EQ((v | on(ex) | max_element()).get(), 5);
  EXPECT_TRUE((v | on(ex) | any_of(odd)).get());
  EXPECT_FALSE((v | on(ex) | all_of(odd)).get());
  EXPECT_TRUE((v | on(ex) | sort() | is_sorted()).get());
  EXPECT_EQ((v | on(ex) | mismatch(std::list{3, 1, 7})).get(), 2);
  EXPECT_TRUE((v | on(ex) | reverse() | equal(v | sv::reverse)).get());
  EXPECT_EQ(read(v | on(ex) | histogram(6)), (ints{0, 2, 1, 1, 1, 1}));
  int sum = 0;
  v | on(ex) | for_each([&](int x) { sum += x; });
  EXPECT_EQ(sum, 16);
  ints out(6);
  EXPECT_EQ(v | on(ex) | map(square) | into(out), 6);
  EXPECT_EQ(out.back(), 25);
}

TEST(expressions, go_on_as_ranges) {
  EXPECT_EQ(read(v | on(ex) | filter(odd) | sv::take(2)), (ints{3, 1}));
  EXPECT_EQ(read(v | on(ex) | map(square) | sv::filter(odd) | sv::transform(square)),
            (ints{81, 1, 1, 625}));
  EXPECT_EQ(read(v | on(ex) | sort() | to_vector() | sv::reverse | sv::take(1)), ints{5});
  EXPECT_EQ(read(v | on(ex) | filter(odd) | to_buffer() | sv::drop(3)), ints{5});
  EXPECT_EQ(std::ranges::count(v | on(ex) | map(square), 1), 2);
  EXPECT_EQ(std::ranges::max(v | on(ex) | map(square)), 25);
  EXPECT_TRUE(std::ranges::includes(v | on(ex) | sort() | to_vector(), ints{1, 5}));
  auto const kept = v | on(ex) | filter(odd) | to_buffer();
  EXPECT_EQ(std::accumulate(kept.begin(), kept.end(), 0), 10);
  EXPECT_EQ(std::set(kept.begin(), kept.end()), (std::set{1, 3, 5}));
  EXPECT_EQ(kept | on(ex) | map(square) | to_vector(), (ints{9, 1, 1, 25}));
  EXPECT_EQ(read(kept | sv::reverse | on(ex) | inclusive_scan(plus{}) | sv::drop(3)), ints{10});
}

TEST(expressions, compose_functions) {
  auto const normalise = map(square) | filter(odd);
  EXPECT_EQ(v | on(ex) | normalise | to_vector(), (ints{9, 1, 1, 25}));
  auto const total = on(ex) | normalise | reduce(plus{});
  EXPECT_EQ((v | total).get(), 36);
  EXPECT_EQ((std::list{3, 2} | total).get(), 9);
  EXPECT_EQ((v | sv::take(1) | total).get(), 9);
  auto const rows = std::vector<ints>{{3, 1}, {2}};
  EXPECT_EQ(read(rows | sv::transform([&](ints const& row) { return (row | total).get(); })),
            (ints{10, 0}));
}

TEST(expressions, meet_nested_programs) {
  std::vector<ints> const rows{{3, 1}, {}, {2}};
  auto const sums = each(from(ex, rows), [](auto row) { return sum(row); });
  EXPECT_EQ(read(sums), (ints{4, 0, 2}));
  EXPECT_EQ(sums | on(ex) | sort() | to_vector(), (ints{0, 2, 4}));
  EXPECT_EQ(read(sums | sv::drop(1)), (ints{0, 2}));
  EXPECT_EQ(to_host(sum(from(ex, v | on(ex) | filter(odd)))), 10);
  EXPECT_EQ(to_host(sum(from(ex, v | sv::filter(odd)))), 10);
}

}  // namespace
