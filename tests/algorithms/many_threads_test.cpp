#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/scan.hpp>

#include "support/lists.hpp"
#include "support/random_word.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <thread>
#include <vector>

namespace ravel::many_threads_test {
namespace {

/// Wakes threads for any amount of work.
[[maybe_unused]] bool const help_at_once =
    (cpu::assume(cpu::waking_costs{.asleep = {}, .awake = {}}), true);

/// CPU seconds of all threads for scans, a sort and a ranking.
double seconds_with(int threads) {
  std::size_t const n = 1'000'000;
  cpu::threads const ex(threads);
  std::vector<std::uint32_t> keys(n), out(n);
  for (std::uint32_t i = 0; i < n; ++i) keys[i] = testing::random_word32(i);
  std::vector<double> const numbers(n, 0.5);
  std::vector<double> sums(n);
  auto const all = testing::single_list(testing::random_order(static_cast<index_t>(n)));
  auto const next = testing::links_of<int>(all);
  std::vector<int> ranks(n);
  auto const begin = std::clock();
  for (int k = 0; k < 20; ++k) {
    inclusive_scan(ex, numbers, sums);
    EXPECT_EQ(sums.back(), 0.5 * static_cast<double>(n));
  }
  radix_sort(ex, keys, out);
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
  list_rank(ex, next, ranks);
  EXPECT_EQ(ranks[static_cast<std::size_t>(all.nodes[0].back())], static_cast<int>(n) - 1);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(many_threads, take_about_as_long_as_cores) {
  double const few = seconds_with(2);
  double const cores = std::thread::hardware_concurrency();
  for (int const many : {64, 4096}) {
    EXPECT_LT(seconds_with(many), (10 + cores) * few + 0.2) << many << " threads";
  }
}

}  // namespace
}  // namespace ravel::many_threads_test
