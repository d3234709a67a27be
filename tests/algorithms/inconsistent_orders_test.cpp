#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/primitives/merge.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/random_word.hpp"

#include <ravel/algorithms/cuda/comparison_sort.cuh>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

/// Sorts and merges by functions that are not strict weak orders.  Results must still be
/// permutations of inputs.

namespace ravel::inconsistent_orders_test {
namespace {

using testing::random_word32;

/// A value, and its index.
struct item {
  double value;
  std::int64_t id;
};

/// NaNs are unordered, and distinct.
struct by_value {
  RAVEL_HD bool operator()(item const& x, item const& y) const { return x.value < y.value; }
};
struct always {
  RAVEL_HD bool operator()(item const&, item const&) const { return true; }
};
struct never {
  RAVEL_HD bool operator()(item const&, item const&) const { return false; }
};
struct not_greater {
  RAVEL_HD bool operator()(item const& x, item const& y) const { return x.value <= y.value; }
};
/// Rock, paper, scissors: not transitive.
struct cyclic {
  RAVEL_HD bool operator()(item const& x, item const& y) const {
    return (y.id % 3 - x.id % 3 + 3) % 3 == 1;
  }
};
/// A random tournament: exactly one of two items is before the other.
struct tournament {
  RAVEL_HD bool operator()(item const& x, item const& y) const {
    auto const low = static_cast<std::uint32_t>(x.id < y.id ? x.id : y.id);
    auto const high = static_cast<std::uint32_t>(x.id < y.id ? y.id : x.id);
    std::uint32_t const word = (low * 2654435761u ^ high * 2246822519u) >> 16;
    return (word & 1) == (x.id < y.id ? 0u : 1u);
  }
};
#ifndef __CUDACC__
/// Not deterministic.
struct at_random {
  inline static std::atomic<std::uint32_t> calls = 0;
  bool operator()(item const&, item const&) const { return random_word32(++calls) % 2 != 0; }
};
#endif

template <class F>
void with_each_order(F f) {
  f("by value", by_value{});
  f("always", always{});
  f("never", never{});
  f("not greater", not_greater{});
  f("cyclic", cyclic{});
  f("tournament", tournament{});
#ifndef __CUDACC__
  f("at random", at_random{});
#endif
}

std::vector<item> items(index_t n, std::uint32_t seed) {
  std::vector<item> all;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(n); ++i) {
    auto const word = random_word32(i + seed * 7919);
    all.push_back({word % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : word % 1000, i});
  }
  return all;
}

/// Whether `some` are items 0, 1, ... n - 1 in any order.
::testing::AssertionResult are_all(std::vector<item> const& some, std::vector<item> const& of) {
  std::vector<bool> seen(of.size(), false);
  if (some.size() != of.size()) return ::testing::AssertionFailure() << some.size() << " items";
  for (item const& x : some) {
    auto const id = static_cast<std::size_t>(x.id);
    if (id >= of.size()) return ::testing::AssertionFailure() << "no item has id " << x.id;
    if (seen[id]) return ::testing::AssertionFailure() << "item " << id << " is there twice";
    if (std::bit_cast<std::uint64_t>(x.value) != std::bit_cast<std::uint64_t>(of[id].value)) {
      return ::testing::AssertionFailure() << "item " << id << " has another value";
    }
    seen[id] = true;
  }
  return ::testing::AssertionSuccess();
}

std::vector<std::int64_t> ids_of(std::vector<item> const& some) {
  std::vector<std::int64_t> ids;
  for (item const& x : some) ids.push_back(x.id);
  return ids;
}

template <class Ex>
struct inconsistent_orders : testing::on_executor<Ex> {
  /// Around the tile sizes of walks, of blocks of a device in software, and of the host.
  static std::vector<index_t> sizes() {
    if constexpr (cpu::host_executor<Ex>) {
      return {0, 1, 2, 3, 7, 8, 9, 17, 100, 1000, 4097, 16383, 16384, 20481};
    } else {
      return {0, 1, 17, 300, 1793, 4099};
    }
  }
};
TYPED_TEST_SUITE(inconsistent_orders, testing::all_executors);

TYPED_TEST(inconsistent_orders, sorts_keep_every_element) {
  auto const& ex = this->ex();
  with_each_order([&](char const* name, auto before) {
    SCOPED_TRACE(name);
    for (index_t const n : this->sizes()) {
      SCOPED_TRACE(n);
      auto const host = items(n, 1);
      auto const in = this->there(host);
      auto out = this->template allocate<item>(n);
      ravel::comparison_sort(ex, in, out, before);
      ASSERT_TRUE(are_all(this->here(out), host));

      auto keys = this->there(host);
      auto values = this->there(ids_of(host));
      comparison_sort_pairs(ex, keys, values, keys, values, before);
      auto const sorted = this->here(keys);
      ASSERT_TRUE(are_all(sorted, host));
      ASSERT_EQ(this->here(values), ids_of(sorted)) << "a value has left its key";
    }
  });
}

TYPED_TEST(inconsistent_orders, sorts_of_segments_keep_every_element_in_its_segment) {
  auto const& ex = this->ex();
  with_each_order([&](char const* name, auto before) {
    SCOPED_TRACE(name);
    for (index_t const n : {index_t{100}, this->sizes().back()}) {
      SCOPED_TRACE(n);
      auto const host = items(n, 2);
      std::vector<index_t> const offsets{0, 0, n / 50, n / 50 + 1, n / 2, n - 3, n};
      auto const segments = this->there(offsets);
      auto keys = this->there(host);
      auto values = this->there(ids_of(host));
      segmented_comparison_sort_pairs(ex, keys, values, by_offsets(segments), keys, values, before);
      auto const sorted = this->here(keys);
      ASSERT_TRUE(are_all(sorted, host));
      ASSERT_EQ(this->here(values), ids_of(sorted)) << "a value has left its key";
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        for (auto i = static_cast<std::size_t>(offsets[s]);
             static_cast<index_t>(i) < offsets[s + 1]; ++i) {
          ASSERT_TRUE(offsets[s] <= sorted[i].id && sorted[i].id < offsets[s + 1])
              << "item " << sorted[i].id << " is at " << i << ", in segment " << s;
        }
      }
    }
  });
}

