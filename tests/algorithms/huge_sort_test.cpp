#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>

#include "support/executors.hpp"

#include <cstdint>
#include <optional>

namespace ravel::huge_sort_test {
namespace {

/// More than 2^32, and not a multiple of a tile.
constexpr index_t huge = (index_t{1} << 32) + 4099;

bool device_has(index_t bytes) {
  std::size_t left = 0, all = 0;
  return cudaMemGetInfo(&left, &all) == cudaSuccess && static_cast<index_t>(left) >= bytes;
}

template <class K>
struct key_of_index {
  RAVEL_HD K operator()(index_t i) const {
    auto const x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
    return static_cast<K>(x >> 40 ^ x >> 13);
  }
};
/// The value of a key, to detect keys that have lost their values.
template <class K>
struct value_of_key {
  RAVEL_HD std::uint8_t operator()(K key) const { return static_cast<std::uint8_t>(key * 7 + 3); }
};
template <class K>
struct write_keys {
  K* keys;
  RAVEL_HD void operator()(index_t i) const { keys[i] = key_of_index<K>{}(i); }
};
template <class K>
struct write_pairs {
  K* keys;
  std::uint8_t* values;
  RAVEL_HD void operator()(index_t i) const {
    keys[i] = key_of_index<K>{}(i);
    values[i] = value_of_key<K>{}(keys[i]);
  }
};

/// A hash that detects most changes of a multiset of keys.
template <class K>
RAVEL_HD std::uint64_t sign(K key) {
  auto const x = (static_cast<std::uint64_t>(key) + 1) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 29;
}
template <class K>
struct sign_of_index {
  RAVEL_HD std::uint64_t operator()(index_t i) const { return sign(key_of_index<K>{}(i)); }
};
template <class K>
struct sign_of_key {
  K const* keys;
  RAVEL_HD std::uint64_t operator()(index_t i) const { return sign(keys[i]); }
};
template <class K>
struct out_of_order {
  K const* keys;
  std::uint8_t const* values;
  RAVEL_HD std::uint64_t operator()(index_t i) const {
    bool const lost = values != nullptr && values[i] != value_of_key<K>{}(keys[i]);
    return lost || (i > 0 && keys[i] < keys[i - 1]) ? 1 : 0;
  }
};

struct huge_sort : ::testing::Test {
  std::optional<gpu::executor> on;
  void SetUp() override {
    if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
    on.emplace();
  }

  template <class Load>
  std::uint64_t sum_of(Load load) const {
    auto const& ex = *on;
    auto const sum = ex.template allocate<std::uint64_t>(1);
    reduce_on(ex, huge, load, plus<std::uint64_t>{}, detail::seed_value<std::uint64_t>{0},
              detail::store_total<std::uint64_t>{sum.data()});
    return at_sync(ex, sum);
  }
  template <class K>
  void expect_sorted(K const* keys, std::uint8_t const* values) const {
    EXPECT_EQ(sum_of(out_of_order<K>{keys, values}), 0u);
    EXPECT_EQ(sum_of(sign_of_key<K>{keys}), sum_of(sign_of_index<K>{}));
  }
  template <class K>
  void expect_keys_sorted() const {
    auto const& ex = *on;
    auto const keys = ex.template allocate<K>(huge);
    for_each_index(ex, huge, write_keys<K>{keys.data()});
    radix_sort(ex, keys);
    expect_sorted<K>(keys.data(), nullptr);
  }
};

TEST_F(huge_sort, of_keys_that_are_counted) {
  if (!device_has(index_t{8} << 30)) GTEST_SKIP() << "the device has not 8 GiB free";
  expect_keys_sorted<std::uint8_t>();
}
TEST_F(huge_sort, of_keys_in_buckets) {
  if (!device_has(index_t{56} << 30)) GTEST_SKIP() << "the device has not 56 GiB free";
  expect_keys_sorted<std::uint32_t>();
}
TEST_F(huge_sort, of_pairs_by_stable_passes) {
  if (!device_has(index_t{40} << 30)) GTEST_SKIP() << "the device has not 40 GiB free";
  using K = std::uint16_t;
  auto const& ex = *on;
  auto const keys = ex.template allocate<K>(huge);
  auto const values = ex.allocate<std::uint8_t>(huge);
  for_each_index(ex, huge, write_pairs<K>{keys.data(), values.data()});
  radix_sort_pairs(ex, keys, values);
  expect_sorted<K>(keys.data(), values.data());
}

}  // namespace
}  // namespace ravel::huge_sort_test
