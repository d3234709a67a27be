// must fail: radix_sort: elements that cannot be copied, or have no default constructor: comparison_sort sorts them, by the order by
// must fail: nth_element: the elements cannot be copied, or have no default constructor: partial_sort.nth . 1, before. . drop.nth. takes them
// must fail: std::hash does not know the keys: hash_by.+ gives a hash of them
// must fail: selection by an order: the elements cannot be copied: partial_sort.ex, data, k, before. sorts them in place

#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <memory>
#include <vector>

struct number {
  int x;
  explicit number(int x) : x(x) {}
  bool operator==(number const&) const = default;
};

int main() {
  using namespace ravel;
  cpu::sequential const ex;
  std::vector<number> in(3, number(1)), out(3, number(0));
  radix_sort(ex, in, out, by(&number::x));
  on(ex, in) | nth_element(1, by(&number::x));
  remove_duplicates_sync(ex, in, out);
  std::vector<std::unique_ptr<int>> owners(3), least(1);
  top_k(ex, owners, least, [](auto const& p, auto const& q) { return *p < *q; });
}
