/// A program outside of the project: a segmented scan, also of integers that not every compiler
/// has, on
/// the CPU.

#include <ravel/primitives/iota.hpp>
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
  if (out != std::vector{3, 4, 6, 4, 5, 5}) return 1;

#ifdef __SIZEOF_INT128__  // std::integral only with the compiler's extensions
  __extension__ using wide = __int128;
  std::vector<wide> const long_ones{wide{1} << 100, -1, 5};
  std::vector<wide> sums(3);
  ravel::inclusive_scan(ex, long_ones, sums);
  if (sums[2] != (wide{1} << 100) + 4) return 1;
  ravel::iota(ex, sums, -1);
  if (sums[0] != -1 || sums[2] != 1) return 1;
#endif
  return 0;
}
