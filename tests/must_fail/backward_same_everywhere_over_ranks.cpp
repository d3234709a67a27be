// must fail: same_everywhere has reductions and forward scans, without tuples or segments
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/same_everywhere.hpp>
#include <ravel/distributed/sequence.hpp>

using ranks = ravel::distributed::executor<ravel::cpu::sequential, ravel::distributed::in_process>;

void scan(ranks const& ex, ravel::distributed::sequence<float, ranks>& x) {
  ravel::inclusive_scan(ravel::same_everywhere(ex), x, x, ravel::plus<>{}, ravel::backward);
}
