/// A sort in registers, for every number of keys and every vector width.

#include <ravel/core/cpu/sort_few.hpp>

#include "support/random_word.hpp"
#include "support/vector_widths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

namespace ravel::cpu {
namespace {

template <class U>
void sorts_every_number_of_keys() {
  for (index_t n = 0; n <= most_few<U>; ++n) {
    for (int const kinds : {1, 2, 17, 0}) {  // 0: all distinct
      std::vector<U> keys(most_few<U>);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        auto const x = testing::random_word(static_cast<std::uint64_t>(n) << 32 | i);
        keys[i] = static_cast<U>(kinds == 0 ? x : std::numeric_limits<U>::max() - x % kinds);
      }
      std::vector<U> expected(keys.begin(), keys.begin() + n);
      std::sort(expected.begin(), expected.end());
      sort_few(keys.data(), n);
      keys.resize(static_cast<std::size_t>(n));
      ASSERT_EQ(keys, expected) << n << " keys of " << kinds << " kinds";
    }
  }
}

TEST(sort_few, sorts_every_number_of_keys) {
  testing::in_each_width([] {
    sorts_every_number_of_keys<std::uint32_t>();
    sorts_every_number_of_keys<std::uint64_t>();
  });
}

/// The 0-1 principle: a network that sorts all sequences of zeros and ones sorts everything.
TEST(sort_few, sorts_zeros_and_ones_in_any_places) {
  testing::in_each_width([] {
    for (unsigned places = 0; places < 1u << 16; ++places) {
      std::uint32_t keys[most_few<std::uint32_t>];
      for (unsigned k = 0; k < 16; ++k) keys[k] = places >> k & 1;
      sort_few(keys, 16);
      ASSERT_TRUE(std::is_sorted(keys, keys + 16)) << places;
    }
  });
}

/// Keys of which so many are distinct, 0 for all, and some are the greatest.
template <class U>
std::vector<U> keys_of_kinds(index_t n, std::uint64_t kinds) {
  std::vector<U> keys;
  for (index_t i = 0; i < n; ++i) {
    auto const x =
        testing::random_word(static_cast<std::uint64_t>(n) << 32 | static_cast<std::uint64_t>(i));
    keys.push_back(static_cast<U>(kinds == 0 ? x : std::numeric_limits<U>::max() - x % kinds));
  }
  return keys;
}

template <class U>
void quicksorts(std::vector<U> keys) {
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  bool const sorts = quicksort_keys(keys.data(), std::ssize(keys));
  ASSERT_EQ(sorts, quicksorts_keys()) << keys.size() << " keys";
  if (sorts) {
    ASSERT_EQ(keys, expected) << keys.size() << " keys";
  }
}

template <class U>
void quicksorts_all() {
  for (index_t n = 0; n < 2000; n += n < 520 ? 1 : 37) {
    for (std::uint64_t const kinds : {0, 1, 2, 17}) quicksorts(keys_of_kinds<U>(n, kinds));
  }
  for (std::uint64_t const kinds : {0, 1, 2, 1000}) {
    auto keys = keys_of_kinds<U>(100'003, kinds);
    quicksorts(keys);
    std::sort(keys.begin(), keys.end());
    quicksorts(keys);
    std::reverse(keys.begin(), keys.end());
    quicksorts(keys);
  }
}

TEST(quicksort_keys, sorts_any_number_of_keys) {
  testing::in_each_width([] {
    quicksorts_all<std::uint32_t>();
    quicksorts_all<std::uint64_t>();
  });
}

/// Keys at the places of the first sample are the least, so that its median divides unevenly.
TEST(quicksort_keys, sorts_where_a_sample_misleads) {
  constexpr index_t n = 1 << 15, sampled = n / 64;
  std::vector<std::uint32_t> keys(n);
  for (index_t i = 0; i < n; ++i) {
    keys[static_cast<std::size_t>(i)] =
        static_cast<std::uint32_t>(i % sampled == 0 ? i / sampled : n + i);
  }
  quicksorts(keys);
}

/// Splits keys at keys[0], keys[1], ..., sorted, and divides them at a pivot.
template <class U>
void splits(std::vector<U> const& keys) {
  if (!quicksorts_keys()) return;
  auto const n = std::ssize(keys);
  key_splitter<U> at;
  std::copy_n(keys.begin(), ways_of_keys - 1, at.ends);
  std::sort(at.ends, at.ends + ways_of_keys - 1);
  index_t below[ways_of_keys] = {};
  at.count(keys.data(), n, below);
  below[ways_of_keys - 1] = n;
  std::vector<U> out(keys.size());
  U* to[ways_of_keys];
  for (int p = 0; p < ways_of_keys; ++p) to[p] = out.data() + (p > 0 ? below[p - 1] : 0);
  at.scatter(keys.data(), n, to);
  std::vector<U> expected;
  for (int p = 0; p < ways_of_keys; ++p) {
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(expected), [&](U x) {
      return (p == 0 || at.ends[p - 1] <= x) && (p + 1 == ways_of_keys || x < at.ends[p]);
    });
    ASSERT_EQ(below[p], std::ssize(expected)) << n << " keys, part " << p;
    ASSERT_EQ(to[p], out.data() + below[p]) << n << " keys, part " << p;
  }
  ASSERT_EQ(out, expected) << n << " keys";

  auto const kept = std::size_t{3};  // the one part that is written
  U* only[ways_of_keys] = {};
  only[kept] = out.data();
  at.scatter(keys.data(), n, only);
  ASSERT_EQ(only[kept], out.data() + (below[kept] - below[kept - 1])) << n << " keys";
  ASSERT_TRUE(std::equal(out.data(), only[kept], expected.data() + below[kept - 1]));
  out = expected;

  if (n <= 2 * most_few<U>) return;
  auto const [less, rest] = divide_keys(out.data(), n);
  ASSERT_LT(0, rest);
  auto const first = out.begin();
  U const pivot = less < rest ? out[0] : *std::min_element(first + less, out.end());
  ASSERT_TRUE(std::all_of(first, first + less, [&](U x) { return x < pivot; }));
  ASSERT_TRUE(std::all_of(first + less, first + rest, [&](U x) { return x == pivot; }));
  ASSERT_TRUE(std::all_of(first + rest, out.end(),
                          [&](U x) { return less < rest ? pivot < x : pivot <= x; }));
  std::sort(out.begin(), out.end());
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(out, expected);
}

TEST(key_splitter, splits_stably_and_divides_at_a_pivot) {
  for (index_t n = 7; n < 2000; n += n < 50 ? 1 : 97) {
    for (std::uint64_t const kinds : {0, 1, 2, 17}) {
      splits(keys_of_kinds<std::uint32_t>(n, kinds));
      splits(keys_of_kinds<std::uint64_t>(n, kinds));
    }
  }
}

}  // namespace
}  // namespace ravel::cpu
