// must fail: a scan or a sort goes ahead of it

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <vector>

int main() {
  std::vector<int> const in{1, 2, 3};
  auto const is_odd = [](int x) { return x % 2 != 0; };
  ravel::on(ravel::cpu::sequential{}, in) | ravel::chunk(3) | ravel::filter(is_odd) | ravel::sort();
}
