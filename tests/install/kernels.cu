/// A program outside of the project, whose kernels the archive ravel::device holds: it runs them if there is a device.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

#include <cstdio>
#include <vector>

int main() {
  if (!ravel::gpu::available()) {
    std::puts("there is no device, so this program only had to link");
    return 0;
  }
  ravel::gpu::executor const ex;
  auto const in = ravel::to(ex, std::vector<float>{3, 1, 2, 4, 1, 5});
  auto const out = ex.allocate<float>(6);
  ravel::inclusive_scan(ex, in, out, ravel::maximum{});
  bool const scanned = ravel::to_host(ex, out) == std::vector<float>{3, 3, 3, 4, 4, 5};
  return scanned && ravel::reduce_sync(ex, in) == 16 ? 0 : 1;
}
