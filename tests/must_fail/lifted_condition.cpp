// must fail: a lifted bool cannot steer C\+\+'s if

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const rows = from(cpu::sequential{}, std::vector<std::vector<int>>{{1, 2}, {3}});
  each(rows, [](auto v) {
    if (len(v) > 1) return v;
    return v;
  });
}
