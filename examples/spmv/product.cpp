#include "product.hpp"

#include "forms.hpp"
#include "support/backend.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/spmv.hpp>
#include <ravel/core/transfer.hpp>

#include <complex>
#include <cstdint>

namespace ravel::examples {

template <class Backend, class Index, class T>
product<T> multiply(matrix_view<Index, T> a, view<T const> x, product_job const& job) {
  auto const ex = Backend::executor(job.threads);
  auto const matrix = to(ex, a);
  auto const there = to(ex, x);
  auto const y = ex.template allocate<T>(a.rows);
  double const seconds = median_seconds(ex, job.repeats, [&] {
    if (job.algorithm == "scan") {
      spmv_by_scan(ex, view_of(matrix), view_of(there), view_of(y));
    } else if (job.algorithm == "rows") {
      spmv_by_rows(ex, view_of(matrix), view_of(there), view_of(y));
    } else {
      spmv(ex, matrix, there, y);
    }
  });
  return {to_host(ex, y), seconds};
}

template product<float> multiply<backend>(matrix_view<std::int32_t, float>, view<float const>,
                                          product_job const&);
template product<double> multiply<backend>(matrix_view<std::int32_t, double>, view<double const>,
                                           product_job const&);
template product<float> multiply<backend>(matrix_view<index_t, float>, view<float const>,
                                          product_job const&);
template product<double> multiply<backend>(matrix_view<index_t, double>, view<double const>,
                                           product_job const&);
#ifndef __CUDACC__  // the arithmetic of std::complex is the host's
template product<std::complex<double>> multiply<backend>(
    matrix_view<std::int32_t, std::complex<double>>, view<std::complex<double> const>,
    product_job const&);
template product<std::complex<double>> multiply<backend>(matrix_view<index_t, std::complex<double>>,
                                                         view<std::complex<double> const>,
                                                         product_job const&);
#endif

}  // namespace ravel::examples
