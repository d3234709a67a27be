#pragma once

/// Checks a product by another method.

#include "matrix.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>

namespace ravel::examples {

/// Multiplies again, row by row in long double, and describes the first error in `y`;
/// empty if there is none.
///
/// A row of k entries may be off by (k + 3) epsilon times the sum of the
/// magnitudes of its products, the error bound of any order of additions.  Rows are counted from
/// `first`.
template <class Index, class T>
std::string what_is_wrong(matrix_view<Index, T> a, view<T const> x, view<T const> y,
                          index_t first = 0) {
  using real = decltype(std::abs(T()));
  using exact =
      std::conditional_t<std::is_floating_point_v<T>, long double, std::complex<long double>>;
  for (index_t row = 0; row < a.rows; ++row) {
    exact sum = 0;
    long double magnitudes = 0;
    for (index_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      exact const term = exact(a.values[k]) * exact(x[a.columns[k]]);
      sum += term;
      magnitudes += std::abs(term);
    }
    auto const entries = static_cast<long double>(a.offsets[row + 1] - a.offsets[row]);
    long double const allowed = (entries + 3) * std::numeric_limits<real>::epsilon() * magnitudes;
    long double const off = std::abs(exact(y[row]) - sum);
    bool const finite = std::isfinite(magnitudes);  // NaN and infinity have no error bound
    if (finite && !(off <= allowed)) {
      return fmt::format("row {} is off by {:.3g}, and rounding explains {:.3g}", first + row,
                         static_cast<double>(off), static_cast<double>(allowed));
    }
  }
  return {};
}

}  // namespace ravel::examples
