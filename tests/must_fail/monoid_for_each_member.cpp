// must fail: reduce: the elements must be records of as many members as there are monoids

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const x = from(cpu::sequential{}, std::vector<int>{3, 1, 2});
  reduce(x, plus{}, maximum{});
}
