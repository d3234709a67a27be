/// Filter: keeps the accepted elements in order.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "show.hpp"

#include <vector>

using namespace ravel;

int main() {
  cpu::threads const ex;
  std::vector<int> const values{3, 1, 2, 4, 1, 5};
  auto const is_odd = [](int x) { return x % 2 != 0; };

  auto const odd = on(ex, values) | filter(is_odd);
  show("odd", odd | to_vector(), {3, 1, 1, 5});
  show("how many", (odd | count()).get(), index_t{4});
  show("the first two", odd | first(2), {3, 1});
  show("at most six of them", odd.most(), index_t{6});

  // Scans and filters in any order.  Elements are dropped before they are scanned.
  show("sums of odd ones", odd | inclusive_scan(plus{}) | to_vector(), {3, 4, 5, 10});
  show("odd sums", on(ex, values) | inclusive_scan(plus{}) | filter(is_odd) | to_vector(), {3, 11});

  // Elements beyond the room are counted, and not written.
  std::vector<int> out(3, 0);
  show("there would be", (odd | into(out)).get(), index_t{4});
  show("and there are", out, {3, 1, 1});

  // The first of each run of equal elements.
  std::vector<int> const runs{7, 7, 7, 2, 2, 7};
  show("unique", on(ex, runs) | unique() | to_vector(), {7, 2, 7});
}
