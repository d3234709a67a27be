// must fail: of a lifted sequence is at.x, i.
// must fail: gather: the indices are a value of the host: lift them by from.ex, indices.
// must fail: transpose: the elements must be sequences
// must fail: merge: the elements must be numbers of one type
// must fail: select: the condition must be a lifted bool

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() {
  auto const a = from(cpu::sequential{}, std::vector<int>{1, 2});
  each(a, [&](auto i) { return a[i]; });
  gather(a, std::vector<int>{1, 0});
  transpose(a);
  merge(a, from(cpu::sequential{}, std::vector<double>{1}));
  select(a, a, 0);
}
