// must fail: distributed: this call has no form for several ranks: operands are distributed sequences
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/sequence.hpp>

using ranks = ravel::distributed::executor<ravel::cpu::sequential, ravel::distributed::in_process>;

void scan(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  ravel::inclusive_scan(ex, x, x, ravel::plus<>{}, ravel::of_order<2>, ravel::of_tuples<2>);
}
