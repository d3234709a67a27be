// must fail: map: f is a lambda of the host alone

#include <ravel/core/cuda/executor.cuh>
#include <ravel/pipelines/pipelines.hpp>

int main() {
  ravel::on(ravel::cuda::executor{}, ravel::iota(3)) | ravel::map([](int x) { return x + 1; });
}
