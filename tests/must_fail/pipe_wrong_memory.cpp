// must fail: on: the source is not in the memory of the executor

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

int main() {
  int* const on_the_device = nullptr;
  ravel::on(ravel::cpu::sequential{}, ravel::device_view(on_the_device, 3)) | ravel::to_vector();
}
