/// Segments: one operation on each of many sequences of any lengths; a sparse matrix.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "show.hpp"

#include <vector>

using namespace ravel;

int main() {
  cpu::threads const ex;
  std::vector<int> const values{3, 1, 2, 4, 1, 5};
  std::vector<int> const lengths{3, 2, 0, 1};  // [3 1 2] [4 1] [] [5]

  auto const each = on(ex, values) | in_segments(by_lengths(lengths));
  show("sums", each | reduce(plus{}) | to_vector(), {6, 5, 0, 5});
  show("sums through", each | inclusive_scan(plus{}) | to_vector(), {3, 4, 6, 4, 5, 5});
  show("of pairs", on(ex, values) | chunk(2) | reduce(maximum{}) | to_vector(), {3, 4, 5});

  // Runs of equal keys are segments too.
  std::vector<char> const keys{'a', 'a', 'b', 'b', 'b', 'a'};
  show("by key", on(ex, values) | in_segments(by_keys(keys)) | reduce(plus{}) | to_vector(),
       {4, 7, 5});

  //     | 1 0 2 |   | 10 |
  //     | 0 0 0 | * | 20 |       a sparse matrix by rows, times a vector
  //     | 3 4 0 |   | 30 |
  std::vector<int> const row_begins{0, 2, 2, 4}, column{0, 2, 0, 1}, element{1, 2, 3, 4};
  std::vector<int> const x{10, 20, 30};
  auto const product = on(ex, x) | gather(column) | zip(element) | map(multiplies<int>{}) |
                       in_segments(by_offsets(row_begins)) | reduce(plus{});
  show("matrix times vector", product | to_vector(), {70, 0, 110});

  // Each element is replaced by as many copies as its count.
  std::vector<int> const times{2, 0, 3};
  auto const times_and = [](int y, index_t rank) { return y + static_cast<int>(rank); };
  show("expanded", on(ex, x) | expand(times_and, by_lengths(times), 5) | to_vector(),
       {10, 11, 30, 31, 32});
}
