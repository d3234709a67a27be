// must fail: the lambda of a nested program must return a lifted value or a number
// must fail: a function of a nested program cannot be called with its arguments
// must fail: filter: p must return a bool

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const rows = from(cpu::sequential{}, std::vector<std::vector<int>>{{1, 2}, {3}});
  each(rows, [](auto) { return "text"; });
  each(rows, [](auto, auto row) { return row; });
  filter(rows, [](auto row) { return sum(row); });
}
