#include "product.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/spmv.hpp>
#include <ravel/core/transfer.hpp>

#include <complex>
#include <cstdint>

namespace ravel::examples {

template <class Backend, class Index, class T>
product<T> multiply(matrix_view<Index, T> a, view<T const> x, int threads, int repeats) {
  auto const ex = Backend::executor(threads);
  auto const matrix = to(ex, a);
  auto const there = to(ex, x);
  auto const y = ex.template allocate<T>(a.rows);
  double const seconds = median_seconds(ex, repeats, [&] { spmv(ex, matrix, there, y); });
  return {to_host(ex, y), seconds};
}

template product<float> multiply<backend>(matrix_view<std::int32_t, float>, view<float const>, int,
                                          int);
template product<double> multiply<backend>(matrix_view<std::int32_t, double>, view<double const>,
                                           int, int);
template product<float> multiply<backend>(matrix_view<index_t, float>, view<float const>, int, int);
template product<double> multiply<backend>(matrix_view<index_t, double>, view<double const>, int,
                                           int);
#ifndef __CUDACC__  // the arithmetic of std::complex is the host's
template product<std::complex<double>> multiply<backend>(
    matrix_view<std::int32_t, std::complex<double>>, view<std::complex<double> const>, int, int);
template product<std::complex<double>> multiply<backend>(matrix_view<index_t, std::complex<double>>,
                                                         view<std::complex<double> const>, int,
                                                         int);
#endif

}  // namespace ravel::examples
