// must fail: in is no range in the executor's memory

#include <ravel/primitives/segmented_scan.hpp>

#include <ravel/core/cpu/executor.hpp>

#include <array>

int main() {
  std::array<bool, 3> const heads{true, false, true};
  std::array<int, 3> out{};
  ravel::cpu::sequential const ex;
  ravel::segmented_inclusive_scan(ex, ravel::device_view(static_cast<int*>(nullptr), 0),
                                  ravel::by_heads(heads), out, ravel::plus<int>{});
}
