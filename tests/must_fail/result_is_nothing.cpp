// must fail: the lambda of a nested program must return a lifted value or a number

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const rows = from(cpu::sequential{}, std::vector<std::vector<int>>{{1, 2}, {3}});
  each(rows, [](auto) {});
}
