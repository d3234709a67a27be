// must fail: a reduction or a scan is of a sequence of scalars: use each for nested sequences
// must fail: a scan is by a monoid
// must fail: reduce: m is not a monoid
// must fail: reduce: the operation of a member is not a monoid
// must fail: reduce_by_index: m is not a monoid
// must fail: count: the elements must be bools

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

struct difference {
  int operator()(int x, int y) const { return x - y; }
};

int main() {
  cpu::sequential const ex;
  auto const a = from(ex, std::vector<int>{1, 2});
  auto const rows = from(ex, std::vector<std::vector<int>>{{1, 2}, {3}});
  reduce(rows, plus<int>{});
  inclusive_scan(a, difference{});
  reduce(a, difference{});
  reduce(zip(a, a), plus<int>{}, difference{});
  reduce_by_index(a, a, 3, difference{});
  count(a);
}
