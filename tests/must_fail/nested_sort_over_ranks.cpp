// must fail: distributed: this function of a sequence over all ranks has no form for several

#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/nested.hpp>

#include <vector>

using ranks = ravel::distributed::executor<ravel::cpu::sequential, ravel::distributed::in_process>;

void sort_all(ranks const& ex, std::vector<std::vector<int>> const& all) {
  sort(flatten(from(ex, all)));
}
