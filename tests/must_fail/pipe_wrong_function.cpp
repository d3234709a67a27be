// must fail: map: f cannot be called, as const, with an element
// must fail: adjacent: f cannot be called with two elements
// must fail: adjacent_difference: f cannot be called with two elements
// must fail: unique: equal_by.+ cannot be called with two elements
// must fail: filter: keep does not return a bool

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <string>
#include <vector>

int main() {
  std::vector<int> const in{1, 2, 3};
  auto const length = [](std::string const& s) { return s.size(); };
  auto const p = ravel::on(ravel::cpu::sequential{}, in);
  p | ravel::map(length);
  p | ravel::filter([](int) { return std::string(); });
  p | ravel::adjacent(length);
  p | ravel::adjacent_difference(length);
  p | ravel::unique(ravel::equal_by(length));
}
