// must fail: unzip: the elements are no rows

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <vector>

int main() {
  std::vector<int> const in{1, 2, 3};
  ravel::on(ravel::cpu::sequential{}, in) | ravel::unzip();
}
