// must fail: a stage or sink after a range: a pipeline begins with the executor that runs it

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <vector>

int main() {
  std::vector{3, 1, 2} | ravel::map([](int x) { return x * x; }) | ravel::to_vector();
}
