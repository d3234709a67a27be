#pragma once

/// A polynomial by a scan: the exclusive scan of x, x, x, ... by multiplication gives its powers.
///
///     evaluate(c, x) = c[0] + c[1] x + ... + c[n - 1] x^(n - 1)
///
///     c         3  1  2  4                  at x = 2
///     powers    1  2  4  8                  the exclusive scan of 2 2 2 2
///     terms     3  2  8 32
///     result   45
///
/// Horner's rule takes n multiplications, each of which waits for the one before.
///
/// Work     n + 3 (m - 1), for m = n rounded up to a power of two
/// Steps    3 log2 m + 1
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.1.

#include "exclusive_scan_by_sweeps.hpp"

#include <functional>

namespace textbook {

template <class T>
T evaluate(std::vector<T> const& c, std::type_identity_t<T> x) {
  auto const powers =
      exclusive_scan_by_sweeps(std::vector<T>(c.size(), x), T{1}, std::multiplies{});
  auto const terms = tabulate(c.size(), [&](size_t i) { return c[i] * powers[i]; });
  return reduce(terms, T{0}, std::plus{});
}

}  // namespace textbook
