/// Map: a function of each element, and how a pipeline begins and ends.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "show.hpp"

#include <vector>

/// A named function object works on every executor; for a device with RAVEL_HD before its operator.
struct square {
  RAVEL_HD int operator()(int x) const { return x * x; }
};

int main() {
  ravel::cpu::threads const ex;  // all cores; on a device it is ravel::gpu::executor
  std::vector<int> const values{3, 1, 2, 4, 1, 5};

  // A source, a stage, a sink.  Nothing runs before the sink.
  auto const squares = ravel::on(ex, values) | ravel::map(square{});
  show("squares", squares | ravel::to_vector(), {9, 1, 4, 16, 1, 25});

  // Into existing memory.
  std::vector<int> out(6);
  squares | ravel::into(out);
  show("the same", out, {9, 1, 4, 16, 1, 25});

  // A reduction.  The executor has the sum; get() waits for it.
  auto const sum = squares | ravel::reduce(ravel::plus{});
  show("their sum", sum.get(), 56);

  // Computed sources, and on the host any lambda.
  auto const products =
      ravel::on(ex, ravel::iota(5)) | ravel::map([](int i) { return i * (i + 1); });
  show("i (i + 1)", products | ravel::to_vector(), {0, 2, 6, 12, 20});
}
