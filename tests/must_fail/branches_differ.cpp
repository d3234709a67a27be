// must fail: if_: both branches must be of the same element type

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const rows = from(cpu::sequential{}, std::vector<std::vector<int>>{{1, 2}, {3}});
  each(rows, [](auto v) {
    return if_(
        len(v) > 1, [&] { return len(v); }, [&] { return v; });
  });
}
