// must fail: into: the elements do not convert to those of the destination

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <string>
#include <vector>

int main() {
  std::vector<int> const in{1, 2, 3};
  std::vector<std::string> out(3);
  ravel::on(ravel::cpu::sequential{}, in) | ravel::into(out);
}
