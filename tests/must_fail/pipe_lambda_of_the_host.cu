// must fail: map: f is a lambda of the host alone
// must fail: filter: keep is a lambda of the host alone
// must fail: adjacent: f is a lambda of the host alone
// must fail: adjacent_difference: f is a lambda of the host alone
// must fail: unique: equal_by.+ is a lambda of the host alone
// must fail: a scan: m is a lambda of the host alone
// must fail: reduce: m is a lambda of the host alone
// must fail: histogram: bin is a lambda of the host alone
// must fail: generate: f is a lambda of the host alone
// must fail: for_each: f is a lambda of the host alone
// must fail: flat_map: length is a lambda of the host alone
// must fail: expand: f is a lambda of the host alone
// must fail: merge_with: before is a lambda of the host alone
// must fail: sort: by.+ is a lambda of the host alone
// must fail: filter: keep is a lambda of the host alone, or a member function
// must fail: in_segments: the comparison of keys is a lambda of the host alone
// must fail: find_if: keep is a lambda of the host alone
// must fail: any_of, all_of or none_of: the predicate is a lambda of the host alone
// must fail: adjacent_find, is_sorted or is_partitioned: the function is a lambda of the host alone
// must fail: mismatch, equal, lexicographical_compare, search or find_end: the function is a lambda of the host alone
// must fail: min_element or max_element: the order is a lambda of the host alone

#include <ravel/core/cuda/executor.cuh>
#include <ravel/pipelines/pipelines.hpp>

using namespace ravel;

struct number {
  int is;
  bool none() const { return is == 0; }
};

int main() {
  auto const p = on(gpu::executor{}, iota(3));
  auto const f = [](int x) { return x + 1; };
  auto const g = [](int x, int y) { return x + y; };
  auto const is = [](int x, int y) { return x == y; };
  auto const each = [](int x, index_t) { return x; };
  auto const there = device_view(static_cast<int*>(nullptr), 3);
  p | map(f);
  p | filter(f);
  on(gpu::executor{}, device_view(static_cast<number*>(nullptr), 3)) | filter(&number::none);
  p | adjacent(g);
  p | adjacent_difference(g);
  p | unique(equal_by(is));
  p | inclusive_scan(monoid{g, 0});
  p | reduce(monoid{g, 0});
  p | histogram(4, f);
  on(gpu::executor{}, generate(3, f));
  p | for_each(f);
  p | flat_map(f, plus<index_t>{}, 3);
  p | expand(each, uniform(3, 1), 3);
  p | merge_with(there, is);
  p | sort(by(f));
  p | find_if(f);
  p | all_of(f);
  p | is_sorted(is);
  p | lexicographical_compare(there, is);
  p | min_element(is);
  p | in_segments(by_keys(there, is));
}
