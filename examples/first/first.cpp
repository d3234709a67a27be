#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <iostream>
#include <vector>

int main() {
  std::vector<int> const in{3, 1, 2, 4, 1, 5};
  std::vector<int> const lengths{3, 2, 0, 1};  // [3 1 2] [4 1] [] [5]
  std::vector<int> through(6), sums(4);

  ravel::cpu::threads const ex;
  ravel::inclusive_scan(ex, in, through);                                   // 3 4 6 10 11 16
  ravel::segmented_reduce(ex, in, ravel::by_lengths(lengths), sums);        // 6 5 0 5
  std::cout << through.back() << ' ' << sums[2] << ' ' << sums[3] << '\n';  // 16 0 5
}
