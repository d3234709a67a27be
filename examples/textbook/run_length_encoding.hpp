#pragma once

/// Run-length encoding by scan: the scan of the heads of runs numbers them.
///
///     values[k], lengths[k] = the k-th run: a value, and how often it stands there in succession
///
///     x          7  7  7  4  4  7
///     heads      1  0  0  1  0  1           where x[i] differs from x[i - 1]
///     number     1  1  1  2  2  3           the inclusive scan of heads
///     begins     0  3  5  6                 where heads stand, and the end
///     values     7  4  7
///     lengths    3  2  1
///
/// Work     less than 5 n: 2 n, a scan, and one for each run
/// Steps    at most 2 log2 n + 3
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990.

#include "inclusive_scan_by_sweeps.hpp"

#include <functional>

namespace textbook {

template <class T>
struct runs {
  std::vector<T> values;
  std::vector<size_t> lengths;
};

template <class T>
runs<T> run_length_encode(std::vector<T> const& x) {
  size_t const n = x.size();
  auto const heads = tabulate(n, [&](size_t i) { return size_t{i == 0 || x[i] != x[i - 1]}; });
  auto const number = inclusive_scan_by_sweeps(heads, std::plus{});
  size_t const count = n == 0 ? 0 : number.back();
  std::vector<T> values(count);
  std::vector<size_t> begins(count + 1, n);
  for_all(n, [&](size_t i) {
    if (!heads[i]) return;
    values[number[i] - 1] = x[i];
    begins[number[i] - 1] = i;
  });
  return {values, tabulate(count, [&](size_t k) { return begins[k + 1] - begins[k]; })};
}

}  // namespace textbook
