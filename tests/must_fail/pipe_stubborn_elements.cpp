// must fail: filter: the elements cannot be copied: begin with moved
// must fail: unique: the elements cannot be copied: begin with moved
// must fail: elements that cannot be copied: a pipeline that begins with moved
// must fail: a pass of its own, such as sort: the elements cannot be copied
// must fail: radix_sort: a key is no number, .+ comparison_sort
// must fail: radix_sort: the options are .+ comparison_sort takes

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <memory>
#include <string>
#include <vector>

int main() {
  ravel::cpu::sequential const ex;
  std::vector<std::unique_ptr<int>> const pointers(3);
  ravel::on(ex, pointers) | ravel::filter([](auto const& p) { return p != nullptr; }) |
      ravel::count();
  ravel::on(ex, pointers) | ravel::sort([](auto const& p, auto const& q) { return *p < *q; }) |
      ravel::for_each([](auto const&) {});
  ravel::on(ex, pointers) | ravel::unique() | ravel::count();
  std::vector<std::unique_ptr<int>> owners(3);
  ravel::on(ex, ravel::moved(owners)) | ravel::reverse() | ravel::to_vector();
  std::vector<std::string> const words{"b", "a"};
  ravel::on(ex, words) | ravel::sort(ravel::descending) | ravel::to_buffer();
  std::vector<int> const in{1, 2, 3};
  ravel::on(ex, in) | ravel::sort([](int x, int y) { return x > y; }, ravel::descending) |
      ravel::to_vector();
}
