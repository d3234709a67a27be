// must fail: a lifted bool cannot steer C\+\+'s if, while, \?:, && or \|\|: use if_\(c

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const numbers = from(cpu::sequential{}, std::vector<int>{1, 2, 3});
  each(numbers, [](auto x) { return x > 1 ? x : x; });
}
