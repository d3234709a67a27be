// must fail: spmm: the semiring's add is not a monoid
#include <ravel/algorithms/spmm.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <vector>

struct difference {
  double operator()(double x, double y) const { return x - y; }
};

void use() {
  ravel::csr const a{1, 1, std::vector{0, 1}, std::vector{0}, std::vector{2.}};
  std::vector<double> const x(3);
  std::vector<double> y(3);
  ravel::spmm(ravel::cpu::threads(), a, 3, x, y,
              ravel::semiring{difference{}, ravel::multiplies{}});
}
