// must fail: a source that has no random access is copied, and its elements cannot be copied

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <list>
#include <memory>

int main() {
  std::list<std::unique_ptr<int>> const owners;
  ravel::on(ravel::cpu::sequential{}, owners) | ravel::count();
}
