#pragma once

/// @file
/// A product on a backend, and the time it takes.

#include "matrix.hpp"

#include <string>
#include <vector>

namespace ravel::examples {

template <class T>
struct product {
  std::vector<T> y;
  double seconds;  // of the product alone, in the backend's memory: the median of the repeats
};

struct product_job {
  std::string algorithm;  // "merge", "scan" or "rows"
  int threads;
  int repeats;
};

/// y = A x, for values of type float and double and, on the CPU alone,
/// std::complex<double>, and indices of type std::int32_t and index_t.
template <class Backend, class Index, class T>
product<T> multiply(matrix_view<Index, T> a, view<T const> x, product_job const& job);

}  // namespace ravel::examples
