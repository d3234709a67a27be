/// Scan: combines all elements up to each one, by any associative operator.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "show.hpp"

#include <vector>

using namespace ravel;

int main() {
  cpu::threads const ex;
  std::vector<int> const payments{50, -20, 30, -70, 40};
  auto const account = on(ex, payments);

  show("balance", account | inclusive_scan(plus{}) | to_vector(), {50, 30, 60, -10, 30});
  show("balance before", account | exclusive_scan(plus{}, from(100)) | to_vector(),
       {100, 150, 130, 160, 90});

  // The highest balance so far: a scan of a scan, a pass each.
  show("high water", account | inclusive_scan(plus{}) | inclusive_scan(maximum{}) | to_vector(),
       {50, 50, 60, 60, 60});

  // From the other end: the sum of later elements.
  show("to come", account | exclusive_scan(plus{}, backward) | to_vector(), {-20, 0, -30, 40, 0});

  // The drop from the maximum so far, with both scans in one pass by a pair of monoids.
  auto const twice = [](int x) { return paired<int, int>{x, x}; };
  auto const sum_and_largest = pair_of{plus<int>{}, maximum<int>{}};
  auto const largest = [](paired<int, int> const& p) { return p.second; };
  show("largest payment",
       account | map(twice) | inclusive_scan(sum_and_largest) | map(largest) | to_vector(),
       {50, 50, 50, 50, 50});
}
