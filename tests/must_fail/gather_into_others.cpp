// must fail: the elements that this call writes cannot be converted to those of its output

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/gather.hpp>

#include <string>
#include <vector>

int main() {
  std::vector<double> const in(3);
  std::vector<int> const at(2);
  std::vector<std::string> out(2);
  ravel::gather(ravel::cpu::threads{}, in, at, out);
}
