// must fail: exclusive_scan: the options are .* one of scan_algorithm::, at most once
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/scan_algorithm.hpp>

#include <vector>

void scan(std::vector<int>& x) {
  ravel::exclusive_scan(ravel::cpu::sequential{}, x, x, ravel::plus{},
                        ravel::scan_algorithm::step_doubling,
                        ravel::scan_algorithm::work_efficient);
}
