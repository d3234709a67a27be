/// Fusion: stages are values, and run in as few passes over memory as possible.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "show.hpp"

#include <vector>

using namespace ravel;

int main() {
  cpu::threads const ex;
  std::vector<int> const values{3, 1, 2, 4, 1, 5};
  auto const square = [](int x) { return x * x; };
  auto const is_even = [](int x) { return x % 2 == 0; };

  // Stages without data, for later pipelines.
  auto const sums_of_squares = map(square) | inclusive_scan(plus{});
  auto const even_ones = sums_of_squares | filter(is_even);
  show("even sums", on(ex, values) | even_ones | to_vector(), {10, 14, 30, 56});
  show("of others", on(ex, iota(6)) | even_ones | to_vector(), {0, 14, 30});

  // It is one pass: intermediate results are never in memory.
  auto const report = explain(on(ex, values) | even_ones);
  std::cout << report.text();
  show("passes", report.passes.size(), std::size_t{1});
  show("temporary bytes", report.temporary_bytes, index_t{0});

  // A stage that needs all elements ends a pass: the report names it, and its cost.
  auto const backward_sums = on(ex, values) | even_ones | inclusive_scan(plus{}, backward);
  show("from the end", backward_sums | to_vector(), {110, 100, 86, 56});
  auto const longer = explain(backward_sums);
  std::cout << longer.text();
  show("passes", longer.passes.size(), std::size_t{2});
}
