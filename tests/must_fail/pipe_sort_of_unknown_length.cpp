// must fail: sized_sync.. before this stage waits for it

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

/// An executor whose memory the host cannot read.
struct device : ravel::cpu::sequential {
  using space = ravel::device_space;
};
struct is_odd {
  bool operator()(int x) const { return x % 2 != 0; }
};

int main() { ravel::on(device{}, ravel::iota(6)) | ravel::filter(is_odd{}) | ravel::sort(); }
