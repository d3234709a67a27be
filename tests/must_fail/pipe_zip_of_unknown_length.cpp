// must fail: zip: how many elements a source has depends on the data: zip x.view_sync

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <vector>

int main() {
  std::vector<int> const in{1, 2, 3};
  auto const is_odd = [](int x) { return x % 2 != 0; };
  auto const p = ravel::on(ravel::cpu::sequential{}, in);
  p | ravel::zip(p | ravel::filter(is_odd)) | ravel::to_vector();
}
