// must fail: distributed: this call has no form for several ranks: operands are distributed sequences
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/pipelines.hpp>
#include <ravel/distributed/sequence.hpp>

using ranks = ravel::distributed::executor<ravel::cpu::sequential, ravel::distributed::in_process>;

void odd(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  ravel::on(ex, x) | ravel::filter([](int i) { return i % 2 != 0; }) | ravel::into(x);
}
