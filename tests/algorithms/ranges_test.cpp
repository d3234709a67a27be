/// Calls of ranges of std and of range-v3 that are no sequences: read in place, or copied once.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/delta.hpp>
#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/core/checked.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/explain.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/adjacent_difference.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/linear_recurrence.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/searches.hpp>
#include <ravel/primitives/segmented_pack.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts.hpp>
#include <ravel/primitives/unique.hpp>

#include "support/briefly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::ranges_of_calls_test {
namespace {

namespace sv = std::views;
using ints = std::vector<int>;

struct is_odd {
  bool operator()(int x) const { return x % 2 != 0; }
};
struct square {
  int operator()(int x) const { return x * x; }
};

/// A coroutine that yields numbers, as std::generator does: it can be moved, and iterated over once.
class numbers_up_to {
 public:
  struct promise_type {
    int current = 0;
    numbers_up_to get_return_object() {
      return numbers_up_to(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int x) noexcept {
      current = x;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  struct iterator {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    std::coroutine_handle<promise_type> at;
    int operator*() const { return at.promise().current; }
    iterator& operator++() {
      at.resume();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return at.done(); }
  };

  numbers_up_to(numbers_up_to&& from) noexcept : at_(std::exchange(from.at_, {})) {}
  numbers_up_to(numbers_up_to const&) = delete;
  ~numbers_up_to() {
    if (at_) at_.destroy();
  }
  iterator begin() {
    at_.resume();
    return {at_};
  }
  std::default_sentinel_t end() { return {}; }

 private:
  explicit numbers_up_to(std::coroutine_handle<promise_type> at) : at_(at) {}
  std::coroutine_handle<promise_type> at_;
};
numbers_up_to generated(int n) {
  for (int i = 1; i <= n; ++i) co_yield i;
}

ints const values{3, 1, 2, 4, 1, 5}, two_and_one{2, 1};

template <class Ex>
class ranges_of_calls : public ::testing::Test {
 public:
  Ex ex{};
};
#ifdef RAVEL_TEST_BRIEFLY
using executors = ::testing::Types<cpu::threads>;
#else
using executors = ::testing::Types<cpu::sequential, cpu::threads>;
#endif
TYPED_TEST_SUITE(ranges_of_calls, executors);

THOROUGH_TYPED_TEST(ranges_of_calls, scans_of_any_range) {
  auto const scan = [&](auto&& in, index_t n) {
    ints out(static_cast<std::size_t>(n));
    inclusive_scan(this->ex, std::forward<decltype(in)>(in), out);
    return out;
  };
  std::list const list{3, 1, 2};
  EXPECT_EQ(scan(list, 3), (ints{3, 4, 6}));
  EXPECT_EQ(scan(std::forward_list{3, 1, 2}, 3), (ints{3, 4, 6}));
  EXPECT_EQ(scan(std::deque{3, 1, 2}, 3), (ints{3, 4, 6}));
  EXPECT_EQ(scan(std::set{3, 1, 2}, 3), (ints{1, 3, 6}));
  EXPECT_EQ(scan(sv::iota(1, 4), 3), (ints{1, 3, 6}));
  EXPECT_EQ(scan(values | sv::reverse, 6), (ints{5, 6, 10, 12, 13, 16}));
  EXPECT_EQ(scan(values | sv::transform(square{}), 6), (ints{9, 10, 14, 30, 31, 56}));
  EXPECT_EQ(scan(values | sv::filter(is_odd{}), 4), (ints{3, 4, 5, 10}));
  auto const kept = values | sv::filter(is_odd{});
  EXPECT_EQ(scan(kept, 4), (ints{3, 4, 5, 10}));
  EXPECT_EQ(scan(values | sv::take_while(is_odd{}), 2), (ints{3, 4}));
  EXPECT_EQ(scan(std::vector<ints>{{3}, {}, {1, 2}} | sv::join, 3), (ints{3, 4, 6}));
  EXPECT_EQ(scan(std::list{4, 3, 1} | sv::filter(is_odd{}), 2), (ints{3, 4}));  // can only be moved
  EXPECT_EQ(scan(std::map<int, int>{{1, 30}, {0, 10}} | sv::values, 2), (ints{10, 40}));
  EXPECT_EQ(scan(generated(4), 4), (ints{1, 3, 6, 10}));
  std::istringstream text("3 1 2");
  EXPECT_EQ(scan(sv::istream<int>(text), 3), (ints{3, 4, 6}));
  EXPECT_EQ(scan(std::vector{true, true, false, true}, 4), (ints{1, 2, 2, 3}));
  EXPECT_EQ(scan(std::list<int>{}, 0), ints{});
}

TYPED_TEST(ranges_of_calls, scans_with_options) {
  std::deque const in{3, 1, 2, 4, 1, 5};
  ints out(7), six(6);
  exclusive_scan(this->ex, in, out);
  EXPECT_EQ(out, (ints{0, 3, 4, 6, 10, 11, 16}));
  exclusive_scan(this->ex, in | sv::filter(is_odd{}), sv::counted(out.begin(), 4), maximum{});
  EXPECT_EQ(out[3], 3);
  int total = 0;
  inclusive_scan(this->ex, in, six, multiplies{}, from(2), backward,
                 total_to(std::span(&total, 1)));
  EXPECT_EQ(six[0], 240);
  EXPECT_EQ(total, 240);
  inclusive_scan(this->ex, std::list{1, 2, 3, 4, 5, 6}, six, plus{}, of_order<2>, of_tuples<2>);
  EXPECT_EQ(six, (ints{1, 2, 5, 8, 14, 20}));
}

TYPED_TEST(ranges_of_calls, long_ranges) {
  int const n = 200'000;
  std::vector<index_t> expected(n), out(n);
  std::deque<index_t> in(n);
  std::iota(in.begin(), in.end(), 0);
  std::partial_sum(in.begin(), in.end(), expected.begin());
  inclusive_scan(this->ex, in, out);
  EXPECT_EQ(out, expected);
  inclusive_scan(this->ex, std::list(in.begin(), in.end()), out);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(reduce_sync(this->ex, in), expected.back());
  radix_sort(this->ex, in | sv::reverse, out);
  EXPECT_TRUE(std::ranges::equal(in, out));
  EXPECT_TRUE(std::ranges::equal(in, to(this->ex, in)));
}

TYPED_TEST(ranges_of_calls, sizes_are_compared) {
  ints out(3);
  try {
    inclusive_scan(this->ex, std::list{1, 2}, out);
    ADD_FAILURE() << "sizes that differ are accepted";
  } catch (contract_error const& e) {
    EXPECT_STREQ(e.what(), "inclusive_scan: out has 3 elements, and in has 2");
  }
}

TYPED_TEST(ranges_of_calls, reductions) {
  EXPECT_EQ(reduce_sync(this->ex, values | sv::filter(is_odd{})), 10);
  EXPECT_EQ(reduce_sync(this->ex, sv::iota(0, 5) | sv::transform(square{}), maximum{}), 16);
  EXPECT_EQ(
      reduce_sync(this->ex, std::string("ab") | sv::transform([](char c) { return c - 'a'; })), 1);
  ints sums(2), kept(2);
  segmented_reduce(this->ex, std::list{3, 1, 2}, by_lengths(two_and_one), sums);
  EXPECT_EQ(sums, (ints{4, 2}));
  EXPECT_EQ(reduce_by_key_sync(this->ex, std::list{7, 7, 4}, std::deque{1, 2, 3}, kept, sums), 2);
  EXPECT_EQ(kept, (ints{7, 4}));
  EXPECT_EQ(sums, (ints{3, 3}));
}

THOROUGH_TYPED_TEST(ranges_of_calls, segments) {
  ints out(3);
  auto const two = by_lengths(two_and_one);
  segmented_inclusive_scan(this->ex, std::list{3, 1, 2}, two, out);
  EXPECT_EQ(out, (ints{3, 4, 2}));
  segmented_exclusive_scan(this->ex, std::deque{3, 1, 2}, two, out);
  EXPECT_EQ(out, (ints{0, 3, 0}));
  segmented_sort(this->ex, std::list{3, 1, 2}, two, out);
  EXPECT_EQ(out, (ints{1, 3, 2}));
  segmented_comparison_sort(this->ex, std::list{3, 1, 2}, two, out, std::greater{});
  EXPECT_EQ(out, (ints{3, 1, 2}));
  merge_segments(this->ex, std::list{3, 5, 2}, two, out);
  EXPECT_EQ(out, (ints{2, 3, 5}));
  ints offsets(3);
  segmented_pack(this->ex, std::list{3, 1, 2}, std::list{true, false, true}, two, out, offsets);
  EXPECT_EQ(offsets, (ints{0, 1, 2}));
  EXPECT_EQ(out[1], 2);
}

THOROUGH_TYPED_TEST(ranges_of_calls, packs_and_splits) {
  ints out(6), three(3);
  EXPECT_EQ(filter_sync(this->ex, std::list(values.begin(), values.end()), is_odd{}, out), 4);
  EXPECT_EQ(ints(out.begin(), out.begin() + 4), (ints{3, 1, 1, 5}));
  EXPECT_EQ(pack_sync(this->ex, std::list{7, 8, 9}, std::vector{true, false, true}, out), 2);
  EXPECT_EQ(out[1], 9);
  EXPECT_EQ(pack_index_sync(this->ex, std::vector{false, true}, out), 1);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(unique_sync(this->ex, std::multiset{3, 1, 3}, out), 2);
  EXPECT_EQ(ints(out.begin(), out.begin() + 2), (ints{1, 3}));
  EXPECT_EQ(unique_by_key_sync(this->ex, std::list{3, 3, 1}, std::list{5, 6, 7}, out, three), 2);
  EXPECT_EQ(three[1], 7);
  split(this->ex, values | sv::reverse, is_odd{}, out);
  EXPECT_EQ(out, (ints{4, 2, 5, 1, 1, 3}));
  split(this->ex, values, std::list{0, 1, 0, 0, 1, 0}, out);
  EXPECT_EQ(out, (ints{3, 2, 4, 5, 1, 1}));
  ints beside(3);
  split_pairs(this->ex, std::list{3, 2, 1}, std::deque{7, 8, 9}, is_odd{}, three, beside);
  EXPECT_EQ(beside, (ints{8, 7, 9}));
}

TYPED_TEST(ranges_of_calls, sorts) {
  ints out(3), beside(3);
  radix_sort(this->ex, std::list{3, 1, 2}, out);
  EXPECT_EQ(out, (ints{1, 2, 3}));
  radix_sort(this->ex, sv::iota(0, 3), out, descending);
  EXPECT_EQ(out, (ints{2, 1, 0}));
  radix_sort_pairs(this->ex, std::list{3, 1, 2}, sv::iota(0, 3), out, beside);
  EXPECT_EQ(beside, (ints{1, 2, 0}));
  radix_argsort(this->ex, std::deque{3, 1, 2}, out);
  EXPECT_EQ(out, (ints{1, 2, 0}));
  comparison_sort(this->ex, generated(3), out, std::greater{});
  EXPECT_EQ(out, (ints{3, 2, 1}));
  comparison_sort_pairs(this->ex, std::list{3, 1, 2}, sv::iota(0, 3), out, beside);
  EXPECT_EQ(beside, (ints{1, 2, 0}));
  std::vector<std::string> words(2);
  comparison_sort(this->ex, std::list<std::string>{"to", "do"}, words);
  EXPECT_EQ(words.front(), "do");
}

THOROUGH_TYPED_TEST(ranges_of_calls, selections) {
  ints one(1), two(2), beside(2);
  nth_element(this->ex, std::list{3, 1, 2}, 1, one);
  EXPECT_EQ(one[0], 2);
  nth_element(this->ex, std::list{3, 1, 2}, 0, one, std::greater{});
  EXPECT_EQ(one[0], 3);
  top_k(this->ex, std::deque{3, 1, 2}, two);
  EXPECT_EQ(two, (ints{1, 2}));
  top_k_pairs(this->ex, std::list{3, 1, 2}, sv::iota(0, 3), two, beside);
  EXPECT_EQ(beside, (ints{1, 2}));
}

TYPED_TEST(ranges_of_calls, positions) {
  ints out(3);
  gather(this->ex, std::list{7, 8, 9}, std::deque{2, 0, 1}, out);
  EXPECT_EQ(out, (ints{9, 7, 8}));
  scatter(this->ex, std::list{7, 8, 9}, sv::iota(0, 3) | sv::reverse, out);
  EXPECT_EQ(out, (ints{9, 8, 7}));
  permute(this->ex, std::list{7, 8, 9}, std::list{1, 2, 0}, out);
  EXPECT_EQ(out, (ints{9, 7, 8}));
  lower_bound(this->ex, std::list{2, 4, 0}, std::set{1, 3, 5}, out);
  EXPECT_EQ(out, (ints{1, 2, 0}));
  merge(this->ex, std::set{1, 5}, std::list{3}, out);
  EXPECT_EQ(out, (ints{1, 3, 5}));
  merge_pairs(this->ex, std::set{1, 5}, std::list{7, 8}, std::list{3}, std::list{9}, ints(3), out);
  EXPECT_EQ(out, (ints{7, 9, 8}));
}

TYPED_TEST(ranges_of_calls, functions_and_differences) {
  ints out(3);
  map(this->ex, square{}, out, std::list{3, 1, 2});
  EXPECT_EQ(out, (ints{9, 1, 4}));
  map(this->ex, std::plus{}, out, std::deque{3, 1, 2}, ints{1, 1, 1});
  EXPECT_EQ(out, (ints{4, 2, 3}));
  adjacent_difference(this->ex, std::list{3, 1, 2}, out);
  EXPECT_EQ(out, (ints{3, -2, 1}));
  delta_encode(this->ex, std::list{3, 1, 2}, out);
  EXPECT_EQ(out, (ints{3, -2, 1}));
  delta_decode(this->ex, std::list{3, -2, 1}, out);
  EXPECT_EQ(out, (ints{3, 1, 2}));
  linear_recurrence(this->ex, std::list{1, 1, 1}, std::deque{2, 2, 2}, out);
  EXPECT_EQ(out, (ints{1, 3, 7}));
  ints counts(4);
  histogram(this->ex, std::list{3, 1, 3}, counts);
  EXPECT_EQ(counts, (ints{0, 1, 0, 2}));
  expand(
      this->ex, [](int x, index_t i) { return 10 * x + static_cast<int>(i); }, std::list{3, 1},
      by_lengths(two_and_one), out);
  EXPECT_EQ(out, (ints{30, 31, 10}));
  replicate(this->ex, std::list{3, 1}, by_lengths(two_and_one), out);
  EXPECT_EQ(out, (ints{3, 3, 1}));
}

TYPED_TEST(ranges_of_calls, runs_and_groups) {
  ints heads(3), lengths(3), out(3);
  EXPECT_EQ(run_length_encode_sync(this->ex, std::list{7, 7, 4}, heads, lengths), 2);
  EXPECT_EQ(lengths[0], 2);
  run_length_decode(this->ex, std::list{7, 4}, std::list{2, 1}, out);
  EXPECT_EQ(out, (ints{7, 7, 4}));
  EXPECT_EQ(histogram_by_key_sync(this->ex, std::list{7, 4, 7}, heads, lengths), 2);
  EXPECT_EQ(lengths[0] + lengths[1], 3);
  EXPECT_EQ(reduce_by_hash_sync(this->ex, std::list{7, 4, 7}, std::deque{1, 2, 3}, heads, out), 2);
  EXPECT_EQ(out[0] + out[1], 6);
  EXPECT_EQ(remove_duplicates_sync(this->ex, std::list{7, 4, 7}, heads), 2);
}

THOROUGH_TYPED_TEST(ranges_of_calls, searches) {
  std::list const list(values.begin(), values.end());
  std::deque const deque(values.begin(), values.end());
  auto const is_large = [](int x) { return x > 3; };
  EXPECT_EQ(find_first_sync(this->ex, list, is_large), 3);
  EXPECT_EQ(find_first_sync(this->ex, deque, is_large), 3);
  EXPECT_TRUE(any_of_sync(this->ex, list, is_large));
  EXPECT_FALSE(all_of_sync(this->ex, deque, is_large));
  EXPECT_FALSE(none_of_sync(this->ex, values | sv::filter(is_large), is_large));
  EXPECT_EQ(adjacent_find_sync(this->ex, std::list{1, 2, 2}), 1);
  EXPECT_EQ(adjacent_find_sync(this->ex, std::deque{1, 2, 2}), 1);
  EXPECT_TRUE(is_sorted_sync(this->ex, std::set{3, 1, 2}));
  EXPECT_FALSE(is_sorted_sync(this->ex, deque));
  EXPECT_FALSE(is_partitioned_sync(this->ex, deque, is_odd{}));
  EXPECT_EQ(mismatch_sync(this->ex, list, std::deque{3, 1, 7}), 2);
  EXPECT_TRUE(equal_sync(this->ex, list, deque));
  EXPECT_TRUE(lexicographical_compare_sync(this->ex, std::list{3, 1}, deque));
  EXPECT_EQ(search_sync(this->ex, deque, std::list{2, 4}), 2);
  EXPECT_EQ(find_end_sync(this->ex, list, std::deque{1}), 4);
  EXPECT_EQ(min_element_sync(this->ex, list), 1);
  EXPECT_EQ(max_element_sync(this->ex, deque), 5);
}

TEST(ranges_of_calls, on_other_executors_of_the_host) {
  ints out(3);
  inclusive_scan(checked(cpu::threads{}), std::list{3, 1, 2}, out);
  EXPECT_EQ(out, (ints{3, 4, 6}));
  inclusive_scan(same_everywhere(cpu::sequential{}), std::deque{3, 1, 2}, out);
  EXPECT_EQ(out, (ints{3, 4, 6}));
}

TEST(ranges_of_calls, proxies_are_elements) {
  cpu::threads const ex;
  std::vector<bool> const flags{true, false, true};
  EXPECT_EQ(reduce_sync(ex, flags | sv::transform([](bool b) { return b ? 1 : 0; })), 2);
  EXPECT_EQ(to(ex, flags).size(), 3);
}

TEST(ranges_of_calls, explain_says_how_they_are_read) {
  cpu::threads const ex;
  EXPECT_STREQ(explain(ex, values).form, "in_memory");
  EXPECT_STREQ(explain(ex, std::deque{1}).form, "by_index");
  EXPECT_STREQ(explain(ex, values | sv::reverse).form, "by_index");
  EXPECT_STREQ(explain(ex, std::list{1}).form, "copied_in_order");
  EXPECT_EQ(explain(ex, values | sv::filter(is_odd{})).text(),
            "copied_in_order: A range without random access, copied once, by one thread, before "
            "the call.\n");
}

}  // namespace
}  // namespace ravel::ranges_of_calls_test