TYPED_TEST(inconsistent_orders, merges_keep_every_element) {
  auto const& ex = this->ex();
  with_each_order([&](char const* name, auto before) {
    SCOPED_TRACE(name);
    for (index_t const n : this->sizes()) {
      for (index_t const m : {index_t{0}, n / 3, n}) {
        SCOPED_TRACE(m);
        SCOPED_TRACE(n);
        auto const host = items(n, 3);  // not sorted
        auto const a = this->there(std::vector<item>(host.begin(), host.begin() + m));
        auto const b = this->there(std::vector<item>(host.begin() + m, host.end()));
        auto out = this->template allocate<item>(n);
        merge(ex, a, b, out, before);
        ASSERT_TRUE(are_all(this->here(out), host));

        auto const ids = ids_of(host);
        auto const ids_a = this->there(std::vector(ids.begin(), ids.begin() + m));
        auto const ids_b = this->there(std::vector(ids.begin() + m, ids.end()));
        auto values = this->template allocate<std::int64_t>(n);
        merge_pairs(ex, a, ids_a, b, ids_b, out, values, before);
        auto const merged = this->here(out);
        ASSERT_TRUE(are_all(merged, host));
        ASSERT_EQ(this->here(values), ids_of(merged)) << "a value has left its key";
      }
    }
  });
}

TYPED_TEST(inconsistent_orders, merges_of_segments_keep_every_element) {
  auto const& ex = this->ex();
  with_each_order([&](char const* name, auto before) {
    SCOPED_TRACE(name);
    for (index_t const n : {index_t{300}, this->sizes().back()}) {
      for (index_t const length : {index_t{1}, index_t{5}, index_t{400}, index_t{5000}}) {
        SCOPED_TRACE(length);
        SCOPED_TRACE(n);
        auto const host = items(n, 4);
        std::vector<index_t> offsets{0};
        while (offsets.back() < n) offsets.push_back(std::min(n, offsets.back() + length));
        auto const segments = this->there(offsets);
        auto const in = this->there(host);
        auto out = this->template allocate<item>(n);
        ravel::merge_segments(ex, in, by_offsets(segments), out, before);
        ASSERT_TRUE(are_all(this->here(out), host));
        auto keys = this->there(host);  // in place
        auto values = this->there(ids_of(host));
        merge_segments_pairs(ex, keys, values, by_offsets(segments), keys, values, before);
        auto const merged = this->here(keys);
        ASSERT_TRUE(are_all(merged, host));
        ASSERT_EQ(this->here(values), ids_of(merged)) << "a value has left its key";
      }
    }
  });
}

}  // namespace
}  // namespace ravel::inconsistent_orders_test
