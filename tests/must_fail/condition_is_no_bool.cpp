// must fail: if_: the condition must be a lifted bool

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const rows = from(cpu::sequential{}, std::vector<std::vector<int>>{{1, 2}, {3}});
  each(rows, [](auto v) {
    return if_(
        len(v), [&] { return v; }, [&] { return v; });
  });
}
