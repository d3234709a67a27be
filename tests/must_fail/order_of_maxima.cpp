// must fail: inclusive_scan: an order is of sums: m is not plus
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/scan.hpp>

#include <vector>

void scan(std::vector<int>& x) {
  ravel::inclusive_scan(ravel::cpu::sequential{}, x, x, ravel::maximum{}, ravel::of_order<2>);
}
