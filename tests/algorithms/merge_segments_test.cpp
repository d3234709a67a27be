#include <ravel/algorithms/merge_segments.hpp>

#include "support/executors.hpp"
#include "support/segment_shapes.hpp"
#include "support/stable_order.hpp"
#ifndef __CUDACC__
#  include <ravel/algorithms/cuda/comparison_sort.cuh>
#endif

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>

namespace ravel::merge_segments_test {
namespace {

struct greatest_first {
  RAVEL_HD bool operator()(int x, int y) const { return x > y; }
};

template <class Ex>
struct merge_segments : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(merge_segments, testing::executors_and_device);

TYPED_TEST(merge_segments, gives_the_examples_in_the_header) {
  auto const& ex = this->ex();
  auto const in = this->there(std::vector{1, 4, 7, 2, 4, 3});
  auto const lengths = this->there(std::vector{3, 2, 0, 1});
  auto out = this->template allocate<int>(6);
  ravel::merge_segments(ex, in, by_lengths(lengths), out);
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 3, 4, 4, 7}));

  auto const keys = this->there(std::vector{1, 4, 2, 4});
  auto const values = this->there(std::vector{'a', 'b', 'c', 'd'});
  auto keys_out = this->template allocate<int>(4);
  auto values_out = this->template allocate<char>(4);
  merge_segments_pairs(ex, keys, values, uniform(2, 2), keys_out, values_out);
  EXPECT_EQ(this->here(keys_out), (std::vector{1, 2, 4, 4}));
  EXPECT_EQ(this->here(values_out), (std::vector{'a', 'c', 'b', 'd'}));
}

TYPED_TEST(merge_segments, agrees_with_a_stable_sort_whatever_the_lengths) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const offsets = testing::offsets_of(shape);
    std::vector<int> host;
    for (index_t i = 0; i < offsets.back(); ++i) {
      host.push_back(static_cast<int>(i * 7919 % 1000));
    }
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      std::sort(host.begin() + offsets[s], host.begin() + offsets[s + 1], greatest_first{});
    }
    std::vector<index_t> order(host.size());
    std::iota(order.begin(), order.end(), index_t{0});
    auto const places = this->there(order);
    order = testing::stable_order_of(host, std::greater<>{});

    auto const segments = this->there(offsets);
    auto keys = this->there(host);
    auto values = this->template allocate<index_t>(std::ssize(host));
    merge_segments_pairs(this->ex(), keys, places, by_offsets(segments), keys, values,
                         greatest_first{});
    EXPECT_EQ(this->here(values), order);
    std::sort(host.begin(), host.end(), greatest_first{});
    EXPECT_EQ(this->here(keys), host);
  }
}

TYPED_TEST(merge_segments, of_long_runs_beside_short_ones) {
  testing::segment_shape const shape{"long and short", {5000, 1, 0, 1, 7, 9000, 0, 3, 300, 1}};
  auto const offsets = testing::offsets_of(shape);
  std::vector<int> host;
  for (index_t i = 0; i < offsets.back(); ++i) host.push_back(static_cast<int>(i * 7919 % 500));
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::sort(host.begin() + offsets[s], host.begin() + offsets[s + 1], greatest_first{});
  }
  auto const in = this->there(host);
  auto const segments = this->there(offsets);
  auto out = this->template allocate<int>(std::ssize(host));
  ravel::merge_segments(this->ex(), in, by_offsets(segments), out, greatest_first{});
  std::sort(host.begin(), host.end(), greatest_first{});
  EXPECT_EQ(this->here(out), host);
}

THOROUGH_TYPED_TEST(merge_segments, of_numbers_keeps_equal_ones_in_the_order_of_segments) {
  for (index_t const count : {1, 2, 7, 40}) {
    SCOPED_TRACE(count);
    std::vector<index_t> offsets{0};
    std::vector<float> host;
    for (index_t s = 0; s < count; ++s) {
      for (index_t i = 0; i < 50 + s; ++i) host.push_back(static_cast<float>(i / 9));
      offsets.push_back(std::ssize(host));
    }
    std::vector<index_t> order(host.size());
    std::iota(order.begin(), order.end(), index_t{0});
    auto const keys = this->there(host);
    auto const places = this->there(order);
    auto const segments = this->there(offsets);
    auto keys_out = this->template allocate<float>(std::ssize(host));
    auto places_out = this->template allocate<index_t>(std::ssize(host));
    merge_segments_pairs(this->ex(), keys, places, by_offsets(segments), keys_out, places_out);
    EXPECT_EQ(this->here(places_out), testing::stable_order_of(host, std::less<>{}));
  }
}

TYPED_TEST(merge_segments, refuses_what_does_not_fit) {
  auto const in = this->there(std::vector{1, 2, 3});
  auto out = this->template allocate<int>(2);
  EXPECT_THROW(ravel::merge_segments(this->ex(), in, uniform(1, 3), out), contract_error);
  auto three = this->template allocate<int>(3);
  EXPECT_THROW(ravel::merge_segments(this->ex(), in, uniform(2, 2), three), contract_error);
}

/// Tiles of sorted segments meet, so that none is merged again.
TEST(merge_segments_on_the_host, compares_each_element_once) {
  constexpr index_t n = 50'000;
  std::vector<int> in, out(n);
  for (index_t i = 0; i < n; ++i) in.push_back(static_cast<int>(i * 7919 % 1000));
  for (index_t s : {0, 1}) std::sort(in.begin() + s * n / 2, in.begin() + (s + 1) * n / 2);
  std::atomic<index_t> compared = 0;
  auto const before = [&](int x, int y) {
    ++compared;
    return x < y;
  };
  ravel::merge_segments(cpu::threads{2}, in, uniform(2, n / 2), out, before);
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
  EXPECT_LE(compared.load(), n + n / 20);
}

}  // namespace
}  // namespace ravel::merge_segments_test
