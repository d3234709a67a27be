// must fail: sort: the elements are no numbers
// must fail: sort: the elements are sequences
// must fail: a search is in a sequence of scalars

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

struct opaque {
  float x[3];
};

int main() {
  cpu::sequential const ex;
  auto const rows = from(ex, std::vector<std::vector<int>>{{1, 2}, {3}});
  sort_order(from(ex, std::vector<opaque>(2)));
  sort_order(rows);
  lower_bound(rows, 3);
}
