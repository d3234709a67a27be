// The number of combinations, loads and visits per element of named scans: the counts stated in
// docs/scan.md.

#include <ravel/primitives/scan_algorithm.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"

#include <atomic>
#include <cstdint>
#include <vector>

namespace ravel::scan_work_test {
namespace {

std::atomic<index_t> combined, loaded, visited;

/// The sum of 32-bit words, which counts its calls.
struct counting_sum {
  static std::uint32_t identity() { return 0; }
  std::uint32_t operator()(std::uint32_t x, std::uint32_t y) const {
    combined.fetch_add(1, std::memory_order_relaxed);
    return x + y;
  }
};
struct counting_load {
  std::uint32_t operator()(index_t i) const {
    loaded.fetch_add(1, std::memory_order_relaxed);
    return static_cast<std::uint32_t>(i);
  }
};
struct counting_visit {
  std::uint32_t* out;
  void operator()(index_t i, std::uint32_t, std::uint32_t through) const {
    visited.fetch_add(1, std::memory_order_relaxed);
    out[i] = through;
  }
};
struct nothing {
  std::uint32_t operator()() const { return 0; }
};

/// The operations of a scan per element.
struct counts {
  double combined, loaded, visited;
};

template <class Ex, class By>
counts counts_of(By by, index_t n) {
  auto const ex = testing::make_executor<Ex>();
  std::vector<std::uint32_t> out(static_cast<std::size_t>(n));
  combined = loaded = visited = 0;
  detail::run_scan(
      by, ex,
      describe_scan_on(n, counting_load{}, counting_visit{out.data()}, counting_sum{}, nothing{}));
  ex.wait();
  for (index_t i = 0; i < n; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], static_cast<std::uint32_t>(i * (i + 1) / 2));
  }
  auto const of_each = [n](index_t all) { return double(all) / double(n); };
  return {of_each(combined), of_each(loaded), of_each(visited)};
}

/// Compares a scan of n words with its stated counts.
template <class Ex, class By>
void expect_counts(By by, double combined_of_each, double loaded_of_each,
                   index_t n = index_t{1} << 16) {
  auto const counted = counts_of<Ex>(by, n);
  EXPECT_NEAR(counted.combined, combined_of_each, 0.1);
  EXPECT_EQ(counted.loaded, loaded_of_each);
  EXPECT_EQ(counted.visited, 1);
}

template <class Ex>
struct work_on_the_host : ::testing::Test {};
using hosts = ::testing::Types<cpu::sequential, cpu::threads>;
TYPED_TEST_SUITE(work_on_the_host, hosts);

TYPED_TEST(work_on_the_host, is_as_stated) {
  expect_counts<TypeParam>(scan_algorithm::step_doubling, 15, 1);  // log2 n - 1
  expect_counts<TypeParam>(scan_algorithm::work_efficient, 5, 2);
  expect_counts<TypeParam>(scan_algorithm::brent_kung, 5, 1);
  expect_counts<TypeParam>(scan_algorithm::warp_hierarchical, 3, 1);
  expect_counts<TypeParam>(scan_algorithm::reduce_then_scan, 2, 2);
}

TEST(scan_work, of_the_naive_scan_is_half_the_square) {
  auto const counted = counts_of<cpu::threads>(scan_algorithm::naive, 1000);
  EXPECT_EQ(counted.combined, 500.5);
  EXPECT_EQ(counted.visited, 1);
}

TEST(scan_work, of_one_thread_is_that_of_the_loop) {
  expect_counts<cpu::sequential>(detail::the_executors_own{}, 1, 1);
}

/// With several threads, tiles are also reduced before they are scanned.
TEST(scan_work, of_several_threads_is_twice_that_of_the_loop_at_most) {
  auto const counted = counts_of<cpu::threads>(detail::the_executors_own{}, index_t{1} << 20);
  EXPECT_GE(counted.combined, 1);
  EXPECT_LE(counted.combined, 2.001);
  EXPECT_LE(counted.loaded, 2);
}

#ifndef RAVEL_UNDER_TSAN  // it cannot follow fibres
TEST(scan_work, on_a_device_is_as_stated) {
  using device = gpu::executor;
  expect_counts<device>(scan_algorithm::step_doubling, 15, 1);
  expect_counts<device>(scan_algorithm::work_efficient, 5.6, 2);
  expect_counts<device>(scan_algorithm::work_efficient_unpadded, 5.6, 2);
  expect_counts<device>(scan_algorithm::brent_kung, 5.6, 1);
  expect_counts<device>(scan_algorithm::warp_hierarchical, 10.5, 1);
  expect_counts<device>(scan_algorithm::reduce_then_scan, 10.9, 2);
  expect_counts<device>(scan_algorithm::chained_cyclic, 3.2, 1);
  expect_counts<device>(scan_algorithm::lightscan, 6, 1, index_t{2} * 45056);  // two tiles
  expect_counts<device>(scan_algorithm::decoupled_look_back, 3.7, 1);
  expect_counts<device>(scan_algorithm::local_sums, 3.7, 1);
  expect_counts<device>(scan_algorithm::look_ahead, 3.7, 1);
}

TEST(scan_work, of_segments_on_a_device_is_as_stated) {
  gpu::executor const ex;
  constexpr index_t n = index_t{1} << 16;
  auto const in = to(ex, std::vector<std::uint32_t>(n, 1));
  std::vector<int> heads(n);
  for (std::size_t i = 0; i < heads.size(); i += 7) heads[i] = 1;
  auto const there = to(ex, heads);
  auto const out = ex.allocate<std::uint32_t>(n);
  auto const expect = [&](auto by, double combined_of_each) {
    combined = 0;
    segmented_inclusive_scan(ex, in, by_heads(there), out, counting_sum{}, by);
    EXPECT_EQ(to_host(ex, out).back(), (n - 1) % 7 + 1);
    EXPECT_NEAR(double(combined) / n, combined_of_each, 0.1);
  };
  expect(segmented_algorithm::mindex, 2.5);
  expect(segmented_algorithm::operator_transform, 2.5);  // and a select each
}
#endif

}  // namespace
}  // namespace ravel::scan_work_test
