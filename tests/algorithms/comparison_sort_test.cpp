#include <ravel/algorithms/comparison_sort.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/random_word.hpp"
#include "support/stable_order.hpp"

#include <ravel/algorithms/cuda/comparison_sort.cuh>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>

namespace ravel::comparison_sort_test {
namespace {

using testing::random_word32;

struct even_first {
  RAVEL_HD bool operator()(int x, int y) const { return x % 2 == 0 && y % 2 != 0; }
};
/// Orders by the lower digits of numbers, many of which are equal.
struct by_remainder {
  std::int64_t modulus;
  RAVEL_HD bool operator()(std::int64_t x, std::int64_t y) const {
    return x % modulus < y % modulus;
  }
};
struct point {
  float x, y, z;
  friend bool operator==(point const&, point const&) = default;
};
struct nearer {
  RAVEL_HD float far(point const& p) const { return p.x * p.x + p.y * p.y + p.z * p.z; }
  RAVEL_HD bool operator()(point const& a, point const& b) const { return far(a) < far(b); }
};

template <class Ex>
struct comparison_sort : testing::on_executor<Ex> {
  template <class T, class Before>
  void agrees(std::vector<T> const& host, Before before) {
    SCOPED_TRACE(host.size());
    auto const sorted = testing::stable_order_of(host, before);
    std::vector<std::uint32_t> const order(sorted.begin(), sorted.end());
    std::vector<std::uint32_t> places(host.size());
    std::iota(places.begin(), places.end(), 0u);
    std::vector<T> expected;
    for (auto const i : order) expected.push_back(host[i]);

    auto const& ex = this->ex();
    index_t const n = std::ssize(host);
    auto in = this->there(host);
    auto out = this->template allocate<T>(n);
    ravel::comparison_sort(ex, in, out, before);
    EXPECT_TRUE(this->here(out) == expected);
    EXPECT_TRUE(this->here(in) == host) << "the input has changed";

    auto values = this->there(places);
    auto values_out = this->template allocate<std::uint32_t>(n);
    ravel::comparison_sort_pairs(ex, in, values, out, values_out, before);
    EXPECT_TRUE(this->here(out) == expected);
    EXPECT_EQ(this->here(values_out), order);
    ravel::comparison_sort_pairs(ex, in, values, in, values, before);
    EXPECT_TRUE(this->here(in) == expected);
    EXPECT_EQ(this->here(values), order);
  }
};
TYPED_TEST_SUITE(comparison_sort, testing::all_executors);

TYPED_TEST(comparison_sort, gives_the_examples_in_the_header) {
  auto in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto out = this->template allocate<int>(6);
  ravel::comparison_sort(this->ex(), in, out);
  EXPECT_EQ(this->here(out), (std::vector{1, 1, 2, 3, 4, 5}));
  ravel::comparison_sort(this->ex(), in, out, even_first{});
  EXPECT_EQ(this->here(out), (std::vector{2, 4, 3, 1, 1, 5}));
  ravel::comparison_sort(this->ex(), in, std::greater<>{});
  EXPECT_EQ(this->here(in), (std::vector{5, 4, 3, 2, 1, 1}));
}

TYPED_TEST(comparison_sort, agrees_with_stable_sort_at_every_size) {
  for (std::uint32_t const n : {0, 1, 2, 3, 191, 192, 193, 385, 4000, 9001}) {
    std::vector<std::int64_t> few, many;
    for (std::uint32_t i = 0; i < n; ++i) {
      few.push_back(random_word32(i));
      many.push_back(random_word32(i) >> 3);
    }
    this->agrees(few, by_remainder{7});
    this->agrees(many, by_remainder{std::int64_t{1} << 40});
  }
}

TYPED_TEST(comparison_sort, takes_elements_in_any_order) {
  std::int64_t const n = 5000;
  std::vector<std::int64_t> up, down, organ, same(n, 42);
  for (std::int64_t i = 0; i < n; ++i) {
    up.push_back(i);
    down.push_back(n - i);
    organ.push_back(std::min(i, n - i));
  }
  for (auto const& host : {up, down, organ, same}) this->agrees(host, by_remainder{1 << 20});
}

/// Of a device's sample sort: buckets of frequent keys, and buckets that are larger than a block.
TYPED_TEST(comparison_sort, takes_frequent_keys) {
  for (std::uint32_t const n : {500, 9001}) {
    std::vector<std::int64_t> half_equal, few, skewed, steps;
    for (std::uint32_t i = 0; i < n; ++i) {
      auto const word = random_word32(i);
      half_equal.push_back(word % 2 == 0 ? 7 : word % 1'000'000);
      few.push_back(word % 16);
      skewed.push_back(std::int64_t{1} << word % 24);
      steps.push_back(word % 100 < 97 ? i / 64 : word % 1'000'000);
    }
    for (auto const& host : {half_equal, few, skewed, steps})
      this->agrees(host, by_remainder{1 << 20});
  }
}

/// NaNs are unordered with other numbers, so that equivalence is not transitive.
LOCAL_TYPED_TEST(comparison_sort, keeps_every_element_on_the_host_where_before_is_no_order) {
  if constexpr (cpu::host_executor<TypeParam>) {
    for (index_t n = 0; n < 40; ++n) {
      SCOPED_TRACE(n);
      std::vector<float> in(static_cast<std::size_t>(n)), out = in;
      for (index_t i = 0; i < n; ++i) {
        in[static_cast<std::size_t>(i)] = i % 3 == 1 ? NAN : static_cast<float>(n - i);
      }
      ravel::comparison_sort(this->ex(), in, out, std::less<>());
      auto const bits_of = [](std::vector<float> const& some) {
        std::vector<std::uint32_t> bits;
        for (float const x : some) bits.push_back(std::bit_cast<std::uint32_t>(x));
        std::sort(bits.begin(), bits.end());
        return bits;
      };
      EXPECT_EQ(bits_of(out), bits_of(in));
    }
  }
}

TYPED_TEST(comparison_sort, sorts_structs) {
  std::vector<point> host;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    host.push_back({static_cast<float>(random_word32(i) % 9), static_cast<float>(i % 5), 1.0f});
  }
  this->agrees(host, nearer{});
}

LOCAL_TYPED_TEST(comparison_sort, refuses_what_does_not_fit) {
  auto const in = this->template allocate<int>(5);
  auto const out = this->template allocate<int>(4);
  EXPECT_THROW(ravel::comparison_sort(this->ex(), in, out), contract_error);
  EXPECT_THROW(ravel::comparison_sort_pairs(this->ex(), in, out, in, out), contract_error);
}

#ifdef __CUDACC__
TEST(comparison_sort_on_a_device, sorts_long_sequences) {
  if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  gpu::executor const ex;
  by_remainder const before{1'000'003};
  for (std::uint32_t const n : {3'000'001u, 9'000'001u}) {  // by merges, and by a sample
    for (std::uint32_t const frequent : {0, 1}) {
      std::vector<std::int64_t> host;
      for (std::uint32_t i = 0; i < n; ++i) {
        auto const word = random_word32(i);
        host.push_back(word % 2 < frequent ? std::int64_t{word % 5} * 1'000'003 : word);
      }
      auto const data = to(ex, host);
      auto const out = ex.allocate<std::int64_t>(n);
      ravel::comparison_sort(ex, data, out, before);
      ravel::comparison_sort(ex, data, before);
      std::stable_sort(host.begin(), host.end(), before);
      EXPECT_EQ(to_host(ex, out), host);
      EXPECT_EQ(to_host(ex, data), host);
    }
  }
}
#endif

}  // namespace
}  // namespace ravel::comparison_sort_test
