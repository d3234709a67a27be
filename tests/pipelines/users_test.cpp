/// Small programs as users of std::ranges write them, where calls, pipelines and views meet.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/algorithms/partial_sort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/moved.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/searches.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/unique.hpp>

#include "users.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <complex>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <valarray>
#include <vector>

namespace users_test {

/// Hailstone numbers from n to 1, as a coroutine.
class hailstones {
 public:
  struct promise_type {
    int value = 0;
    hailstones get_return_object() {
      return hailstones(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int x) {
      value = x;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  struct iterator {
    using difference_type = std::ptrdiff_t;
    using value_type = int;
    std::coroutine_handle<promise_type> of;
    iterator& operator++() {
      of.resume();
      return *this;
    }
    void operator++(int) { of.resume(); }
    int operator*() const { return of.promise().value; }
    bool operator==(std::default_sentinel_t) const { return of.done(); }
  };
  explicit hailstones(std::coroutine_handle<promise_type> of) : of_(of) {}
  hailstones(hailstones&& from) noexcept : of_(std::exchange(from.of_, {})) {}
  ~hailstones() {
    if (of_) of_.destroy();
  }
  iterator begin() {
    of_.resume();
    return {of_};
  }
  std::default_sentinel_t end() { return {}; }

 private:
  std::coroutine_handle<promise_type> of_;
};

namespace {

namespace sv = std::views;

/// A name of this program, which ravel has too.
[[maybe_unused]] int join(int x) { return x; }
[[maybe_unused]] int product(int x) { return x; }

template <class R>
ints read(R&& r) {
  ints found;
  for (auto&& x : r) found.push_back(static_cast<int>(x));
  return found;
}
struct point {
  double x, y;
  double length_squared() const { return x * x + y * y; }
  friend bool operator==(point const&, point const&) = default;
};

// ---- calls of ranges ----------------------------------------------------------------------------
TEST(users, total_of_the_words_of_a_text) {
  std::string_view const text("3 14 15");
  auto const numbers = text | sv::split(' ') | sv::transform([](auto word) {
                         int n = 0;
                         for (char c : word) n = 10 * n + (c - '0');
                         return n;
                       });
  EXPECT_EQ(ravel::reduce_sync(ex, numbers), 32);
}
TEST(users, running_maximum_of_a_member) {
  std::vector<point> const points{{1, 5}, {2, 3}, {3, 9}};
  std::vector<double> out(3);
  ravel::inclusive_scan(ex, points | sv::transform(&point::y), out, ravel::maximum{});
  EXPECT_EQ(out, (std::vector<double>{5, 5, 9}));
}
TEST(users, sum_of_a_member_function) {
  std::list<point> const points{{3, 4}, {0, 1}};
  EXPECT_EQ(ravel::reduce_sync(ex, points | sv::transform(&point::length_squared)), 26);
}
TEST(users, letters_counted_from_a_stream) {
  std::istringstream in("abca");
  ints counts(26);
  ravel::histogram(ex, sv::istream<char>(in), counts, [](char c) { return c - 'a'; });
  EXPECT_EQ((ints{counts[0], counts[1], counts[2]}), (ints{2, 1, 1}));
}
TEST(users, upper_case_by_a_map_of_a_string_view) {
  std::string out(3, ' ');
  ravel::map(
      ex, [](char c) { return static_cast<char>(c - 'a' + 'A'); }, out,
      std::string_view("abc") | sv::reverse);
  EXPECT_EQ(out, "CBA");
}
TEST(users, sort_of_the_keys_of_a_hash_map) {
  std::unordered_map<int, std::string> const ages{{3, "c"}, {1, "a"}, {2, "b"}};
  ints out(3);
  ravel::radix_sort(ex, ages | sv::keys, out);
  EXPECT_EQ(out, (ints{1, 2, 3}));
}
TEST(users, distinct_of_a_join) {
  std::vector<ints> const rows{{3, 1}, {1, 3, 2}};
  ints out(5);
  out.resize(static_cast<std::size_t>(ravel::remove_duplicates_sync(ex, rows | sv::join, out)));
  std::ranges::sort(out);
  EXPECT_EQ(out, (ints{1, 2, 3}));
}
TEST(users, merge_of_two_sets) {
  ints out(4);
  ravel::merge(ex, std::set{1, 4}, std::multiset{2, 4}, out);
  EXPECT_EQ(out, (ints{1, 2, 4, 4}));
}
TEST(users, pack_by_a_list_of_flags) {
  ints out(6);
  auto const kept = ravel::pack_sync(ex, v, v | sv::transform(odd), out);
  EXPECT_EQ(ints(out.begin(), out.begin() + kept), (ints{3, 1, 1, 5}));
}
TEST(users, evens_first_of_a_deque) {
  ints out(4);
  ravel::split(ex, std::deque{3, 2, 1, 4}, odd, out);
  EXPECT_EQ(out, (ints{2, 4, 3, 1}));
}
TEST(users, lengths_of_runs_of_a_string) {
  std::string letters(3, ' ');
  ints lengths(3);
  EXPECT_EQ(ravel::run_length_encode_sync(ex, std::string_view("aabccc"), letters, lengths), 3);
  EXPECT_EQ(letters, "abc");
  EXPECT_EQ(lengths, (ints{2, 1, 3}));
}
TEST(users, equality_of_a_list_and_a_view) {
  EXPECT_TRUE(ravel::equal_sync(ex, std::list{9, 1, 4}, v | sv::take(3) | sv::transform(square)));
}
TEST(users, offsets_of_the_lengths_of_words) {
  std::list<std::string> const words{"to", "be", "or", "not"};
  std::vector<index_t> offsets(5);
  ravel::exclusive_scan(ex, words | sv::transform(&std::string::size), offsets);
  EXPECT_EQ(offsets, (std::vector<index_t>{0, 2, 4, 6, 9}));
}
TEST(users, segments_of_a_filter) {
  ints const lengths{2, 2};
  ints sums(2);
  ravel::segmented_reduce(ex, v | sv::filter(odd), ravel::by_lengths(lengths), sums);
  EXPECT_EQ(sums, (ints{4, 6}));
}
TEST(users, scan_of_a_pipeline) {
  ints out(4);
  ravel::inclusive_scan(ex, v | on(ex) | filter(odd), out);
  EXPECT_EQ(out, (ints{3, 4, 5, 10}));
}
TEST(users, scan_of_the_results_of_a_pipeline) {
  auto const kept = v | on(ex) | filter(odd) | to_buffer();
  ints out(4);
  ravel::inclusive_scan(ex, kept, out);
  EXPECT_EQ(out.back(), 10);
  ravel::inclusive_scan(ex, kept | sv::reverse, out);
  EXPECT_EQ(out.front(), 5);
}
TEST(users, scan_of_a_nested_value) {
  std::vector<ints> const rows{{3, 1}, {}, {2}};
  auto const sums = each(ravel::from(ex, rows), [](auto row) { return sum(row); });
  ints out(3);
  ravel::inclusive_scan(ex, sums, out);
  EXPECT_EQ(out, (ints{4, 4, 6}));
}
TEST(users, partial_sort_of_points) {
  std::vector<point> points{{3, 0}, {1, 0}, {2, 0}};
  ravel::partial_sort(ex, points, 1, [](point const& p, point const& q) { return p.x < q.x; });
  EXPECT_EQ(points[0].x, 1);
}
// ---- pipelines after and before views -----------------------------------------------------------
TEST(users, a_pipeline_in_algorithms_of_std) {
  EXPECT_TRUE(std::ranges::is_sorted(v | on(ex) | sort() | to_vector()));
  EXPECT_EQ(std::ranges::count_if(v | on(ex) | map(square) | to_buffer(), odd), 4);
  ints out;
  std::ranges::transform(v | on(ex) | filter(odd), std::back_inserter(out), square);
  EXPECT_EQ(out, (ints{9, 1, 1, 25}));
}
TEST(users, views_of_views_of_pipelines) {
  EXPECT_EQ(
      read(v | on(ex) | filter(odd) | sv::transform(square) | sv::take_while(odd) | sv::drop(1)),
      (ints{1, 1, 25}));
  EXPECT_EQ(read(v | on(ex) | inclusive_scan(plus{}) | sv::common), (ints{3, 4, 6, 10, 11, 16}));
}
TEST(users, a_pipeline_of_a_pipeline) {
  auto const kept = v | on(ex) | filter(odd);
  EXPECT_EQ((zip(kept | to_vector(), std::list{1, 2, 3, 4}) | on(ex) |
             map([](int x, int y) { return x * y; }) | reduce(plus{}))
                .get(),
            28);
  EXPECT_EQ(kept | on(ex) | map(square) | to_vector(), (ints{9, 1, 1, 25}));
}
TEST(users, stages_as_values) {
  auto const odd_squares = ravel::filter(odd) | ravel::map(square);
  auto const front = ravel::sort() | ravel::take(2);
  EXPECT_EQ(v | on(ex) | odd_squares | front | to_vector(), (ints{1, 1}));
  auto const both = odd_squares | front | ravel::to_vector();
  EXPECT_EQ(std::deque(v.begin(), v.end()) | on(ex) | both, (ints{1, 1}));
  std::optional chosen(ravel::map(square));
  EXPECT_EQ(v | on(ex) | *chosen | first(1), ints{9});
}
TEST(users, a_function_that_returns_a_pipeline) {
  auto const above = [](auto const& range, int bound) {
    return range | on(ex) | filter([bound](int x) { return x > bound; });
  };
  EXPECT_EQ(read(above(v, 2)), (ints{3, 4, 5}));
  EXPECT_EQ((above(std::list{1, 7}, 2) | count()).get(), 1);
}
TEST(users, partial_sort_as_a_stage) {
  auto const kept = v | on(ex) | partial_sort(3) | to_vector();
  EXPECT_EQ(ints(kept.begin(), kept.begin() + 3), (ints{1, 1, 2}));
  EXPECT_EQ(v | on(ex) | filter(odd) | partial_sort(9, std::greater<>{}) | to_vector(),
            (ints{5, 3, 1, 1}));
  EXPECT_EQ(v | on(ex) | (partial_sort(1) | take(1)) | to_vector(), ints{1});
  EXPECT_THROW(v | on(ex) | partial_sort(-1) | to_vector(), ravel::contract_error);
}
TEST(users, searches_that_end_early) {
  auto const from_a_million = sv::iota(0, 1'000'000);
  EXPECT_EQ((from_a_million | on(ex) | find_if([](int x) { return x == 7; })).get(), 7);
  EXPECT_TRUE(
      (from_a_million | on(ex) | map(square) | any_of([](int x) { return x == 49; })).get());
  EXPECT_EQ((from_a_million | on(ex) | search(ints{5, 6})).get(), 5);
  EXPECT_TRUE((v | on(ex) | is_partitioned([](int x) { return x == 3; })).get());
  EXPECT_TRUE((v | on(ex) | lexicographical_compare(ints{3, 2})).get());
  EXPECT_EQ((v | on(ex) | find_end(ints{1})).get(), 4);
}
TEST(users, elements_that_are_only_moved) {
  std::vector<std::unique_ptr<int>> owners, out(6);
  for (int const x : v) owners.push_back(std::make_unique<int>(x));
  auto const by_number = [](auto const& p, auto const& q) { return *p < *q; };
  ravel::comparison_sort(ex, owners, by_number);
  EXPECT_EQ(*owners.back(), 5);
  ravel::split(
      ex, moved(owners), [](auto const& p) { return odd(*p); }, out);
  EXPECT_EQ(*out.front(), 2);
  EXPECT_EQ(
      (moved(out) | on(ex) | filter([](auto const& p) { return odd(*p); }) | to_vector()).size(),
      4u);
}
TEST(users, elements_without_a_default_constructor) {
  struct label {
    int x;
    explicit label(int x) : x(x) {}
  };
  std::vector<label> labels;
  for (int const x : v) labels.emplace_back(x);
  auto const by_number = [](label const& p, label const& q) { return p.x < q.x; };
  auto const sorted = labels | on(ex) | sort(by_number) | to_vector();
  EXPECT_EQ(sorted.back().x, 5);
  ravel::comparison_sort(ex, labels, by_number);
  EXPECT_EQ(labels.front().x, 1);
  std::deque<label> const more(labels.begin(), labels.end());
  EXPECT_EQ((more | on(ex) | map(&label::x) | reduce(plus{})).get(), 16);
  EXPECT_EQ(ravel::find_first_sync(ex, more, [](label const& p) { return p.x == 2; }), 2);
}
TEST(users, structs_and_strings) {
  std::unordered_set<std::string> const words{"to", "be", "or"};
  EXPECT_EQ(words | on(ex) | sort() | to_vector(), (std::vector<std::string>{"be", "or", "to"}));
  std::array<point, 2> const points{{{1, 2}, {3, 4}}};
  EXPECT_EQ((points | on(ex) | map(&point::x) | reduce(plus{})).get(), 4);
  EXPECT_EQ(points | on(ex) | filter([](point const& p) { return p.x > 1; }) | to_vector(),
            (std::vector<point>{{3, 4}}));
}
TEST(users, sums_per_key_of_a_map) {
  std::multimap<int, int> const sales{{2, 10}, {1, 5}, {2, 20}};
  ints keys(2), totals(2);
  EXPECT_EQ(ravel::reduce_by_hash_sync(ex, sales | sv::keys, sales | sv::values, keys, totals), 2);
  EXPECT_EQ(totals[keys[0] == 2 ? 0 : 1], 30);
}
TEST(users, copies_by_name) {
  auto const squares = ravel::to(ex, v | sv::transform(square));
  EXPECT_EQ(squares[5], 25);
  EXPECT_EQ(ravel::to(ex, v | on(ex) | filter(odd)).size(), 4);
}
struct person {
  std::string name;
  int age;
};
std::vector<person> const people{{"Eve", 30}, {"Ada", 20}, {"Bob", 40}};
using ravel::by;
TEST(users, sorted_by_a_member) {
  EXPECT_EQ((people | on(ex) | sort(by(&person::age)) | to_vector())[0].name, "Ada");
  EXPECT_EQ((people | on(ex) | sort(by(&person::name)) | to_vector())[1].name, "Bob");
  EXPECT_EQ((people | on(ex) | sort(std::ranges::greater{}, &person::age) | first(1))[0].age, 40);
  EXPECT_EQ((people | on(ex) | sort(by(&person::age), ravel::descending) | first(1))[0].age, 40);
  auto sorted = people;
  ravel::comparison_sort(ex, sorted, by(&person::name));
  EXPECT_EQ(sorted[2].name, "Eve");
  ravel::comparison_sort(ex, sorted, ravel::order_by(std::greater{}, &person::name));
  EXPECT_EQ(sorted[0].name, "Eve");
}
TEST(users, selected_by_a_member) {
  EXPECT_EQ((people | on(ex) | max_element(by(&person::age))).get(), 2);
  EXPECT_EQ(ravel::min_element_sync(ex, people, by(&person::name)), 1);
  EXPECT_EQ((people | on(ex) | top_k(1, by(&person::name)) | to_vector())[0].age, 20);
  EXPECT_EQ((people | on(ex) | partial_sort(1, by(&person::age)) | to_vector())[0].age, 20);
  EXPECT_EQ((people | on(ex) | nth_element(1, by(&person::age))).get().name, "Eve");
  EXPECT_TRUE((people | on(ex) | drop(1) | is_sorted(by(&person::name, &person::age))).get());
  std::vector<person> two(people), merged(4);
  ravel::merge(ex, two | sv::drop(1), two | sv::drop(1), merged, by(&person::age));
  EXPECT_EQ(merged[1].name, "Ada");
  std::vector<std::unique_ptr<person>> owners;
  for (person const& p : people) owners.push_back(std::make_unique<person>(p));
  EXPECT_EQ((moved(owners) | on(ex) | sort(by(&person::name)) | to_vector())[0]->name, "Ada");
}
TEST(users, structured_bindings_of_rows) {
  int sum = 0;
  for (auto [i, x] : v | on(ex) | enumerate()) sum += static_cast<int>(i) * x;
  EXPECT_EQ(sum, 46);
  auto pairs = zip(one_two, tens) | on(ex) | to_vector();
  auto& [x, y] = pairs[1];
  x = y;
  EXPECT_EQ(pairs[1], ravel::make_row(20, 20));
  auto [least, greatest] = (v | on(ex) | minmax_element()).get();
  EXPECT_EQ((std::pair{least, greatest}), (std::pair{index_t{1}, index_t{5}}));
}
TEST(users, a_pipeline_as_a_function) {
  std::function<ints(ints const&)> const sorted = on(ex) | sort() | to_vector();
  EXPECT_EQ(sorted(v), (ints{1, 1, 2, 3, 4, 5}));
  std::vector<ints> const rows{{2, 1}, {3}};
  auto const totals = rows | sv::transform(on(ex) | reduce());
  EXPECT_EQ((*totals.begin()).get() + (*(totals.begin() + 1)).get(), 6);
}
hailstones hailstones_from(int n) {
  for (; n != 1; n = n % 2 != 0 ? 3 * n + 1 : n / 2) co_yield n;
  co_yield 1;
}
TEST(users, generators) {
  ints const six{6, 3, 10, 5, 16, 8, 4, 2, 1};
  EXPECT_EQ(hailstones_from(6) | on(ex) | to_vector(), six);
  auto begun = hailstones_from(6);
  EXPECT_EQ((begun | on(ex) | max_element()).get(), 4);
  ints sums(9);
  ravel::inclusive_scan(ex, hailstones_from(6), sums);
  EXPECT_EQ(sums.back(), 55);
  EXPECT_EQ(ravel::to_host(sum(ravel::from(ex, hailstones_from(6)))), 55);
  EXPECT_EQ(ravel::to(ex, hailstones_from(6)).size(), 9);
}
TEST(users, nested_values_of_maps_and_lists) {
  std::map<std::string, ints> const m{{"a", {1, 2}}, {"b", {3}}};
  auto const sums = each(ravel::from(ex, m | sv::values), [](auto row) { return sum(row); });
  EXPECT_EQ(read(sums), (ints{3, 3}));
  auto const again = each(ravel::from(ex, m), [](auto entry) { return sum(snd(entry)); });
  EXPECT_EQ(read(again), (ints{3, 3}));
  std::list<std::deque<int>> const parts{{1, 2}, {}, {5}};
  EXPECT_EQ(read(each(ravel::from(ex, parts), [](auto row) { return sum(row); })), (ints{3, 0, 5}));
}
TEST(users, other_containers) {
  EXPECT_EQ((std::forward_list{3, 1, 2} | on(ex) | sort() | first(1)), ints{1});
  EXPECT_EQ(ravel::reduce_sync(ex, std::valarray{1, 2, 3}), 6);
  int const raw[] = {1, 2, 3};
  EXPECT_EQ((raw | on(ex) | reduce()).get(), 6);
  EXPECT_EQ((sv::empty<int> | on(ex) | reduce()).get(), 0);
  EXPECT_EQ((sv::single(4) | on(ex) | reduce()).get(), 4);
  EXPECT_EQ((sv::counted(v.begin(), 3) | on(ex) | reduce()).get(), 6);
  EXPECT_EQ((std::ranges::subrange(v.begin() + 1, v.end()) | on(ex) | count()), 5);
  std::vector<std::complex<double>> const z{{1, 2}, {3, 4}};
  EXPECT_EQ((z | on(ex) | reduce()).get(), (std::complex<double>{4, 6}));
  EXPECT_EQ((std::vector{true, false, true} | on(ex) | filter(std::identity{}) | count()).get(), 2);
}
TEST(users, variance_in_two_pipelines) {
  std::vector<double> const x{1, 2, 3, 4};
  double const mean = (x | on(ex) | reduce()).get() / 4;
  auto const squared = [mean](double d) { return (d - mean) * (d - mean); };
  EXPECT_EQ((x | on(ex) | map(squared) | reduce()).get() / 4, 1.25);
}
TEST(users, words_of_std_ranges) {
  EXPECT_EQ(v | on(ex) | transform(square) | first(2), (ints{9, 1}));
  EXPECT_EQ((v | on(ex) | find(4)).get(), 3);
  EXPECT_EQ((v | on(ex) | find(7)).get(), 6);
  EXPECT_EQ((v | on(ex) | find_if_not(odd)).get(), 2);
  EXPECT_TRUE((v | on(ex) | contains(5)).get());
  EXPECT_FALSE((v | on(ex) | contains(6)).get());
  EXPECT_EQ((v | on(ex) | count_if(odd)).get(), 4);
  EXPECT_EQ((v | on(ex) | count(1)).get(), 2);
  EXPECT_EQ((people | on(ex) | transform(&person::name) | find(std::string("Bob"))).get(), 2);
}
TEST(users, calls_of_std_ranges) {
  auto sorted = v;
  ravel::sort(ex, sorted);
  EXPECT_EQ(sorted, (ints{1, 1, 2, 3, 4, 5}));
  ravel::stable_sort(ex, sorted, std::ranges::greater{});
  EXPECT_EQ(sorted, (ints{5, 4, 3, 2, 1, 1}));
  auto by_age = people;
  ravel::sort(ex, by_age, {}, &person::age);
  EXPECT_EQ(by_age[0].name, "Ada");
  ravel::transform(ex, v, sorted, square);
  EXPECT_EQ(sorted[5], 25);
  ravel::transform(ex, v, v | sv::reverse, sorted, std::plus{});
  EXPECT_EQ(sorted[0], 8);
  ravel::for_each(ex, sorted, [](int& x) { x = 7; });
  EXPECT_EQ(sorted, ints(6, 7));
  std::atomic<int> sum = 0;
  ravel::for_each(ex, std::list{1, 2}, [&](int x) { sum += x; });
  EXPECT_EQ(sum, 3);
}
TEST(users, monoids_of_std) {
  EXPECT_EQ(ravel::reduce_sync(ex, v, std::plus{}), 16);
  ints prefixes(6);
  ravel::exclusive_scan(ex, v, prefixes, std::multiplies{});
  EXPECT_EQ(prefixes, (ints{1, 3, 3, 6, 24, 24}));
  EXPECT_EQ((v | on(ex) | inclusive_scan(std::bit_or{}) | first(3)), (ints{3, 3, 3}));
  EXPECT_EQ((v | on(ex) | map(odd) | reduce(std::logical_and{})).get(), false);
  EXPECT_EQ((v | on(ex) | adjacent(std::plus{}) | first(2)), (ints{4, 3}));
}
TEST(users, names_of_their_own) {
  EXPECT_EQ(join(3) + product(4), 7);
  EXPECT_EQ(v | on(ex) | map([](int x) { return join(x); }) | first(1), ints{3});
}

}  // namespace
}  // namespace users_test
