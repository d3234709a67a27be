#include <ravel/primitives/merge.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

namespace ravel::merge_test {
namespace {

/// A key and its origin.
struct record {
  int key;
  int origin;
  friend RAVEL_HD bool operator==(record const& x, record const& y) {
    return x.key == y.key && x.origin == y.origin;
  }
  friend std::ostream& operator<<(std::ostream& os, record const& x) {
    return os << x.key << " from " << x.origin;
  }
};
struct by_key {
  RAVEL_HD bool operator()(record const& x, record const& y) const { return x.key < y.key; }
};
struct falling {
  RAVEL_HD bool operator()(int x, int y) const { return x > y; }
};

/// The reference: takes the lesser head, and that of `a` if equal.
template <class T, class Before>
std::vector<T> oracle(std::vector<T> const& a, std::vector<T> const& b, Before before) {
  std::vector<T> out;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    bool const take_b = i == a.size() || (j < b.size() && before(b[j], a[i]));
    out.push_back(take_b ? b[j++] : a[i++]);
  }
  return out;
}

struct pair_of_inputs {
  std::string name;
  std::vector<int> a;
  std::vector<int> b;
  friend std::ostream& operator<<(std::ostream& os, pair_of_inputs const& x) {
    return os << x.name;
  }
};

std::vector<int> ascending(index_t n, int first, int step) {
  std::vector<int> numbers;
  for (index_t i = 0; i < n; ++i) numbers.push_back(first + static_cast<int>(i) * step);
  return numbers;
}
std::vector<int> sorted_at_random(index_t n, int below, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> numbers;
  for (index_t i = 0; i < n; ++i) numbers.push_back(static_cast<int>(random() % below));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Each input is here for a way in which a tiled merge can fail.
std::vector<pair_of_inputs> inputs() {
  constexpr index_t tile = 4096;
  return {
      {"nothing with nothing", {}, {}},
      {"nothing with something", {}, ascending(2 * tile, 0, 1)},
      {"something with nothing", ascending(2 * tile, 0, 1), {}},
      {"one with one", {3}, {2}},
      {"one with many", {5000}, ascending(3 * tile, 0, 1)},
      {"many with one that goes last", ascending(3 * tile, 0, 1), {1'000'000}},
      {"all of a before b", ascending(tile + 1, 0, 1), ascending(2 * tile, 100'000, 1)},
      {"all of b before a", ascending(2 * tile, 100'000, 1), ascending(tile - 1, 0, 1)},
      {"one from each in turn", ascending(2 * tile, 0, 2), ascending(2 * tile, 1, 2)},
      {"all equal", std::vector(tile + 3, 7), std::vector(2 * tile - 1, 7)},
      {"long runs of equals", sorted_at_random(3 * tile, 3, 1), sorted_at_random(tile, 3, 2)},
      {"runs of dozens", sorted_at_random(3 * tile, 300, 10), sorted_at_random(tile, 300, 11)},
      {"at random", sorted_at_random(2 * tile + 5, 100'000, 3), sorted_at_random(tile, 100'000, 4)},
      {"less than a tile at random", sorted_at_random(1000, 500, 5), sorted_at_random(777, 500, 6)},
      {"few at random", sorted_at_random(65, 50, 7), sorted_at_random(63, 50, 8)},
      {"blocks of a tile in turn", ascending(2 * tile, 0, 1),
       [] {
         auto b = ascending(tile, tile / 2, 0);
         for (int const x : ascending(tile, 3 * tile, 1)) b.push_back(x);
         return b;
       }()},
  };
}

template <class Ex>
struct merge : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(merge, testing::all_executors);

TYPED_TEST(merge, gives_the_examples_in_the_header) {
  auto const& ex = this->ex();
  auto const a = this->there(std::vector{1, 3, 5});
  auto const b = this->there(std::vector{2, 3});
  auto const values_a = this->there(std::vector{'a', 'b', 'c'});
  auto const values_b = this->there(std::vector{'x', 'y'});
  auto out = this->template allocate<int>(5);
  auto values = this->template allocate<char>(5);
  ravel::merge(ex, a, b, out);
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 3, 3, 5}));
  merge_pairs(ex, a, values_a, b, values_b, out, values);
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 3, 3, 5}));
  EXPECT_EQ(this->here(values), (std::vector{'a', 'x', 'b', 'y', 'c'}));
}

