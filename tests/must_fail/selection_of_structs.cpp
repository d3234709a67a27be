// must fail: top_k: the elements are no numbers, and radix_key is not specialised for them
#include <ravel/algorithms/selection.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <vector>

struct point {
  int x, y;
};

void use() {
  std::vector<point> const in(4);
  std::vector<point> out(2);
  ravel::top_k(ravel::cpu::threads(), in, out);
}
