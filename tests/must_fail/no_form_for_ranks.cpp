// must fail: distributed::executor: this call has no form for several ranks; distributed/README.md lists
// must fail: If another call makes this one, the header of distributed/ that has that call is not included
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>

using ranks = ravel::distributed::executor<ravel::cpu::sequential, ravel::distributed::in_process>;

struct write_place {
  int* to;
  void operator()(ravel::index_t i, ravel::index_t x) const { to[i] = static_cast<int>(x); }
};
struct place {
  ravel::index_t operator()(ravel::index_t i) const { return i; }
};

void places(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  ravel::map_on(ex, x.size(), place{}, write_place{x.data()});
}
void merged(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  ravel::merge(ex, x, x, x);
}
