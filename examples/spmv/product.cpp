#include "product.hpp"

#include "forms.hpp"
#include "support/backend.hpp"
#include "support/command_line.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_blocks.hpp>
#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/core/transfer.hpp>

#include <complex>
#include <cstdint>

namespace ravel::examples {

/// On a device, blocks gain only if elements of x have 4 bytes, and matrices that need 8-byte
/// indices
/// are not cut.
template <class Backend, class Index, class T>
inline constexpr bool has_blocks = true;
#ifdef __CUDACC__
template <class Index, class T>
inline constexpr bool has_blocks<cuda_backend, Index, T> = sizeof(Index) == 4 && sizeof(T) == 4;
#endif

/// Measures a product with the result of `prepare`, and if it is repeated one with the matrix alone.
template <class T, class Ex, class A, class X, class Y, class Prepare>
product<T> with_prepared(Ex const& ex, A const& matrix, X const& x, Y const& y, int repeats,
                         Prepare prepare) {
  std::optional<double> without;
  if (repeats > 0) without = median_seconds(ex, repeats, [&] { spmv(ex, matrix, x, y); });
  std::optional<decltype(prepare())> made;
  double const making = median_seconds(ex, repeats, [&] { made.emplace(prepare()); });
  double const seconds = median_seconds(ex, repeats, [&] { spmv(ex, *made, x, y); });
  return {to_host(ex, y), seconds, preparation{making, without}};
}

template <class Backend, class Index, class T>
product<T> multiply(matrix_view<Index, T> a, view<T const> x, product_job const& job) {
  auto const ex = Backend::executor(job.threads);
  auto const matrix = to(ex, a);
  auto const there = to(ex, x);
  auto const y = ex.template allocate<T>(a.rows);
  if (job.algorithm == "plan") {
    return with_prepared<T>(ex, matrix, there, y, job.repeats,
                            [&] { return spmv_plan(ex, matrix); });
  }
  if (job.algorithm == "blocks") {
    if constexpr (has_blocks<Backend, Index, T>) {
      return with_prepared<T>(ex, matrix, there, y, job.repeats,
                              [&] { return spmv_blocks(ex, matrix); });
    } else {
      throw bad_input(
          "ravel-spmv: on a GPU --algorithm blocks is for --type f32, and indices of 32 bits");
    }
  }
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
#ifndef __CUDACC__  // std::complex arithmetic is host code
template product<std::complex<double>> multiply<backend>(
    matrix_view<std::int32_t, std::complex<double>>, view<std::complex<double> const>,
    product_job const&);
template product<std::complex<double>> multiply<backend>(matrix_view<index_t, std::complex<double>>,
                                                         view<std::complex<double> const>,
                                                         product_job const&);
#endif

}  // namespace ravel::examples
