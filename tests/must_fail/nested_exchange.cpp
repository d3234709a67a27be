// must fail: borrow: the sequence is not in the memory of the executor
// must fail: borrow: the elements are no atoms
// must fail: elements: the operand is not a sequence of atoms: flatten nested sequences
// must fail: from_offsets: the offsets must be integers
// must fail: from_offsets: the offsets are not a contiguous sequence in the executor's memory
// must fail: from_lengths: the lengths must be integers
// must fail: from_row_ids: the ids must be integers
// must fail: from_row_ids: the ids are not a contiguous sequence in the executor's memory
// must fail: the values are not a contiguous sequence in the executor's memory
// must fail: the values are no atoms
// must fail: the elements must be sequences

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <utility>
#include <vector>

using namespace ravel;

int main() {
  cpu::sequential const ex;
  view<int, device_space> const far;
  std::vector<std::pair<int, int>> const pairs{{1, 2}};
  std::vector<int> const x{1, 2};
  std::vector<double> const reals{0, 2};
  borrow(ex, far);
  borrow(ex, pairs);
  elements(from(ex, std::vector<std::vector<int>>{{1}}));
  from_offsets(ex, x, reals);
  from_offsets(ex, x, far);
  from_lengths(ex, x, reals);
  from_row_ids(ex, x, reals, 2);
  from_row_ids(ex, x, far, 2);
  from_offsets(ex, far, x);
  from_offsets(ex, pairs, x);
  row_offsets(borrow(ex, x));
}
