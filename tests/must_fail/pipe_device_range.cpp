// must fail: a pipeline on a device is no range of the host: to_vector.. copies its results there

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <ranges>

/// An executor whose memory the host cannot read.
struct device : ravel::cpu::sequential {
  using space = ravel::device_space;
};

int main() { ravel::on(device{}, ravel::iota(6)) | std::views::take(2); }
