/// On the host, elements that cannot be copied, or have no default constructor, are packed, merged
/// and split by moves.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/moved.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <ranges>
#include <vector>

namespace ravel::moved_test {
namespace {

using owner = std::unique_ptr<int>;

std::vector<owner> owners_of(std::vector<int> const& numbers) {
  std::vector<owner> made;
  for (int const x : numbers) made.push_back(std::make_unique<int>(x));
  return made;
}
/// The numbers, and -1 where none is owned.
std::vector<int> numbers_of(std::vector<owner> const& owners) {
  std::vector<int> numbers;
  for (auto const& p : owners) numbers.push_back(p ? *p : -1);
  return numbers;
}
std::vector<int> some(int n) {
  std::vector<int> made;
  for (int i = 0; i < n; ++i) made.push_back(i * 7919 % 251 / 4);
  return made;
}

struct is_odd {
  bool operator()(owner const& p) const { return *p % 2 != 0; }
};
struct same {
  bool operator()(owner const& p, owner const& q) const { return *p == *q; }
};
struct by_number {
  bool operator()(owner const& p, owner const& q) const { return *p < *q; }
};

constexpr int sizes[] = {0, 1, 5, 50'000};
cpu::threads const ex(3);

TEST(moved, the_example) {
  auto owners = owners_of({0, 1, 2, 3, 4});
  std::vector<owner> kept(2);
  EXPECT_EQ(filter_sync(ex, moved(owners), is_odd{}, kept), 2);
  EXPECT_EQ(numbers_of(kept), (std::vector{1, 3}));
  EXPECT_EQ(numbers_of(owners), (std::vector{0, -1, 2, -1, 4}));
}

TEST(moved, leaves_what_has_no_room) {
  auto owners = owners_of({1, 3, 5, 7});
  std::vector<owner> kept(3);
  EXPECT_EQ(pack_sync(ex, moved(owners), std::vector{1, 1, 1, 1}, kept), 4);
  EXPECT_EQ(numbers_of(owners), (std::vector{-1, -1, -1, 7}));
  EXPECT_THROW(pack(ex, moved(owners), std::vector{1}, kept), contract_error);
}

TEST(moved, takes_ranges_of_rvalues) {
  auto owners = owners_of({1, 2, 3});
  std::vector<owner> kept(3);
  std::ranges::subrange const rvalues(std::make_move_iterator(owners.begin()),
                                      std::make_move_iterator(owners.end()));
  EXPECT_EQ(filter_sync(ex, rvalues, is_odd{}, kept), 2);
  EXPECT_EQ(numbers_of(kept), (std::vector{1, 3, -1}));
#ifdef __cpp_lib_ranges_as_rvalue
  auto more = owners_of({5, 6});
  EXPECT_EQ(filter_sync(ex, std::views::as_rvalue(more), is_odd{}, kept), 1);
  EXPECT_EQ(numbers_of(kept), (std::vector{5, 3, -1}));
#endif
}

TEST(moved, unique) {
  for (int const n : sizes) {
    auto expected = some(n);
    std::sort(expected.begin(), expected.end());
    auto owners = owners_of(expected);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    std::vector<owner> out(expected.size());
    EXPECT_EQ(unique_sync(ex, moved(owners), out, equal_by(same{})),
              static_cast<index_t>(expected.size()));
    EXPECT_EQ(numbers_of(out), expected);
  }
}

TEST(moved, merge) {
  for (int const n : sizes) {
    auto x = some(n), y = some(n / 2 + 1);
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    auto a = owners_of(x), b = owners_of(y);
    std::vector<int> expected;
    std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(expected));
    std::vector<owner> out(expected.size());
    merge(ex, moved(a), moved(b), out, by_number{});
    EXPECT_EQ(numbers_of(out), expected);
    EXPECT_EQ(std::count(a.begin(), a.end(), nullptr) + std::count(b.begin(), b.end(), nullptr),
              std::ssize(out));
  }
}

TEST(moved, merge_moves_no_element_twice) {
  auto a = owners_of({3, 1, 2}), b = owners_of({2, 5, 0});
  std::vector<owner> out(6);
  merge(ex, moved(a), moved(b), out, by_number{});  // neither is sorted
  auto numbers = numbers_of(out);
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(numbers, (std::vector{0, 1, 2, 2, 3, 5}));
  EXPECT_THROW(merge(ex, moved(out), moved(out), a, by_number{}), contract_error);
}

TEST(moved, split) {
  for (int const n : sizes) {
    auto expected = some(n);
    auto owners = owners_of(expected);
    std::vector<owner> out(expected.size());
    std::vector<index_t> offsets(3);
    split(ex, moved(owners), is_odd{}, out, offsets_to(offsets));
    auto const middle =
        std::stable_partition(expected.begin(), expected.end(), [](int x) { return x % 2 == 0; });
    EXPECT_EQ(numbers_of(out), expected);
    EXPECT_EQ(offsets, (std::vector<index_t>{0, middle - expected.begin(), n}));
  }
}

/// Without a default constructor.
struct numbered {
  int x;
  explicit numbered(int x) : x(x) {}
  friend bool operator==(numbered, numbered) = default;
};

TEST(moved, elements_without_a_default_constructor_need_no_move) {
  int const n = 50'000;
  std::vector<numbered> in, odd;
  for (int const x : some(n)) in.emplace_back(x);
  auto const is_odd = [](numbered const& m) { return m.x % 2 != 0; };
  std::copy_if(in.begin(), in.end(), std::back_inserter(odd), is_odd);
  std::vector<numbered> out(in.size(), numbered(-1));
  EXPECT_EQ(filter_sync(ex, in, is_odd, out), std::ssize(odd));
  EXPECT_TRUE(std::equal(odd.begin(), odd.end(), out.begin()));
  split(ex, in, is_odd, out);
  EXPECT_TRUE(std::equal(odd.begin(), odd.end(), out.end() - std::ssize(odd)));
  std::vector<numbered> merged(2 * in.size(), numbered(-1)), expected;
  auto const before = [](numbered a, numbered b) { return a.x < b.x; };
  std::stable_sort(in.begin(), in.end(), before);
  std::merge(in.begin(), in.end(), in.begin(), in.end(), std::back_inserter(expected), before);
  merge(ex, in, in, merged, before);
  EXPECT_EQ(merged, expected);
  in.erase(std::unique(in.begin(), in.end()), in.end());
  EXPECT_EQ(unique_sync(ex, merged, out), std::ssize(in));
  EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin()));
}

}  // namespace
}  // namespace ravel::moved_test
