// must fail: inclusive_scan: out is not a writable contiguous sequence in the executor's memory
// must fail: comparison_sort: data is not a writable contiguous sequence in the executor's memory

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/scan.hpp>

#include <vector>

int main() {
  ravel::cpu::sequential const ex;
  std::vector<int> const numbers{3, 1, 2};
  ravel::inclusive_scan(ex, numbers, numbers);
  ravel::comparison_sort(ex, numbers);
}
