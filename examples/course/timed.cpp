/// Takes the time of an exercise on one thread, beside a copy of its elements: plain numbers, added up,
/// and a loop for each step.

#include "exercise.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace exercise {
namespace {

constexpr index n = index{1} << 20;

/// The shortest of several runs, in seconds.
template <class F>
double seconds(F const& f) {
  double best = 1e9;
  for (int k = 0; k < 5; ++k) {
    auto const begin = std::chrono::steady_clock::now();
    f();
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begin;
    best = std::min(best, taken.count());
  }
  return best;
}

void volatile* kept;  // so that results are made

template <class F>
void report(char const* name, F const& f) {
  values const from(n, 1);
  values to(n);
  double const copy = seconds([&] {
    std::copy(from.begin(), from.end(), to.begin());
    kept = to.data();
  });
  double const is = seconds([&] {
    auto result = f();
    kept = &result;
  });
  std::printf("time: %s of %zu numbers takes %.3g ms on one thread, %.0f times that of a copy.\n",
              name, n, 1e3 * is, is / copy);
}

void report_all() {
  values const x(n, 1);
  flags bits(n);
  indices next(n);
  for (index i = 0; i < n; ++i) {
    bits[i] = i % 3 == 0;
    next[i] = (i + 9973) % n;  // node 0 is the last but for what leads to it
  }
  next[n - 9973] = n - 9973;
  if (reduce) report("reduce", [&] { return reduce(x); });
  if (inclusive_scan) report("inclusive_scan", [&] { return inclusive_scan(x); });
  if (exclusive_scan) report("exclusive_scan", [&] { return exclusive_scan(x); });
  if (segmented_scan) report("segmented_scan", [&] { return segmented_scan(x, bits); });
  if (compact) report("compact", [&] { return compact(x, bits); });
  if (list_ranks) report("list_ranks", [&] { return list_ranks(next); });
}

}  // namespace
}  // namespace exercise

int main() { exercise::report_all(); }
