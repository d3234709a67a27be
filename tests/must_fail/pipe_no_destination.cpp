// must fail: into: a destination is not a contiguous sequence

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <iterator>
#include <vector>

int main() {
  std::vector<int> const in{1, 2, 3};
  std::vector<int> out;
  ravel::on(ravel::cpu::sequential{}, in) | ravel::into(std::back_inserter(out));
}
