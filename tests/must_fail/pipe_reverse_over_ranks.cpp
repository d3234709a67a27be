// must fail: reverse: not in pipelines of several ranks; scans have the option backward
// must fail: stride: not in pipelines of several ranks; zip with a sequence of iota and filter
// must fail: enumerate: not in pipelines of several ranks; zip with a sequence of iota
// must fail: merge_with: not in pipelines of several ranks; use merge of sequences
// must fail: distributed: this sink of a pipeline has no form for several ranks
// must fail: distributed: find_if of filtered elements has no form for several ranks
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/pipelines.hpp>
#include <ravel/distributed/sequence.hpp>

using ranks = ravel::distributed::executor<ravel::cpu::sequential, ravel::distributed::in_process>;

struct is_odd {
  bool operator()(int i) const { return i % 2 != 0; }
};

auto from_the_last(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  return ravel::on(ex, x) | ravel::reverse();
}
auto every_second(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  return ravel::on(ex, x) | ravel::stride(2);
}
auto with_places(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  return ravel::on(ex, x) | ravel::enumerate();
}
auto with_others(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  return ravel::on(ex, x) | ravel::merge_with(x);
}
void vector_of_all(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  ravel::on(ex, x) | ravel::filter(is_odd{}) | ravel::to_vector();
}
void place_after_filter(ranks const& ex, ravel::distributed::sequence<int, ranks>& x) {
  ravel::on(ex, x) | ravel::filter(is_odd{}) | ravel::find_if(is_odd{});
}
