// must fail: the range has no size, as if endless
// must fail: inclusive_scan: in is no range in the executor's memory
// must fail: filter: in is no range in the executor's memory
// must fail: gather: the indices must be integers
// must fail: by_lengths: the lengths are no sequence: to.ex, lengths. makes one
// must fail: by_keys: the keys are no sequence
// must fail: comparison_sort: data is not a writable contiguous sequence in the executor's memory, to be sorted in place
// must fail: radix_sort: data is not a writable contiguous sequence in the executor's memory, to be sorted in place

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <list>
#include <ranges>
#include <vector>

struct on_a_device : ravel::cpu::sequential {
  using space = ravel::device_space;
};

int main() {
  using namespace ravel;
  cpu::sequential const ex;
  std::vector<int> out(3);
  std::list<int> list{3, 1, 2};
  inclusive_scan(ex, std::views::iota(0), out);
  inclusive_scan(on_a_device{}, list, device_view(out.data(), 3));
  filter(
      ex, 3, [](int x) { return x > 1; }, out);
  gather(ex, out, std::list{1.5}, out);
  segmented_reduce(ex, list, by_lengths(list), out);
  segmented_reduce(ex, list, by_keys(list), out);
  comparison_sort(ex, list);
  radix_sort(ex, list);
}
