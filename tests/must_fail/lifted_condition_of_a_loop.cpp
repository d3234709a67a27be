// must fail: a lifted bool cannot steer C\+\+'s if, while, .* select\(c, a, b\) or while_

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const numbers = from(cpu::sequential{}, std::vector<int>{1, 2, 3});
  each(numbers, [](auto x) {
    while (!(x > 1)) {
    }
    return x;
  });
}
