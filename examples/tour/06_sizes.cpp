/// Sizes that depend on data stay with the executor until the host waits for them.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "show.hpp"

#include <vector>

using namespace ravel;

int main() {
  cpu::threads const ex;
  std::vector<int> const values{3, 1, 2, 4, 1, 5};
  auto const is_odd = [](int x) { return x % 2 != 0; };

  // Stages after a filter: the host does not wait in between.
  show("reversed, and every second",
       on(ex, values) | filter(is_odd) | reverse() | stride(2) | to_vector(), {5, 1});

  // Results stay in the executor's memory, with their number, and are sources of other pipelines.
  auto const odd = on(ex, values) | filter(is_odd) | to_buffer();
  auto const sum = on(ex, odd) | reduce(plus{});

  // A deferred value is passed to the next call without a wait.
  show("on from the sum", on(ex, odd) | inclusive_scan(plus{}, from(sum)) | to_vector(),
       {13, 14, 15, 20});

  // These calls wait.
  show("how many", odd.size_sync(), index_t{4});
  show("the sum", sum.get(), 10);

  // A pass of its own needs the length: on a device sized_sync() waits for it.
  show("sorted", on(ex, odd) | sized_sync() | sort() | to_vector(), {1, 1, 3, 5});
}
