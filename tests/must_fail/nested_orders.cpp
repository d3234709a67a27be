// must fail: sort: the elements are no numbers
// must fail: a key has elements or members that are no numbers
// must fail: a search is in a sequence of scalars
// must fail: a search is for a key of the type of the elements
// must fail: equals: the values are of different types

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <tuple>
#include <vector>

using namespace ravel;

struct opaque {
  float x[3];
};

int main() {
  cpu::sequential const ex;
  auto const rows = from(ex, std::vector<std::vector<int>>{{1, 2}, {3}});
  sort_order(from(ex, std::vector<opaque>(2)));
  sort_order(from(ex, std::vector<std::vector<std::vector<opaque>>>(2)));
  lower_bound(rows, 3);
  lower_bound(rows, from(ex, std::vector{1.0}));
  equals(from(ex, std::tuple{1, 2}), from(ex, std::tuple{1, 'a'}));
}
