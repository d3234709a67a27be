// must fail: map: f cannot be called with an element

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <string>
#include <vector>

int main() {
  std::vector<int> const in{1, 2, 3};
  auto const length = [](std::string const& s) { return s.size(); };
  ravel::on(ravel::cpu::sequential{}, in) | ravel::map(length) | ravel::to_vector();
}
