// must fail: a buffer of a device is no range of the host, which cannot read its memory

#include <ravel/core/cuda/executor.cuh>

#include <ranges>

int main() {
  auto const there = ravel::gpu::executor{}.allocate<int>(3);
  there | std::views::take(2);
}
