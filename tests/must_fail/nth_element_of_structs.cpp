// must fail: nth_element: the elements are no numbers, and radix_key is not specialised for them: an order

#include <ravel/algorithms/selection.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <vector>

struct point {
  int x;
};

int main() {
  std::vector<point> const in(5);
  std::vector<point> out(1);
  ravel::nth_element(ravel::cpu::threads{}, in, 1, out);
}
