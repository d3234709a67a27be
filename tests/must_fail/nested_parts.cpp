// must fail: split: the elements must be scalars
// must fail: split: digit is no function of an element and the values, with an int
// must fail: unzip: the elements are no records

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

struct sum_of_three {
  int operator()(int x, int y, int z) const { return x + y + z; }
};

int main() {
  cpu::sequential const ex;
  auto const a = from(ex, std::vector<int>{1, 2});
  split<2>(zip(a, a), sum_of_three{});
  split<2>(a, sum_of_three{}, 1);
  unzip(a);
}
