/// Pipelines of elements that are moved from, and of elements without a default constructor.

#include <ravel/core/checked.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace ravel::moved_pipelines_test {
namespace {

using ints = std::vector<int>;
using owner = std::unique_ptr<int>;

/// Can be moved, and has no default constructor.
class held {
  owner of_;

 public:
  explicit held(int x) : of_(std::make_unique<int>(x)) {}
  bool is_there() const { return of_ != nullptr; }
  int operator*() const { return *of_; }
};
/// Can be copied, and has no default constructor.
struct number {
  int x;
  explicit number(int x) : x(x) {}
  int operator*() const { return x; }
  bool is_there() const { return true; }
};

bool is_there(owner const& x) { return x != nullptr; }
template <class T>
bool is_there(T const& x) {
  return x.is_there();
}

template <class T>
T made(int x) {
  if constexpr (std::same_as<T, owner>) {
    return std::make_unique<int>(x);
  } else {
    return T(x);
  }
}
template <class T>
std::vector<T> elements(ints const& of) {
  std::vector<T> all;
  for (int const x : of) all.push_back(made<T>(x));
  return all;
}
/// The numbers of elements; -1 of those that were moved from.
template <class R>
ints numbers(R const& of) {
  ints all;
  for (auto const& x : of) all.push_back(is_there(x) ? *x : -1);
  return all;
}

auto const is_odd = [](auto const& x) { return *x % 2 != 0; };
auto const by_number = [](auto const& x, auto const& y) { return *x < *y; };
auto const same_tens = [](auto const& x, auto const& y) { return *x / 10 == *y / 10; };

ints many() {
  ints all(20'000);
  for (int i = 0; i < 20'000; ++i) all[static_cast<std::size_t>(i)] = i * 7919 % 20'000;
  return all;
}
template <class Keep>
ints kept(ints const& of, Keep keep) {
  ints result;
  std::copy_if(of.begin(), of.end(), std::back_inserter(result), [&](int x) { return keep(&x); });
  return result;
}

template <class T>
struct moved_elements_of_pipelines : ::testing::Test {
  cpu::threads ex{3};

  /// Expects what has been moved from to be there no more, unless it was copied.
  static void left_in(std::vector<T> const& v, ints const& expected) {
    if (!std::copyable<T>) {
      EXPECT_EQ(numbers(v), expected);
    }
  }
};
using types = ::testing::Types<owner, held, number>;
TYPED_TEST_SUITE(moved_elements_of_pipelines, types);

TYPED_TEST(moved_elements_of_pipelines, gives_the_example_in_the_header) {
  auto v = elements<TypeParam>({4, 3, 2, 1, 0});
  auto const sorted = on(this->ex, moved(v)) | filter(is_odd) | sort(by_number) | to_vector();
  EXPECT_EQ(numbers(sorted), (ints{1, 3}));
  this->left_in(v, (ints{4, -1, 2, -1, 0}));
}

TYPED_TEST(moved_elements_of_pipelines, filters_leave_what_they_drop) {
  auto const all = many();
  auto const odd = kept(all, is_odd);
  for (int const filters : {1, 2}) {
    auto v = elements<TypeParam>(all);
    auto const begun = on(this->ex, moved(v)) | filter(is_odd);
    auto const result = filters == 1
                            ? begun | to_vector()
                            : begun | filter([](auto const& x) { return *x > 9; }) | to_vector();
    ints expected = odd;
    if (filters == 2) std::erase_if(expected, [](int x) { return x <= 9; });
    EXPECT_EQ(numbers(result), expected);
    if (std::copyable<TypeParam>) continue;
    for (std::size_t i = 0; i < v.size(); ++i) {
      bool const stays = all[i] % 2 == 0 || (filters == 2 && all[i] <= 9);
      ASSERT_EQ(is_there(v[i]), stays);
    }
  }
}

TYPED_TEST(moved_elements_of_pipelines, sorts_all_and_what_filters_keep) {
  auto const all = many();
  ints sorted = all, odd = kept(all, is_odd);
  std::sort(sorted.begin(), sorted.end());
  std::sort(odd.begin(), odd.end());
  auto v = elements<TypeParam>(all), w = elements<TypeParam>(all);
  EXPECT_EQ(numbers(on(this->ex, moved(v)) | sort(by_number) | to_vector()), sorted);
  EXPECT_EQ(numbers(on(this->ex, moved(w)) | filter(is_odd) | sort(by_number) | to_vector()), odd);
}

TYPED_TEST(moved_elements_of_pipelines, unique_keeps_the_first_of_each_run) {
  auto const all = many();
  ints sorted = all, odd = kept(all, is_odd), of_odd;
  std::sort(sorted.begin(), sorted.end());
  std::ranges::unique_copy(sorted, std::back_inserter(of_odd), {}, [](int x) { return x / 10; });
  auto v = elements<TypeParam>(all);
  EXPECT_EQ(
      numbers(on(this->ex, moved(v)) | sort(by_number) | unique(equal_by(same_tens)) | to_vector()),
      of_odd);
  auto w = elements<TypeParam>({1, 2, 3, 31, 33, 40, 5});
  auto const p = on(this->ex, moved(w)) | filter(is_odd) | unique(equal_by(same_tens));
  EXPECT_EQ(numbers(p | to_vector()), (ints{1, 31, 5}));
  this->left_in(w, (ints{-1, 2, -1, -1, -1, 40, -1}));
  auto u = elements<TypeParam>({1, 2, 31, 5, 7});
  EXPECT_EQ(numbers(on(this->ex, moved(u)) | unique(equal_by(same_tens)) | to_vector()),
            (ints{1, 31, 5}));
  this->left_in(u, (ints{-1, 2, -1, -1, 7}));
}

TYPED_TEST(moved_elements_of_pipelines, stages_after_a_sort) {
  auto v = elements<TypeParam>({5, 3, 4, 1, 2});
  auto const sorted = on(this->ex, moved(v)) | sort(by_number);
  EXPECT_EQ(numbers(sorted | filter(is_odd) | take(2) | to_vector()), (ints{1, 3}));
  auto w = elements<TypeParam>({5, 3, 4, 1, 2});
  auto const read =
      on(this->ex, moved(w)) | sort(by_number) | map([](auto const& x) { return *x; });
  EXPECT_EQ(read | to_vector(), (ints{1, 2, 3, 4, 5}));
}

TYPED_TEST(moved_elements_of_pipelines, positions_of_memory) {
  auto v = elements<TypeParam>({5, 3, 4, 1, 2});
  EXPECT_EQ(numbers(on(this->ex, moved(v)) | drop(1) | take(2) | to_vector()), (ints{3, 4}));
  this->left_in(v, (ints{5, -1, -1, 1, 2}));
}

TYPED_TEST(moved_elements_of_pipelines, what_only_reads_moves_nothing) {
  auto v = elements<TypeParam>({5, 3, 4, 1, 2});
  auto const p = on(this->ex, moved(v)) | filter(is_odd);
  EXPECT_EQ((p | count()).get(), 3);
  EXPECT_EQ((p | map([](auto const& x) { return *x; }) | reduce(plus{})).get(), 9);
  EXPECT_EQ((on(this->ex, moved(v)) | find_if([](auto const& x) { return *x == 4; })).get(), 2);
  EXPECT_EQ(numbers(v), (ints{5, 3, 4, 1, 2}));
}

TYPED_TEST(moved_elements_of_pipelines, on_executors_that_wrap_another) {
  auto v = elements<TypeParam>({5, 3, 4, 1, 2}), w = elements<TypeParam>({5, 3, 4, 1, 2});
  EXPECT_EQ(numbers(on(checked(this->ex), moved(v)) | filter(is_odd) | to_vector()),
            (ints{5, 3, 1}));
  EXPECT_EQ(numbers(on(same_everywhere(this->ex), moved(w)) | filter(is_odd) | to_vector()),
            (ints{5, 3, 1}));
}

TEST(moved_pipelines, write_to_memory_of_the_caller) {
  cpu::sequential const ex;
  auto v = elements<owner>({5, 3, 4, 1, 2});
  std::vector<owner> out(5);
  EXPECT_EQ((on(ex, moved(v)) | filter(is_odd) | into(out)).get(), 3);
  out.resize(3);
  EXPECT_EQ(numbers(out), (ints{5, 3, 1}));
  EXPECT_EQ(numbers(v), (ints{-1, -1, 4, -1, 2}));
  auto const left =
      on(ex, moved(v)) | filter([](owner const& x) { return x != nullptr; }) | to_buffer();
  EXPECT_EQ(numbers(left), (ints{4, 2}));
  std::vector<number> some{number(2), number(1)}, room{number(0), number(0)};
  on(ex, some) | sort(by_number) | into(room);
  EXPECT_EQ(numbers(room), (ints{1, 2}));
}

TEST(moved_pipelines, move_what_could_be_copied) {
  cpu::threads const ex(2);
  std::string const longer(40, 'x');
  std::vector<std::string> v{"a" + longer, "a" + longer, "b" + longer, "b"};
  auto const* const b = v[2].data();
  auto const kept = on(ex, moved(v)) | filter([](auto const& s) { return s.size() > 1; }) |
                    unique() | to_vector();
  EXPECT_EQ(kept, (std::vector{"a" + longer, "b" + longer}));
  EXPECT_EQ(kept[1].data(), b);  // the same memory
  EXPECT_EQ(on(ex, moved(v)) | sort() | drop(3) | to_vector(), (std::vector<std::string>{"b"}));
  ints numbers{3, 1, 2};
  EXPECT_EQ(on(ex, moved(numbers)) | sort(descending) | to_vector(), (ints{3, 2, 1}));
  EXPECT_EQ(on(ex, moved(numbers)) | sort() | inclusive_scan(plus{}) | to_vector(),
            (ints{1, 3, 6}));
}

TEST(moved_pipelines, take_ranges_of_rvalues) {
  cpu::sequential const ex;
  auto v = elements<owner>({5, 3, 4});
  auto const rvalues =
      std::ranges::subrange(std::move_iterator(v.begin()), std::move_iterator(v.end()));
  EXPECT_EQ(numbers(rvalues | on(ex) | filter(is_odd) | to_vector()), (ints{5, 3}));
  EXPECT_EQ(numbers(v), (ints{-1, -1, 4}));
}

TEST(sorted_pipelines, take_elements_without_a_default_constructor) {
  cpu::threads const ex(3);
  auto const all = many();
  ints sorted = all, odd = kept(all, is_odd);
  std::sort(sorted.begin(), sorted.end());
  std::sort(odd.begin(), odd.end());
  auto const v = elements<number>(all);
  EXPECT_EQ(numbers(on(ex, v) | sort(by_number) | to_vector()), sorted);
  EXPECT_EQ(numbers(on(ex, v) | filter(is_odd) | sort(by_number) | to_vector()), odd);
  EXPECT_EQ(numbers(v), all);  // copied
  EXPECT_EQ(
      numbers(on(ex, all) | map([](int x) { return number(x); }) | sort(by_number) | to_vector()),
      sorted);
  EXPECT_EQ(
      numbers(on(ex, all) | map([](int x) { return held(x); }) | sort(by_number) | to_vector()),
      sorted);
  EXPECT_EQ(on(ex, v) | sort(by_number) | map([](number const& x) { return *x; }) | to_vector(),
            sorted);
}

}  // namespace
}  // namespace ravel::moved_pipelines_test
