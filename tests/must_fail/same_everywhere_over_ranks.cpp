// must fail: same_everywhere has reductions and forward scans, without tuples or segments
// must fail: same_everywhere: on several ranks it has reductions and forward scans; make other calls on
// must fail: on: same_everywhere of several ranks has reductions and forward scans of sequences; make pipelines
// must fail: from: sequences are on the executor that same_everywhere was made of
// must fail: balance: same_everywhere of several ranks has reductions and forward scans of sequences; make other
// must fail: gather_to: same_everywhere of several ranks has reductions and forward scans of sequences
// must fail: spmv: same_everywhere of several ranks has reductions and forward scans of sequences
// must fail: spmm: same_everywhere of several ranks has reductions and forward scans of sequences
// must fail: transpose: same_everywhere of several ranks has reductions and forward scans of sequences
// must fail: spmv_plan: plans of several ranks are on the executor that same_everywhere was made of
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/nested.hpp>
#include <ravel/distributed/pipelines.hpp>
#include <ravel/distributed/same_everywhere.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/distributed/spmv.hpp>
#include <ravel/distributed/transpose.hpp>

#include <vector>

using ranks = ravel::distributed::executor<ravel::cpu::sequential, ravel::distributed::in_process>;
using numbers = ravel::distributed::sequence<float, ranks>;
using ints = ravel::view<int, ravel::host_space>;

void scan(ranks const& ex, numbers& x) {
  ravel::inclusive_scan(ravel::same_everywhere(ex), x, x, ravel::plus<>{}, ravel::backward);
}
void sort(ranks const& ex, numbers& x) { ravel::radix_sort(ravel::same_everywhere(ex), x, x); }
void sum(ranks const& ex, numbers& x) {
  ravel::on(ravel::same_everywhere(ex), x) | ravel::reduce(ravel::plus{});
}
void other_calls(ranks const& ex, numbers& x, ravel::distributed::csr<ints, ints, ints> const& a,
                 ravel::spmv_plan<ranks, ravel::distributed::csr<ints, ints, ints>> const& plan) {
  ravel::same_everywhere const same(ex);
  from(same, std::vector{1, 2});
  balance(same, x);
  gather_to(same, x, 0);
  spmv(same, plan, x, x);
  spmm(same, plan, 2, x, x);
  transpose(same, a);
  ravel::spmv_plan const other(same, a);
}
