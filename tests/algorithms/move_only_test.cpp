/// On the host, elements that cannot be copied, or have no default constructor, are sorted.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

namespace ravel::move_only_test {
namespace {

/// Without a default constructor.
struct numbered {
  int key, place;
  numbered(int k, int p) : key(k), place(p) {}
  friend bool operator==(numbered const&, numbered const&) = default;
};
struct by_number {
  bool operator()(numbered const& x, numbered const& y) const { return x.key < y.key; }
  bool operator()(std::unique_ptr<numbered> const& x, std::unique_ptr<numbered> const& y) const {
    return x->key < y->key;
  }
};

std::vector<numbered> some(int n) {
  std::vector<numbered> made;
  for (int i = 0; i < n; ++i) made.emplace_back(i * 7919 % 251, i);
  return made;
}
std::vector<numbered> sorted(std::vector<numbered> all) {
  std::stable_sort(all.begin(), all.end(), by_number{});
  return all;
}

constexpr int sizes[] = {0, 1, 5, 20'000};

TEST(move_only, sorts_owners_in_place) {
  for (int const n : sizes) {
    std::vector<std::unique_ptr<numbered>> owners;
    for (auto const& x : some(n)) owners.push_back(std::make_unique<numbered>(x));
    comparison_sort(cpu::threads(3), owners, by_number{});
    auto const expected = sorted(some(n));
    ASSERT_TRUE(std::equal(owners.begin(), owners.end(), expected.begin(), expected.end(),
                           [](auto const& p, numbered const& x) { return p && *p == x; }));
  }
}

TEST(move_only, sorts_elements_without_a_default_constructor) {
  for (int const n : sizes) {
    auto const in = some(n);
    std::vector<numbered> out(in.size(), numbered(-1, -1));
    comparison_sort(cpu::threads(3), in, out, by_number{});
    ASSERT_EQ(out, sorted(in));
  }
}

TEST(move_only, leaves_owners_where_an_order_throws) {
  std::vector<std::unique_ptr<int>> owners;
  for (int i = 0; i < 20'000; ++i) owners.push_back(std::make_unique<int>(i));
  auto const throws = [](auto const& p, auto const& q) {
    if (*p == 15'000) throw std::domain_error("15,000");
    return *q < *p;
  };
  EXPECT_THROW(comparison_sort(cpu::threads(3), owners, throws), std::domain_error);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(*owners[static_cast<std::size_t>(i)], i);
}

/// An order that is none still loses nothing.
TEST(move_only, keeps_all_owners_whatever_the_order) {
  std::vector<std::unique_ptr<int>> owners;
  for (int i = 0; i < 20'000; ++i) owners.push_back(std::make_unique<int>(i));
  comparison_sort(cpu::threads(3), owners,
                  [](auto const& p, auto const& q) { return (*p * 31 + *q * 17) % 3 == 0; });
  std::vector<bool> seen(owners.size());
  for (auto const& p : owners) seen[static_cast<std::size_t>(*p)] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0);
}

}  // namespace
}  // namespace ravel::move_only_test
