// must fail: rec: functions that call each other are as many types and as many bodies
// must fail: rec: a body of several cannot be called with all functions

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

using namespace ravel;

int main() {
  rec<int(int), int(int)>([](auto, auto, auto n) { return n; });
  auto const f = rec<int(int), int(int)>([](auto self, auto n) { return self(n); },
                                         [](auto, auto, auto n) { return n; });
  std::get<0>(f)(from(cpu::sequential{}, 3));
}
