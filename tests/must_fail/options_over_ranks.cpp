// must fail: group_by_sync: it takes no options: keys ascend, and are equal by their digits
// must fail: deferred_inclusive_scan: it takes no options; inclusive_scan does
// must fail: deferred_exclusive_scan: it takes no options; exclusive_scan does
// must fail: reduce_by_key_sync: on several ranks the options are equal_by[(]...[)] and from[(]...[)]
// must fail: top_k: the only option is descending, once; or an order
// must fail: for by_way_of[(]...[)] each rank has scratch of its own
// must fail: sorts and merges of several ranks: the order is no predicate of two elements; of options, radix_sort
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/group_by.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>

using namespace ravel;
using ranks = distributed::executor<cpu::sequential, distributed::in_process>;
using numbers = distributed::sequence<int, ranks>;

void each_call(ranks const& ex, numbers const& x, numbers& y, numbers& z) {
  group_by_sync(ex, x, x, y, z, plus{}, from(3));
  distributed::deferred_inclusive_scan(ex, x, y, plus{}, backward);
  distributed::deferred_exclusive_scan(ex, x, y, plus{}, from(3));
  reduce_by_key_sync(ex, x, x, y, z, plus{}, backward);
  top_k(ex, x, y, bit_range{0, 8});
  radix_sort(ex, x, y, by_way_of(z));
  comparison_sort(ex, x, y, by_way_of(z));
}
