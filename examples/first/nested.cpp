#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <iostream>
#include <utility>
#include <vector>

using namespace ravel;
using row_of_matrix = std::vector<std::pair<int, double>>;  // columns and values

int main() {
  cpu::threads const ex;

  // A sparse matrix times a vector: one flat step, whatever the rows.
  std::vector<row_of_matrix> const matrix{{{0, 2}, {2, 1}}, {}, {{1, 4}}};
  auto const a = from(ex, matrix);
  auto const x = from(ex, std::vector{1.0, 10.0, 100.0});
  auto const y = each(a, [&](auto row) { return sum(snd(row) * gather(x, fst(row))); });
  std::cout << y << '\n';  // [102, 0, 40] : 3 * float64

  // Running sums, and of those the even ones: one pass over memory.
  std::vector const v{3, 1, 2, 4, 1, 5};
  auto const is_even = [](int s) { return s % 2 == 0; };
  auto const even = on(ex, v) | inclusive_scan(plus{}) | filter(is_even) | to_vector();
  std::cout << even.size() << ' ' << even.back() << '\n';  // 4 16
}
