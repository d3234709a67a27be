// must fail: this call compares by <, which the elements lack

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/merge.hpp>

#include <vector>

struct point {
  int x;
};

int main() {
  std::vector<point> const a(2), b(3);
  std::vector<point> out(5);
  ravel::merge(ravel::cpu::threads{}, a, b, out);
}
