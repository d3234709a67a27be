// must fail: inclusive_scan of a pipeline: m is not a monoid
// must fail: exclusive_scan of a pipeline: m is not a monoid
// must fail: reduce of a pipeline: m is not a monoid

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <functional>
#include <vector>

int main() {
  std::vector<int> const in{1, 2, 3};
  auto const p = ravel::on(ravel::cpu::sequential{}, in);
  p | ravel::inclusive_scan([](int x, int y) { return x + y; });
  p | ravel::exclusive_scan(std::minus{}, ravel::from(1));
  p | ravel::reduce(std::minus{});
}
