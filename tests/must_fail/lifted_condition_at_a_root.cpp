// must fail: a lifted bool cannot steer C\+\+'s if

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

int main() {
  auto const numbers = ravel::from(ravel::cpu::sequential{}, std::vector<int>{1, 2, 3});
  if (ravel::sum(numbers) > 3 || false) return 1;
}
