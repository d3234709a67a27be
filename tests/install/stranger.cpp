/// A stranger's program: the scan of each segment, on the CPU.

#include <ravel/primitives/segmented_scan.hpp>

#include <ravel/core/cpu/executor.hpp>

#include <array>
#include <vector>

int main() {
  std::vector<int> const in{3, 1, 2, 4, 1, 5};
  std::array<bool, 6> const heads{true, false, false, true, false, true};
  std::vector<int> out(in.size());

  ravel::cpu::threads const ex;
  ravel::segmented_inclusive_scan(ex, in, ravel::by_heads(heads), out, ravel::plus<int>{});
  return out == std::vector{3, 4, 6, 4, 5, 5} ? 0 : 1;
}