LOCAL_TYPED_TEST(merge, path_gives_the_example_in_the_header) {
  auto const& ex = this->ex();
  auto const a = this->there(std::vector{1, 3, 5});
  auto const b = this->there(std::vector{2, 3});
  auto const diagonals = this->there(std::vector{0, 2, 4, 5});
  auto points = this->template allocate<int>(4);
  merge_path(ex, a, b, diagonals, points);
  EXPECT_EQ(this->here(points), (std::vector{0, 1, 2, 3}));
}

TYPED_TEST(merge, agrees_with_the_loop) {
  for (auto const& in : inputs()) {
    SCOPED_TRACE(in);
    auto const a = this->there(in.a);
    auto const b = this->there(in.b);
    auto out = this->template allocate<int>(std::ssize(in.a) + std::ssize(in.b));
    ravel::merge(this->ex(), a, b, out);
    EXPECT_EQ(this->here(out), oracle(in.a, in.b, less{}));
  }
}

LOCAL_TYPED_TEST(merge, takes_each_element_once_of_what_is_not_sorted) {
  std::mt19937 random(9);
  for (index_t const n : {5, 100, 3000, 20'000}) {
    SCOPED_TRACE(n);
    auto in_a = ascending(n, 0, 1), in_b = ascending(n + 3, static_cast<int>(n), 1);
    std::shuffle(in_a.begin(), in_a.end(), random);
    std::shuffle(in_b.begin(), in_b.end(), random);
    auto const a = this->there(in_a);
    auto const b = this->there(in_b);
    auto out = this->template allocate<int>(2 * n + 3);
    ravel::merge(this->ex(), a, b, out);
    auto merged = this->here(out);
    std::sort(merged.begin(), merged.end());
    EXPECT_EQ(merged, ascending(2 * n + 3, 0, 1));
  }
}

TYPED_TEST(merge, is_stable) {
  for (auto const& in : inputs()) {
    SCOPED_TRACE(in);
    std::vector<record> host_a;
    std::vector<record> host_b;
    std::vector<int> origins_a;
    std::vector<int> origins_b;
    for (int const key : in.a) {
      origins_a.push_back(static_cast<int>(origins_a.size()));
      host_a.push_back({key, origins_a.back()});
    }
    for (int const key : in.b) {
      origins_b.push_back(-1 - static_cast<int>(origins_b.size()));
      host_b.push_back({key, origins_b.back()});
    }
    auto const expected = oracle(host_a, host_b, by_key{});
    auto const a = this->there(host_a);
    auto const b = this->there(host_b);
    auto out = this->template allocate<record>(std::ssize(expected));
    ravel::merge(this->ex(), a, b, out, by_key{});
    EXPECT_EQ(this->here(out), expected);

    auto const keys_a = this->there(in.a);
    auto const keys_b = this->there(in.b);
    auto const values_a = this->there(origins_a);
    auto const values_b = this->there(origins_b);
    auto keys = this->template allocate<int>(std::ssize(expected));
    auto values = this->template allocate<int>(std::ssize(expected));
    merge_pairs(this->ex(), keys_a, values_a, keys_b, values_b, keys, values);
    auto const got_keys = this->here(keys);
    auto const got_values = this->here(values);
    for (std::size_t d = 0; d < expected.size(); ++d) {
      ASSERT_EQ(got_keys[d], expected[d].key) << d;
      ASSERT_EQ(got_values[d], expected[d].origin) << d;
    }
  }
}

LOCAL_TYPED_TEST(merge, takes_any_strict_weak_order_and_types_that_differ) {
  auto a = sorted_at_random(5000, 1000, 1);
  auto b = sorted_at_random(3000, 1000, 2);
  std::reverse(a.begin(), a.end());
  std::reverse(b.begin(), b.end());
  auto const there_a = this->there(a);
  auto const there_b = this->there(std::vector<std::int16_t>(b.begin(), b.end()));
  auto out = this->template allocate<double>(8000);
  ravel::merge(this->ex(), there_a, there_b, out, falling{});
  auto const expected = oracle(a, b, falling{});
  EXPECT_EQ(this->here(out), std::vector<double>(expected.begin(), expected.end()));
  auto values = this->template allocate<index_t>(8000);
  merge_pairs(this->ex(), there_a, there_a, there_b, there_b, out, values, falling{});
  EXPECT_EQ(this->here(values), std::vector<index_t>(expected.begin(), expected.end()));
}

LOCAL_TYPED_TEST(merge, has_a_path_that_says_how_many_come_from_each) {
  for (auto const& in : inputs()) {
    SCOPED_TRACE(in);
    // The number of the first d elements that come from a, by merging flags of origin.
    std::vector<record> from_a;
    std::vector<record> from_b;
    for (int const key : in.a) from_a.push_back({key, 1});
    for (int const key : in.b) from_b.push_back({key, 0});
    std::vector<int> taken{0};
    for (auto const& x : oracle(from_a, from_b, by_key{})) taken.push_back(taken.back() + x.origin);

    std::vector<index_t> diagonals;
    std::vector<int> expected;
    for (std::size_t d = 0; d < taken.size(); d += 1 + d / 50) diagonals.push_back(d);
    diagonals.push_back(std::ssize(taken) - 1);
    std::reverse(diagonals.begin(), diagonals.end());
    for (index_t const d : diagonals) expected.push_back(taken[static_cast<std::size_t>(d)]);

    auto const a = this->there(in.a);
    auto const b = this->there(in.b);
    auto const at = this->there(diagonals);
    auto points = this->template allocate<int>(std::ssize(diagonals));
    merge_path(this->ex(), a, b, at, points);
    EXPECT_EQ(this->here(points), expected);
  }
}

LOCAL_TYPED_TEST(merge, refuses_sizes_that_differ) {
  auto const& ex = this->ex();
  auto const two = this->template allocate<int>(2);
  auto const three = this->template allocate<int>(3);
  auto four = this->template allocate<int>(4);
  auto five = this->template allocate<int>(5);
  EXPECT_THROW(ravel::merge(ex, two, three, four), contract_error);
  EXPECT_THROW(merge_pairs(ex, two, three, three, three, five, five), contract_error);
  EXPECT_THROW(merge_pairs(ex, two, two, three, two, five, five), contract_error);
  EXPECT_THROW(merge_pairs(ex, two, two, three, three, four, five), contract_error);
  EXPECT_THROW(merge_pairs(ex, two, two, three, three, five, four), contract_error);
  EXPECT_THROW(merge_path(ex, two, three, two, four), contract_error);
}

#ifndef __CUDACC__

/// The merge path works on any type with a size and elements.
struct counting {
  index_t first;
  index_t count;
  index_t size() const { return count; }
  index_t operator[](index_t i) const { return first + i; }
};

TEST(merge_path_point, is_of_anything_with_size_and_elements) {
  std::vector<index_t> const row_ends{2, 2, 7};
  counting const nonzeros{0, 7};
  // The merge of segment ends with elements: 0 1 [2] [2] 2 3 4 5 6 [7]
  std::vector<index_t> const expected{0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 3};
  for (index_t d = 0; d <= 10; ++d) {
    EXPECT_EQ(merge_path_point(row_ends, nonzeros, d), expected[static_cast<std::size_t>(d)]) << d;
  }
}

#endif

}  // namespace
}  // namespace ravel::merge_test
