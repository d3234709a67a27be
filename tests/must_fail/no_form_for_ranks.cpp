// must fail: distributed::executor: this call has no form for several ranks; distributed/README.md lists
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/adjacent_difference.hpp>

using ranks = ravel::distributed::executor<ravel::cpu::sequential, ravel::distributed::in_process>;

void differences(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  ravel::adjacent_difference(ex, x, x);
}
