#pragma once

/// Multiplies on a backend, and measures the time.

#include "matrix.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ravel::examples {

/// A preprocessing step for repeated products.
struct preparation {
  double seconds;                 // of the preprocessing
  std::optional<double> without;  // of a product without it, if that was measured

  /// The number of products after which it pays, if one with it takes `with` and one without takes
  /// `plainly`; infinity if it never does.
  double pays_after(double with, double plainly) const {
    if (with >= plainly) return std::numeric_limits<double>::infinity();
    return std::ceil(seconds / (plainly - with));
  }
};

template <class T>
struct product {
  std::vector<T> y;
  double seconds;  // of the product alone, in the backend's memory: the median of the repeats
  std::optional<preparation> prepared = {};  // if the algorithm preprocesses the matrix
};

struct product_job {
  std::string algorithm;  // "merge", "scan", "rows", "plan" or "blocks"
  int threads;
  int repeats;
};

/// y = A x, for values of type float and double and, on the CPU alone,
/// std::complex<double>, and indices of type std::int32_t and index_t.
///
/// Errors   bad_input if the backend has no blocks of columns for these types.
template <class Backend, class Index, class T>
product<T> multiply(matrix_view<Index, T> a, view<T const> x, product_job const& job);

}  // namespace ravel::examples
