// must fail: a reduction or a scan is of a sequence of scalars

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const rows = from(cpu::sequential{}, std::vector<std::vector<int>>{{1, 2}, {3}});
  reduce(rows, plus<int>{});
}
