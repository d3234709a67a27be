// must fail: distributed: this call has no form for several ranks: operands are distributed sequences
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/segments.hpp>

using ranks = ravel::distributed::executor<ravel::cpu::sequential, ravel::distributed::in_process>;

void scan(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  ravel::segmented_inclusive_scan(ex, x, ravel::uniform(2, 3), x);
}
