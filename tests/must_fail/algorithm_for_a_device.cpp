// must fail: inclusive_scan: the options are .+; this algorithm is for gpu::executor alone
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/scan_algorithm.hpp>

#include <vector>

void scan(std::vector<int>& x) {
  ravel::inclusive_scan(ravel::cpu::sequential{}, x, x, ravel::plus{},
                        ravel::scan_algorithm::chained_cyclic);
}
