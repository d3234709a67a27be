// must fail: spmv: the blocks were cut for elements of x of another type
#include <ravel/algorithms/spmv_blocks.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <vector>

void use() {
  ravel::cpu::threads const ex;
  ravel::csr const a{1, 1, std::vector{0, 1}, std::vector{0}, std::vector{2.}};
  ravel::spmv_blocks const blocks(ex, a);
  std::vector<float> const x(1);
  std::vector<double> y(1);
  ravel::spmv(ex, blocks, x, y);
}
