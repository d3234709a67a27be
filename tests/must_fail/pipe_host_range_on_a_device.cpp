// must fail: on: the source is not in the memory of the executor: to.ex, .....copies it there

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <list>

/// An executor whose memory the host cannot read.
struct device : ravel::cpu::sequential {
  using space = ravel::device_space;
};

int main() { ravel::on(device{}, std::list{3, 1}) | ravel::to_buffer(); }
