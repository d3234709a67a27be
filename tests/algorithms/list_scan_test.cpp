#include <ravel/algorithms/list_ranking.hpp>

#include "support/executors.hpp"
#include "support/lists.hpp"
#include "support/monoids.hpp"
#ifndef __CUDACC__
#  include <ravel/algorithms/cuda/list_walk.cuh>
#endif

#include <cstdint>

namespace ravel::list_scan_test {
namespace {

using namespace testing;

template <class Ex>
struct list_scan : on_executor<Ex> {
  template <class T, class M>
  void expect_scans(lists const& all, std::vector<T> const& values, M m, T initial) {
    auto const next = this->there(links_of<int>(all));
    auto const from_here = this->there(values);
    auto out = this->template allocate<T>(all.n);
    auto const [before, through] = oracle(all, values, m, initial);
    exclusive_list_scan(this->ex(), next, from_here, out, m, from(initial));
    ASSERT_EQ(this->here(out), before);
    inclusive_list_scan(this->ex(), next, from_here, out, m, from(initial));
    ASSERT_EQ(this->here(out), through);
  }
};
TYPED_TEST_SUITE(list_scan, testing::executors_and_device);

TYPED_TEST(list_scan, gives_the_examples_in_the_header) {
  auto const next = this->there(std::vector{4, 2, -1, 0, -1});
  auto const values = this->there(std::vector{10, 20, 30, 40, 50});
  auto out = this->template allocate<int>(5);
  inclusive_list_scan(this->ex(), next, values, out);
  EXPECT_EQ(this->here(out), (std::vector{50, 20, 50, 40, 100}));
  exclusive_list_scan(this->ex(), next, values, out);
  EXPECT_EQ(this->here(out), (std::vector{40, 0, 20, 0, 50}));
}

TYPED_TEST(list_scan, scans_values_of_any_monoid_in_the_order_of_the_lists) {
  auto const all = cut(random_order(5000), {1, 2500, 0, 2499});
  std::vector<affine> maps;
  for (std::uint32_t i = 0; i < 5000; ++i) maps.push_back(testing::nth_affine(i));
  this->expect_scans(all, maps, then{}, affine{3, 5});
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < 5000; ++i) numbers.push_back(i * 7919 % 1013 - 500);
  this->expect_scans(all, numbers, maximum<std::int64_t>{}, std::int64_t{-400});
#ifndef RAVEL_TEST_BRIEFLY
  this->expect_scans(all, numbers, plus<std::int64_t>{}, std::int64_t{1});
  std::vector<std::int8_t> narrow(5000, 3);
  this->expect_scans(all, narrow, plus<std::int8_t>{}, std::int8_t{1});
#endif
}

TYPED_TEST(list_scan, scans_in_place) {
  auto const all = single_list(random_order(3000));
  std::vector<int> const values(3000, 2);
  auto const next = this->there(links_of<int>(all));
  auto out = this->there(values);
  inclusive_list_scan(this->ex(), next, out, out);
  EXPECT_EQ(this->here(out), oracle(all, values, plus<int>{}, 0).second);
  auto again = this->there(values);
  exclusive_list_scan(this->ex(), next, again, again, plus{}, one_list);
  EXPECT_EQ(this->here(again), oracle(all, values, plus<int>{}, 0).first);
}

THOROUGH_TYPED_TEST(list_scan, repeats_floating_point_bit_for_bit) {
  auto const all = cut(random_order(7000), {6000, 1000});
  std::vector<float> values;
  for (int i = 0; i < 7000; ++i) values.push_back(1.0f / static_cast<float>(i + 1));
  auto const next = this->there(links_of<int>(all));
  auto const there = this->there(values);
  auto out = this->template allocate<float>(7000);
  inclusive_list_scan(this->ex(), next, there, out);
  auto const once = this->here(out);
  for (unsigned round = 0; round < 3; ++round) {
    testing::shuffle_schedule(round + 17);
    inclusive_list_scan(this->ex(), next, there, out);
    EXPECT_EQ(this->here(out), once);
  }
}

TYPED_TEST(list_scan, refuses_sizes_that_differ) {
  auto const next = this->there(std::vector{-1, -1});
  auto two = this->template allocate<int>(2);
  auto three = this->template allocate<int>(3);
  EXPECT_THROW(inclusive_list_scan(this->ex(), next, three, two), contract_error);
  EXPECT_THROW(inclusive_list_scan(this->ex(), next, two, three), contract_error);
}

}  // namespace
}  // namespace ravel::list_scan_test
