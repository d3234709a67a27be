// must fail: switch_: the number of the branch must be a lifted integer
// must fail: switch_: there is no branch
// must fail: switch_: all branches must be of the same element type
// must fail: while_: the condition must be a lifted bool
// must fail: while_: the result of the body is not of the type of the state
// must fail: select: the condition must be a lifted bool
// must fail: rec: an argument is not of the type in the signature
// must fail: rec: the signature has another number of arguments

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const a = from(cpu::sequential{}, std::vector<int>{1, 2});
  auto const x = from(cpu::sequential{}, 1);
  auto const itself = [](auto v) { return v; };
  switch_(a, [&] { return x; });
  switch_(x);
  switch_(
      x, [&] { return x; }, [&] { return a; });
  while_(itself, itself, x);
  while_([](auto v) { return v > 0; }, [](auto v) { return v * 2.5; }, x);
  select(x, x, x);
  auto const same = rec<int(int)>([](auto, auto v) { return v; });
  same(a);
  same(x, x);
}
