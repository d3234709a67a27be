// must fail: at: the index must be an integer
// must fail: range: the bounds and the step must be integers
// must fail: iota: the length must be an integer
// must fail: slice, take, drop: the bounds must be integers
// must fail: flatten: the elements must be sequences
// must fail: unflatten: the lengths must be integers
// must fail: pack: the flags must be bools
// must fail: the indices must be integers
// must fail: write: the values are not of the type of the elements

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  cpu::sequential const ex;
  auto const a = from(ex, std::vector<int>{1, 2});
  auto const reals = from(ex, std::vector<double>{1, 2});
  auto const x = from(ex, 1.5);
  at(a, x);
  range(x, 5);
  iota(x);
  slice(a, x, 2);
  flatten(a);
  unflatten(a, reals);
  pack(a, a);
  permute(a, reals);
  write(a, a, reals);
}
