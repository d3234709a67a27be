// must fail: segmented_inclusive_scan: m is not a monoid
// must fail: reduce_sync: m is not a monoid: monoid[{]f, identity[}] is that of a function

#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <ravel/core/cpu/executor.hpp>

#include <array>
#include <functional>

int main() {
  std::array<int, 3> const in{1, 2, 3};
  std::array<bool, 3> const heads{true, false, true};
  std::array<int, 3> out{};
  ravel::cpu::sequential const ex;
  ravel::segmented_inclusive_scan(ex, in, ravel::by_heads(heads), out,
                                  std::minus{});  // has no identity
  ravel::reduce_sync(ex, in, [](int a, int b) { return a > b ? a : b; });
}
