// must fail: rec: the body's type differs from the declared result

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const f = rec<nested<int>(int)>([](auto, auto n) { return n + 1; });
  f(from(cpu::sequential{}, 3));
}
