// must fail: a structured binding is of a lifted tuple or struct, or of a sequence of them

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const numbers = from(cpu::sequential{}, std::vector<int>{1, 2, 3});
  auto [s, c] = numbers;
}
