/// Ranges of the standard library as sources, and results as ranges: an expression each, as a user
/// would write it.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/pipelines/hana.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <gtest/gtest.h>
#include <boost/hana/define_struct.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::ranges_test {
namespace {

namespace sv = std::views;
using ints = std::vector<int>;

struct square {
  int operator()(int x) const { return x * x; }
};
struct is_odd {
  bool operator()(int x) const { return x % 2 != 0; }
};

cpu::sequential const ex;
ints const values{3, 1, 2, 4, 1, 5};

auto odd() { return on(ex, values) | filter(is_odd{}); }

/// What a range has, by iterating over it.
template <class R>
ints read(R&& r) {
  ints found;
  for (auto const x : r) found.push_back(x);
  return found;
}

// ---- in -------------------------------------------------------------------------------------------

TEST(ranges_in, containers_without_random_access) {
  EXPECT_EQ(on(ex, std::list{3, 1}) | to_vector(), (ints{3, 1}));
  std::set const sorted{3, 1, 2};
  EXPECT_EQ(on(ex, sorted) | to_vector(), (ints{1, 2, 3}));
  EXPECT_EQ(on(ex, std::deque{3, 1}) | to_vector(), (ints{3, 1}));
  EXPECT_EQ(on(ex, std::list<int>{}) | to_vector(), ints{});
  std::list const flags{true, false, true};
  EXPECT_EQ(on(ex, flags) | filter([](bool b) { return b; }) | to_vector(),
            (std::vector{true, true}));
}

TEST(ranges_in, pairs_of_a_map_are_rows) {
  std::map<int, int> const m{{3, 10}, {1, 20}};
  EXPECT_EQ(on(ex, m) | map([](int key, int x) { return key * x; }) | to_vector(), (ints{20, 30}));
  EXPECT_EQ(on(ex, m | sv::values) | to_vector(), (ints{20, 10}));
}

TEST(ranges_in, views_that_filter_and_join) {
  EXPECT_EQ(on(ex, values | sv::filter(is_odd{})) | map(square{}) | to_vector(),
            (ints{9, 1, 1, 25}));
  auto const constant_filter = values | sv::filter(is_odd{});  // which cannot be iterated itself
  EXPECT_EQ(on(ex, constant_filter) | to_vector(), (ints{3, 1, 1, 5}));
  std::vector const words{ints{3}, ints{}, ints{1, 2}};
  EXPECT_EQ(on(ex, words | sv::join) | to_vector(), (ints{3, 1, 2}));
}

TEST(ranges_in, views_of_no_size_are_read_in_place) {
  auto const until_4 = on(ex, values | sv::take_while([](int x) { return x != 4; }));
  EXPECT_EQ(until_4.size(), 3);
  EXPECT_EQ(until_4 | to_vector(), (ints{3, 1, 2}));
  EXPECT_EQ(explain(until_4).copied_bytes, 0);
  EXPECT_EQ(on(ex, sv::iota(0) | sv::take(3)) | to_vector(), (ints{0, 1, 2}));
}

TEST(ranges_in, streams_are_read_once) {
  std::istringstream text("3 1 2");
  auto const p = on(ex, sv::istream<int>(text));
  EXPECT_EQ(p | to_vector(), (ints{3, 1, 2}));
  EXPECT_EQ(p | map(square{}) | to_vector(), (ints{9, 1, 4}));
}

TEST(ranges_in, a_copy_is_of_the_elements_at_the_call) {
  std::list numbers{3, 1};
  auto const p = on(ex, numbers);
  numbers.front() = 7;
  EXPECT_EQ(p | to_vector(), (ints{3, 1}));
}

TEST(ranges_in, explain_says_what_is_copied) {
  std::list const two{0, 3};
  auto const report = explain(on(ex, values) | gather(two) | map(square{}));
  EXPECT_EQ(report.copied_bytes, 8);
  EXPECT_NE(report.text().find("8 bytes copied from ranges beforehand"), std::string::npos);
  EXPECT_EQ(explain(on(ex, zip(two, two))).copied_bytes, 16);
  EXPECT_EQ(explain(on(ex, concat(two, values, two))).copied_bytes, 16);
  EXPECT_EQ(explain(on(ex, values) | concat(two)).copied_bytes, 8);
  EXPECT_EQ(explain(on(ex, values)).copied_bytes, 0);
}

/// Says that it has more elements than any vector can.
struct immense : std::list<int> {
  std::size_t size() const { return std::numeric_limits<std::size_t>::max(); }
};

TEST(ranges_in, a_copy_without_memory_is_refused) {
  try {
    on(ex, values) | gather(immense{});
    ADD_FAILURE() << "there is memory for all elements";
  } catch (allocation_error const& e) {
    EXPECT_STREQ(e.what(),
                 "gather: no host memory for a copy of the range beyond 0 elements of 4 bytes");
  }
}

TEST(ranges_in, elements_that_only_move_are_read_in_place) {
  std::deque<std::unique_ptr<int>> owners;
  owners.push_back(std::make_unique<int>(4));
  EXPECT_EQ(on(ex, owners) | map([](auto const& p) { return *p; }) | to_vector(), ints{4});
}

TEST(ranges_in, operands_of_stages) {
  std::list const other{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(on(ex, zip(values, other)) | map(multiplies<int>{}) | to_vector(),
            (ints{3, 2, 6, 16, 5, 30}));
  EXPECT_EQ(on(ex, values) | zip(other | sv::reverse) | map(multiplies<int>{}) | to_vector(),
            (ints{18, 5, 8, 12, 2, 5}));
  EXPECT_EQ(on(ex, values) | gather(other | sv::filter(is_odd{})) | to_vector(), (ints{1, 4, 5}));
}

TEST(ranges_in, values_of_nested_programs) {
  auto const sequence = from(ex, values);
  EXPECT_EQ(on(ex, sequence) | map(square{}) | to_vector(), (ints{9, 1, 4, 16, 1, 25}));
  EXPECT_EQ((sequence + 1) | on(ex) | to_vector(), (ints{4, 2, 3, 5, 2, 6}));
}

TEST(ranges_in, nested_programs_read_once) {
  std::istringstream text("3 1 2");
  EXPECT_EQ(to_host(sum(from(ex, sv::istream<int>(text)))), 6);
  EXPECT_EQ(to_host(sum(from(ex, odd()))), 10);
}

TEST(ranges_in, copies_by_name) {
  EXPECT_EQ(read(to(ex, values | sv::filter(is_odd{}))), (ints{3, 1, 1, 5}));
}

TEST(ranges_in, before_the_executor) {
  EXPECT_EQ(values | on(ex) | map(square{}) | to_vector(), (ints{9, 1, 4, 16, 1, 25}));
  EXPECT_EQ(values | sv::drop(1) | on(ex) | to_vector(), (ints{1, 2, 4, 1, 5}));
  EXPECT_EQ(ints({3, 1}) | sv::filter(is_odd{}) | on(ex) | to_vector(), (ints{3, 1}));
}

TEST(ranges_in, a_beginning_is_a_value) {
  auto const sum_of_squares = on(ex) | map(square{}) | inclusive_scan(plus{}) | to_vector();
  EXPECT_EQ(values | sum_of_squares, (ints{9, 10, 14, 30, 31, 56}));
  EXPECT_EQ((std::list{1, 2} | sum_of_squares), (ints{1, 5}));
}

// ---- out ------------------------------------------------------------------------------------------

TEST(ranges_out, pipelines_are_iterated) {
  EXPECT_EQ(read(odd()), (ints{3, 1, 1, 5}));
  EXPECT_EQ(read(on(ex, values) | map(square{})), (ints{9, 1, 4, 16, 1, 25}));
  EXPECT_EQ(read(on(ex, ints{}) | filter(is_odd{})), ints{});
}

TEST(ranges_out, each_iteration_runs_anew) {
  ints numbers{3, 1};
  auto const p = on(ex, numbers) | filter(is_odd{});
  EXPECT_EQ(read(p), (ints{3, 1}));
  numbers[0] = 7;
  EXPECT_EQ(read(p), (ints{7, 1}));
}

TEST(ranges_out, views_of_pipelines) {
  auto const p = odd();
  EXPECT_EQ(read(p | sv::take(2)), (ints{3, 1}));
  EXPECT_EQ(read(odd() | sv::drop(1) | sv::transform(square{})), (ints{1, 1, 25}));
  int bound = 2;  // a function with a capture, which cannot be assigned
  EXPECT_EQ(read(on(ex, values) | filter([bound](int x) { return x > bound; }) | sv::take(2)),
            (ints{3, 4}));
  EXPECT_EQ(read(on(ex, values) | map(square{}) | sv::filter(is_odd{})), (ints{9, 1, 1, 25}));
}

TEST(ranges_out, a_result_is_a_range_of_one) {
  auto const sum = on(ex, values) | reduce(plus{});
  EXPECT_EQ(ints(sum.begin(), sum.end()), ints{sum.get()});
}

TEST(ranges_out, algorithms_of_pipelines) {
  ints found;
  std::ranges::copy(odd(), std::back_inserter(found));
  EXPECT_EQ(found, (ints{3, 1, 1, 5}));
  EXPECT_EQ(std::ranges::count_if(on(ex, values) | map(square{}), is_odd{}), 4);
  EXPECT_EQ(std::ranges::max(odd()), 5);
  EXPECT_TRUE(std::ranges::equal(odd(), ints{3, 1, 1, 5}));
#ifdef __cpp_lib_ranges_to_container
  EXPECT_EQ(odd() | std::ranges::to<std::set>(), (std::set{1, 3, 5}));
#endif
}

TEST(ranges_out, results_of_unknown_number) {
  auto results = odd() | to_buffer();
  EXPECT_EQ(read(results), (ints{3, 1, 1, 5}));
  EXPECT_EQ(read(results | sv::reverse), (ints{5, 1, 1, 3}));
  EXPECT_EQ(read((odd() | to_buffer()) | sv::drop(1)), (ints{1, 1, 5}));
  std::ranges::sort(results);
  EXPECT_EQ(ints(results.begin(), results.end()), (ints{1, 1, 3, 5}));
  EXPECT_EQ(std::ranges::lower_bound(results, 3) - results.begin(), 2);
  decltype(results) const none;
  EXPECT_EQ(read(none), ints{});
  EXPECT_THROW(none.count(), contract_error);
}

TEST(ranges_out, results_of_known_number) {
  auto const results = on(ex, values) | map(square{}) | to_buffer();
  EXPECT_EQ(read(results | sv::take(2)), (ints{9, 1}));
  EXPECT_EQ(read((on(ex, values) | map(square{}) | to_buffer()) | sv::take(2)), (ints{9, 1}));
}

TEST(ranges_out, values_of_nested_programs) {
  EXPECT_EQ(read(from(ex, values)), values);
  EXPECT_EQ(read(from(ex, values) | sv::take(2)), (ints{3, 1}));
  std::vector<ints> const rows{{3, 1}, {}, {2}};
  std::vector<ints> found;
  for (ints const& row : from(ex, rows)) found.push_back(row);
  EXPECT_EQ(found, rows);
  std::vector<bool> flags;
  for (bool const b : from(ex, values) > 2) flags.push_back(b);
  EXPECT_EQ(flags, (std::vector{true, false, false, true, false, true}));
}

TEST(ranges_out, members_of_tuples) {
  std::map<int, char> const m{{3, 'c'}, {1, 'a'}, {2, 'b'}};
  auto const [keys, letters] = on(ex, m) | filter([](int key, char) { return key != 2; }) | unzip();
  EXPECT_EQ(read(keys), (ints{1, 3}));
  EXPECT_EQ(std::string(letters.begin(), letters.end()), "ac");
  std::vector<std::tuple<int, double>> const pairs{{1, 0.5}, {2, 1.5}};
  auto const [numbers, halves] = on(ex, pairs) | unzip();
  EXPECT_EQ(read(numbers), (ints{1, 2}));
  EXPECT_EQ(halves.begin()[1], 1.5);
}

struct city {
  BOOST_HANA_DEFINE_STRUCT(city, (std::string, name), (int, people));
};
TEST(ranges_out, members_of_structs) {
  std::vector<city> const cities{{"Ulm", 127}, {"Bonn", 336}, {"Jena", 111}};
  auto const [names, people] =
      on(ex, cities) | filter([](city const& c) { return c.people > 120; }) | unzip();
  EXPECT_EQ(read(people), (ints{127, 336}));
  EXPECT_EQ(names.begin()[1], "Bonn");
}

TEST(ranges_out, an_empty_pipeline_is_refused) {
  decltype(odd()) const p;
  EXPECT_THROW(p.begin(), contract_error);
}

/// Without a default constructor.
struct made_of_a_number {
  int x;
  explicit made_of_a_number(int x) : x(x) {}
};

TEST(ranges, to_vector_of_elements_that_cannot_be_copied_or_have_no_default_constructor) {
  cpu::threads const ex(2);
  auto const owners =
      on(ex, iota(20'000)) | map([](int i) { return std::make_unique<int>(i); }) | to_vector();
  auto const odd = on(ex, iota(20'000)) | map([](int i) { return made_of_a_number(i); }) |
                   filter([](made_of_a_number const& m) { return m.x % 2 != 0; }) | to_vector();
  ASSERT_EQ(owners.size(), 20'000u);
  ASSERT_EQ(odd.size(), 10'000u);
  for (std::size_t i = 0; i < owners.size(); ++i) ASSERT_EQ(*owners[i], static_cast<int>(i));
  for (std::size_t k = 0; k < odd.size(); ++k) ASSERT_EQ(odd[k].x, static_cast<int>(2 * k + 1));
}

TEST(ranges, sort_of_elements_that_cannot_be_copied) {
  cpu::threads const ex(2);
  auto const sorted = on(ex, iota(20'000)) |
                      map([](int i) { return std::make_unique<int>(i * 7919 % 20'000); }) |
                      sort([](auto const& p, auto const& q) { return *p < *q; });
  auto const owners = sorted | to_vector();
  auto const numbers = sorted | map([](auto const& p) { return *p + 1; }) | to_vector();
  ASSERT_EQ(owners.size(), 20'000u);
  for (std::size_t i = 0; i < owners.size(); ++i) ASSERT_EQ(*owners[i], static_cast<int>(i));
  for (std::size_t i = 0; i < owners.size(); ++i) ASSERT_EQ(numbers[i], static_cast<int>(i + 1));
}

}  // namespace
}  // namespace ravel::ranges_test
