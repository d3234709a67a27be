// must fail: the lambda of a nested program must return a lifted value or a number

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const numbers = from(cpu::sequential{}, std::vector<int>{1, 2, 3});
  each(numbers, [](auto i) {
    return if_(
        i < 2, [&] { return i; }, [] {});
  });
}
