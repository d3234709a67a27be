// must fail: in_segments: of segments there are

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <vector>

int main() {
  std::vector<int> const in{1, 2, 3}, lengths{2, 1};
  ravel::on(ravel::cpu::sequential{}, in) | ravel::in_segments(ravel::by_lengths(lengths)) |
      ravel::reverse();
}
