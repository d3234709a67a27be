#pragma once

/// A machine with as many processors as a step wants, which counts what it does.
///
///     work    operations in all                what one processor would take
///     steps   operations that follow another   what enough processors take: the span, or depth
///
/// for_all(n, f) is one step: processor i runs f(i), and reads nothing that another processor
/// writes in this step.  So the order of processors does not matter: `backward` reverses it, and
/// the tests run every program both ways.  A processor that does more than one operation calls
/// tick() for each further one; the step then takes as long as its slowest processor.  Making,
/// moving and resizing vectors is not counted.

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace textbook {

using std::size_t;

inline struct counts {
  size_t steps = 0, work = 0;
  bool backward = false;
} machine;

inline void tick() { ++machine.steps, ++machine.work; }

template <class F>
void for_all(size_t n, F f) {
  auto const begin = machine.steps;
  auto end = begin;
  for (size_t k = 0; k < n; ++k) {
    machine.steps = begin;
    tick();
    f(machine.backward ? n - 1 - k : k);
    end = std::max(end, machine.steps);
  }
  machine.steps = end;
}

/// [f(0), ..., f(n - 1)], in one step.  The result is a new vector: f may read the old ones.
template <class F>
auto tabulate(size_t n, F f) {
  std::vector<std::decay_t<decltype(f(n))>> out(n);
  for_all(n, [&](size_t i) { out[i] = f(i); });
  return out;
}

}  // namespace textbook
