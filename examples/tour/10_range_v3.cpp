/// Ranges of range-v3 before a pipeline, and after it.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/pipelines/range_v3.hpp>

#include "show.hpp"

#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/chunk_by.hpp>
#include <range/v3/view/sliding.hpp>
#include <range/v3/view/stride.hpp>

#include <functional>
#include <set>
#include <vector>

using namespace ravel;

int main() {
  namespace rv = ranges::views;
  cpu::threads const ex;
  std::vector<int> const values{3, 1, 2, 4, 1, 5};
  auto const sum = [](auto part) { return ranges::accumulate(part, 0); };

  // Any view is a source; its elements may be ranges.
  show("sums of ascents", on(ex, values | rv::chunk_by(std::less{})) | map(sum) | to_vector(),
       {3, 7, 6});
  show("sums of three", values | rv::sliding(3) | on(ex) | map(sum) | to_vector(), {6, 7, 7, 10});

  // Tuples of range-v3 are rows.
  std::vector<int> const rows{1, 2}, columns{3, 4};
  show("products",
       on(ex, rv::cartesian_product(rows, columns)) | map(multiplies<int>{}) | to_vector(),
       {3, 4, 6, 8});

  // Pipelines and their results are views of range-v3.
  auto const sums = on(ex, values) | inclusive_scan(plus{});
  show("every second", sums | rv::stride(2) | ranges::to<std::vector<int>>(), {3, 6, 11});
  show("a set", on(ex, values) | filter([](int x) { return x < 4; }) | ranges::to<std::set<int>>(),
       {1, 2, 3});
}
