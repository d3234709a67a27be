#pragma once

/// Measures the time of work on an executor.

#include <algorithm>
#include <chrono>
#include <vector>

namespace ravel::examples {

/// Seconds since construction.
class stopwatch {
  using clock = std::chrono::steady_clock;
  clock::time_point begin_ = clock::now();

 public:
  double seconds() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }
};

/// The median; the lower one for an even number of values.
inline double median(std::vector<double> values) {
  auto const middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The median time of `repeats` runs of `work`, each from an idle executor to
/// an idle executor, after one untimed run; if `repeats` is 0, the time of the only run.
template <class Ex, class Work>
double median_seconds(Ex const& ex, int repeats, Work work) {
  if (repeats > 0) work();
  ex.wait();
  std::vector<double> seconds;
  for (int i = 0; i < std::max(repeats, 1); ++i) {
    stopwatch const watch;
    work();
    ex.wait();
    seconds.push_back(watch.seconds());
  }
  return median(seconds);
}

}  // namespace ravel::examples
