#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

#include <iostream>
#include <vector>

int main() {
  ravel::gpu::executor const ex;  // a stream of its own on the current device
  auto const in = ravel::to(ex, std::vector{3, 1, 2, 4, 1, 5});
  auto const out = ex.allocate<int>(6);

  ravel::inclusive_scan(ex, in, out, ravel::maximum{});                   // issued, not awaited
  std::vector<int> const host = ravel::to_host(ex, out);                  // waits: 3 3 3 4 4 5
  std::cout << host.back() << ' ' << ravel::reduce_sync(ex, in) << '\n';  // 5 16
}
