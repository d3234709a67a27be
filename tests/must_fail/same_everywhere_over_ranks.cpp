// must fail: same_everywhere has reductions and forward scans, without tuples or segments
// must fail: same_everywhere: on several ranks it has reductions and forward scans; make other calls on
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/same_everywhere.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>

using ranks = ravel::distributed::executor<ravel::cpu::sequential, ravel::distributed::in_process>;

void scan(ranks const& ex, ravel::distributed::sequence<float, ranks>& x) {
  ravel::inclusive_scan(ravel::same_everywhere(ex), x, x, ravel::plus<>{}, ravel::backward);
}
void sort(ranks const& ex, ravel::distributed::sequence<float, ranks>& x) {
  ravel::radix_sort(ravel::same_everywhere(ex), x, x);
}
