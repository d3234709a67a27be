// must fail: moved: the elements are const, and cannot be moved from
// must fail: moved: elements are moved on the host alone: pass the sequence itself
// must fail: moved: elements are moved on the host alone, and this executor is a device
// must fail: a call with moved.+: the options are total_to
// must fail: reduce_sync: in is no range

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/moved.hpp>
#include <ravel/primitives/reduce.hpp>

#include <vector>

struct on_a_device : ravel::cpu::sequential {
  using space = ravel::device_space;
};
struct is_odd {
  bool operator()(int x) const { return x % 2 != 0; }
};

int main() {
  using ravel::moved;
  ravel::cpu::sequential const ex;
  std::vector<int> in{1, 2, 3}, out(3);
  std::vector<int> const constant(3);
  moved(constant);
  moved(ravel::device_view(in.data(), 3));
  ravel::filter(on_a_device{}, moved(in), is_odd{}, out);
  ravel::filter(ex, moved(in), is_odd{}, out, ravel::from(1));
  ravel::reduce_sync(ex, moved(in));  // moves nothing
}
