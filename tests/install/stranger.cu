/// A program outside of the project: a segmented scan, on the device if there is one.

#include <ravel/primitives/segmented_scan.hpp>

#include <ravel/core/cuda/executor.cuh>

#include <array>
#include <cstdio>
#include <vector>

int main() {
  if (!ravel::gpu::available()) {
    std::puts("there is no device, so this program only had to compile");
    return 0;
  }
  std::vector<int> const in{3, 1, 2, 4, 1, 5};
  std::array<bool, 6> const heads{true, false, false, true, false, true};
  std::vector<int> out(in.size());

  ravel::gpu::executor const ex;
  auto const there = ex.allocate<int>(6);
  auto const flags = ex.allocate<bool>(6);
  ex.copy(in.data(), there.data(), 6);
  ex.copy(heads.data(), flags.data(), 6);
  ravel::segmented_inclusive_scan(ex, there, ravel::by_heads(flags), there, ravel::plus<int>{});
  ex.copy(there.data(), out.data(), 6);
  ex.wait();
  return out == std::vector{3, 4, 6, 4, 5, 5} ? 0 : 1;
}
