#include <ravel/algorithms/segmented_comparison_sort.hpp>

#include "support/executors.hpp"
#include "support/segment_shapes.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace ravel::segmented_comparison_sort_test {
namespace {

struct odd_last {
  RAVEL_HD bool operator()(int x, int y) const { return x % 2 < y % 2; }
};

template <class Ex>
struct segmented_comparison_sort : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(segmented_comparison_sort, testing::executors);

TYPED_TEST(segmented_comparison_sort, gives_the_examples_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto const lengths = this->there(std::vector{3, 0, 2, 1});
  auto const values = this->there(std::vector{'a', 'b', 'c', 'd', 'e', 'f'});
  auto out = this->template allocate<int>(6);
  auto values_out = this->template allocate<char>(6);
  ravel::segmented_comparison_sort(this->ex(), in, by_lengths(lengths), out, odd_last{});
  EXPECT_EQ(this->here(out), (std::vector{2, 3, 1, 4, 1, 5}));
  segmented_comparison_sort_pairs(this->ex(), in, values, by_lengths(lengths), out, values_out,
                                  odd_last{});
  EXPECT_EQ(this->here(out), (std::vector{2, 3, 1, 4, 1, 5}));
  EXPECT_EQ(this->here(values_out), (std::vector{'c', 'a', 'b', 'd', 'e', 'f'}));
}

TYPED_TEST(segmented_comparison_sort, sorts_segments_of_every_shape_stably) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const offsets = testing::offsets_of(shape);
    std::vector<int> host;
    for (index_t i = 0; i < offsets.back(); ++i) host.push_back(static_cast<int>(i * 7919 % 100));
    std::vector<index_t> order(host.size());
    std::iota(order.begin(), order.end(), index_t{0});
    auto keys = this->there(host);
    auto places = this->there(order);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      std::stable_sort(
          order.begin() + offsets[s], order.begin() + offsets[s + 1], [&](index_t i, index_t j) {
            return odd_last{}(host[static_cast<std::size_t>(i)], host[static_cast<std::size_t>(j)]);
          });
    }
    auto const segments = this->there(offsets);
    segmented_comparison_sort_pairs(this->ex(), keys, places, by_offsets(segments), keys, places,
                                    odd_last{});
    EXPECT_EQ(this->here(places), order);
  }
}

TEST(segmented_comparison_sort_on_the_host, sorts_short_and_long_segments_of_any_elements) {
  std::vector<index_t> const offsets{0, 0, 1, 30, 300'030, 300'032, 900'000, 900'000};
  std::vector<std::pair<int, std::string>> in;
  for (index_t i = 0; i < offsets.back(); ++i) {
    in.emplace_back(static_cast<int>(i * 7919 % 1003), std::to_string(i % 10));
  }
  auto const before = [](auto const& x, auto const& y) { return x.first > y.first; };
  auto sorted = in, out = in;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::stable_sort(sorted.begin() + offsets[s], sorted.begin() + offsets[s + 1], before);
  }
  for (auto& x : out) x = {};
  ravel::segmented_comparison_sort(cpu::threads{}, in, by_offsets(offsets), out, before);
  EXPECT_EQ(out, sorted);
  std::vector<int> segment_of(in.size());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::fill(segment_of.begin() + offsets[s], segment_of.begin() + offsets[s + 1], s);
  }
  ravel::segmented_comparison_sort(cpu::threads{}, in, by_keys(segment_of), out, before);
  EXPECT_EQ(out, sorted);
  ravel::segmented_comparison_sort(cpu::sequential{}, in, by_offsets(offsets), in, before);
  EXPECT_EQ(in, sorted);
}

TEST(segmented_comparison_sort_on_the_host, throws_what_the_order_throws) {
  std::vector<int> const in(100'000, 1);
  std::vector<int> out(in.size());
  auto const throws = [](int, int) -> bool { throw std::runtime_error("order"); };
  EXPECT_THROW(
      ravel::segmented_comparison_sort(cpu::threads{}, in, uniform(1000, 100), out, throws),
      std::runtime_error);
}

TYPED_TEST(segmented_comparison_sort, refuses_what_does_not_fit) {
  auto const in = this->there(std::vector{1, 2, 3});
  auto out = this->template allocate<int>(2);
  EXPECT_THROW(ravel::segmented_comparison_sort(this->ex(), in, uniform(1, 3), out),
               contract_error);
}

}  // namespace
}  // namespace ravel::segmented_comparison_sort_test
