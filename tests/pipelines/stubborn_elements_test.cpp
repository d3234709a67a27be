/// Calls on the host of elements without a default constructor, and of elements that only move.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/partial_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/moved.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/unique.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <utility>
#include <vector>

namespace ravel::stubborn_elements_test {
namespace {

using ints = std::vector<int>;

/// Can be copied, and has no default constructor.
struct number {
  int x;
  explicit number(int x) : x(x) {}
  int operator*() const { return x; }
};
/// Can be moved alone, and has no default constructor.
class held {
  std::unique_ptr<int> of_;

 public:
  explicit held(int x) : of_(std::make_unique<int>(x)) {}
  int operator*() const { return of_ ? *of_ : -1; }
};

auto const by_number = [](auto const& x, auto const& y) { return *x < *y; };
auto const same = [](auto const& x, auto const& y) { return *x == *y; };
auto const is_odd = [](auto const& x) { return *x % 2 != 0; };

template <class T>
std::vector<T> made(ints const& of) {
  std::vector<T> all;
  for (int const x : of) all.emplace_back(x);
  return all;
}
template <class T>
std::vector<T> zeros(std::size_t n) {
  return made<T>(ints(n));
}
template <class R>
ints numbers(R const& of) {
  ints all;
  for (auto const& x : of) all.push_back(*x);
  return all;
}
/// Half of them odd, each twice.
ints many() {
  ints all;
  for (int i = 0; i < 20'000; ++i) all.push_back(i * 7919 % 10'000);
  return all;
}
ints sorted(ints of) {
  std::sort(of.begin(), of.end());
  return of;
}
ints first(ints of, index_t n) {
  of.resize(static_cast<std::size_t>(n));
  return of;
}

cpu::threads const ex(3);

TEST(copied_elements, are_packed_and_split) {
  auto const v = made<number>(many());
  auto out = zeros<number>(v.size());
  ints odd = many();
  std::erase_if(odd, [](int x) { return x % 2 == 0; });
  std::vector<bool> flags;
  for (number const& x : v) flags.push_back(is_odd(x));
  index_t const n = filter_sync(ex, v, is_odd, out);
  EXPECT_EQ(first(numbers(out), n), odd);
  out = zeros<number>(v.size());
  EXPECT_EQ(pack_sync(ex, v, flags, out), n);
  EXPECT_EQ(first(numbers(out), n), odd);
  split(ex, v, is_odd, out);
  ints const parts = numbers(out);
  EXPECT_EQ(ints(parts.end() - n, parts.end()), odd);
  EXPECT_EQ(numbers(on(ex, v) | filter(is_odd) | to_vector()), odd);
}

TEST(copied_elements, are_merged_and_made_distinct) {
  auto const v = made<number>(sorted(many()));
  auto out = zeros<number>(2 * v.size());
  merge(ex, v, v, out, by_number);
  ints both = many(), distinct = sorted(many());
  both.insert(both.end(), distinct.begin(), distinct.end());
  EXPECT_EQ(numbers(out), sorted(both));
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  index_t const n = unique_sync(ex, v, out, equal_by(same));
  EXPECT_EQ(first(numbers(out), n), distinct);
  ints counts(v.size());
  EXPECT_EQ(run_length_encode_sync(ex, v, out, counts, equal_by(same)), n);
  EXPECT_EQ(first(counts, n), ints(distinct.size(), 2));
}

TEST(copied_elements, are_sorted_and_selected) {
  auto const all = many();
  auto v = made<number>(all);
  auto out = zeros<number>(v.size()), few = zeros<number>(100), one = zeros<number>(1);
  auto most = zeros<number>(v.size() / 2);
  comparison_sort(ex, v, out, by_number);
  EXPECT_EQ(numbers(out), sorted(all));
  comparison_sort(ex, std::list<number>(v.begin(), v.end()), out, by(&number::x));
  EXPECT_EQ(numbers(out), sorted(all));
  ints places(all.size()), order(all.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i);
  comparison_sort_pairs(ex, v, places, out, order, by_number);
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_EQ(*out[i], all[static_cast<std::size_t>(order[i])]);
  }
  for (auto* const to : {&few, &most}) {
    top_k(ex, v, *to, by_number);
    EXPECT_EQ(numbers(*to), first(sorted(all), size_of(*to)));
  }
  nth_element(ex, v, 5000, one, by_number);
  EXPECT_EQ(*one[0], sorted(all)[5000]);
  partial_sort(ex, v, 100, by_number);
  EXPECT_EQ(first(numbers(v), 100), first(sorted(all), 100));
  EXPECT_EQ(sorted(numbers(v)), sorted(all));
}

TEST(copied_elements, go_where_indices_say) {
  auto const v = made<number>({3, 1, 2});
  auto out = zeros<number>(3), back = zeros<number>(3);
  ints const index{2, 0, 1};
  gather(ex, v, index, out);
  EXPECT_EQ(numbers(out), (ints{2, 3, 1}));
  scatter(ex, out, index, back);
  EXPECT_EQ(numbers(back), (ints{3, 1, 2}));
  map(
      ex, [](number const& x) { return number(*x + 1); }, out, v);
  EXPECT_EQ(numbers(out), (ints{4, 2, 3}));
}

TEST(copied_elements, of_pipelines) {
  auto const all = many();
  auto const v = made<number>(all);
  auto const least = first(sorted(all), 100);
  EXPECT_EQ(numbers(on(ex, v) | top_k(100, by_number) | to_vector()), least);
  EXPECT_EQ(numbers(on(ex, v) | partial_sort(100, by_number) | take(100) | to_vector()), least);
  EXPECT_EQ(numbers(on(ex, v) | sort(by(&number::x)) | take(100) | to_vector()), least);
  EXPECT_EQ(
      numbers(on(ex, std::deque<number>(v.begin(), v.end())) | top_k(100, by_number) | to_vector()),
      least);
  EXPECT_EQ(numbers(concat(v, v) | on(ex) | reverse() | take(1) | to_vector()), ints{all.back()});
  EXPECT_EQ(numbers(on(ex, v) | gather(ints{2, 0}) | to_vector()), (ints{all[2], all[0]}));
  auto const twice = made<number>({3, 3, 4, 4, 1});
  auto const next = [](number const& x) { return number(*x + 1); };
  EXPECT_EQ(numbers(on(ex, twice) | unique(equal_by(same)) | to_vector()), (ints{3, 4, 1}));
  EXPECT_EQ(numbers(on(ex, twice) | filter(is_odd) | map(next) | filter(is_odd) | to_vector()),
            ints{});
  EXPECT_EQ(numbers(on(ex, twice) | filter(is_odd) | map(next) | to_vector()), (ints{4, 4, 2}));
}

TEST(moved_elements, are_sorted_in_place) {
  auto const all = many();
  auto v = made<held>(all), w = made<held>(all);
  comparison_sort(ex, v, by_number);
  EXPECT_EQ(numbers(v), sorted(all));
  partial_sort(ex, w, 100, by_number);
  EXPECT_EQ(first(numbers(w), 100), first(sorted(all), 100));
}

TEST(moved_elements, go_where_calls_say) {
  auto const all = many();
  auto v = made<held>(all), w = made<held>(sorted(all)), u = made<held>(sorted(all));
  auto out = zeros<held>(v.size()), both = zeros<held>(2 * v.size());
  split(ex, moved(v), is_odd, out);
  EXPECT_EQ(sorted(numbers(out)), sorted(all));
  EXPECT_TRUE(
      std::is_partitioned(out.begin(), out.end(), [](auto const& x) { return !is_odd(x); }));
  merge(ex, moved(w), moved(u), both, by_number);
  EXPECT_TRUE(std::is_sorted(both.begin(), both.end(), by_number));
  auto distinct = zeros<held>(both.size());
  std::vector<index_t> count(1);
  unique(ex, moved(both), distinct, equal_by(same), total_to(count));
  EXPECT_EQ(count[0], 10'000);
  auto odd = zeros<held>(v.size());
  filter(ex, moved(distinct), is_odd, odd, total_to(count));
  EXPECT_EQ(count[0], 5000);
  EXPECT_EQ(*odd[1], 3);
  pack(ex, moved(odd), ints(odd.size(), 1), out, total_to(count));
  EXPECT_EQ(*out[1], 3);
}

TEST(moved_elements, of_pipelines) {
  auto const all = many();
  auto v = made<held>(all), w = made<held>(all);
  auto const least = first(sorted(all), 100);
  EXPECT_EQ(numbers(on(ex, moved(v)) | top_k(100, by_number) | to_vector()), least);
  EXPECT_EQ(numbers(on(ex, moved(w)) | partial_sort(100, by_number) | take(100) | to_vector()),
            least);
}

}  // namespace
}  // namespace ravel::stubborn_elements_test
