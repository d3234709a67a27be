#pragma once

/// Rows of sparse matrices on the processes of an MPI program: products, beside those of PETSc and
/// CombBLAS, and the transpose.

#include "distributed/parts.hpp"
#include "distributed/products.hpp"

#include <ravel/algorithms/spmm.hpp>
#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/algorithms/transpose.hpp>
#include <ravel/distributed/gather_plan.hpp>
#include <ravel/distributed/nested.hpp>
#include <ravel/distributed/spmv.hpp>
#include <ravel/distributed/transpose.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

namespace ravel::bench {

using stencil_rows = decltype(stencil(0, 0, 0));
using rows_of_ranks = distributed::csr<std::vector<int>, std::vector<int>, std::vector<double>>;

/// All rows on rank 0, and none on the others.
inline stencil_rows whole_stencil(on_ranks const& ex, index_t all) {
  return stencil(0, ex.ranks().rank() == 0 ? all : 0, all);
}

inline std::vector<part> products(on_ranks const& ex, index_t n) {
  index_t const all = n * ex.ranks().size(), first = n * ex.ranks().rank();
  auto const a = std::make_shared<rows_of_ranks>(ex, stencil(first, n, all));
  auto const plan = std::make_shared<spmv_plan<on_ranks, rows_of_ranks>>(ex, *a);
  auto const x = piece<double>(ex, n, element_of_x);
  auto const y = std::make_shared<elements<double>>(ex, *x);
  bool const is_one = ex.ranks().rank() == 0;
  auto const whole = std::make_shared<stencil_rows>(whole_stencil(ex, all));
  auto const all_x = all_on_one<double>(ex, n, element_of_x);
  auto const all_y = host::allocate<double>(cpu::threads(), all_x->size());
  using one_plan = spmv_plan<cpu::threads, stencil_rows>;
  auto const plan_of_one = is_one ? std::make_shared<one_plan>(one_process(ex), *whole) : nullptr;
  std::vector<part> parts{{"ours",
                           [=] {
                             (void)a;
                             spmv(ex, *plan, *x, *y);
                           },
                           [=] { return is_product(*y, first, all); }},
                          {"peer:one process",
                           [=] {
                             (void)whole;
                             spmv(one_process(ex), *plan_of_one, *all_x, *all_y);
                           },
                           [=] { return is_product(*all_y, 0, all); }, true}};
#ifdef RAVEL_BENCH_PETSC
  auto const petsc = std::make_shared<petsc_product>(a->block, first, all);
  parts.push_back({"peer:PETSc", [=] { petsc->multiply(); }, [=] { return petsc->is_right(); }});
#endif
#ifdef RAVEL_BENCH_COMBBLAS
  if (combblas_product::can_run_on(ex.ranks().size())) {
    auto const combblas = std::make_shared<combblas_product>(all);
    parts.push_back(
        {"peer:CombBLAS", [=] { combblas->multiply(); }, [=] { return combblas->is_right(); }});
  }
#endif
  return parts;
}

/// The same of `k` vectors, of which vector j is j + 1 times the first.
inline std::vector<part> products_of_vectors(on_ranks const& ex, index_t n) {
  constexpr index_t k = 4;
  auto const element = [](index_t i) {
    return element_of_x(i / k) * static_cast<double>(i % k + 1);
  };
  index_t const all = n * ex.ranks().size(), first = n * ex.ranks().rank();
  auto const is_right = [=](auto const& y, index_t from) {
    for (index_t i = 0; i < std::ssize(y); ++i) {
      double const one = element_of_product(from + i / k, all);
      if (y.data()[i] != one * static_cast<double>(i % k + 1)) return false;
    }
    return true;
  };
  auto const a = std::make_shared<rows_of_ranks>(ex, stencil(first, n, all));
  auto const plan = std::make_shared<spmv_plan<on_ranks, rows_of_ranks>>(ex, *a);
  auto const x = piece<double>(ex, k * n, element);
  auto const y = std::make_shared<elements<double>>(ex, *x);
  auto const whole = std::make_shared<stencil_rows>(whole_stencil(ex, all));
  auto const all_x = all_on_one<double>(ex, k * n, element);
  auto const all_y = host::allocate<double>(cpu::threads(), all_x->size());
  return {{"ours",
           [=] {
             (void)a;
             spmm(ex, *plan, k, *x, *y);
           },
           [=] { return is_right(*y, first); }},
          {"peer:one process", [=] { spmm(one_process(ex), *whole, k, *all_x, *all_y); },
           [=] { return is_right(*all_y, 0); }, true}};
}

/// The rows of the stencil, each with its number in place of its values: in the transpose, which has
/// the same columns, each value is its column.
inline std::vector<part> transposes(on_ranks const& ex, index_t n) {
  index_t const all = n * ex.ranks().size(), first = n * ex.ranks().rank();
  auto const numbered = [](stencil_rows a, index_t from) {
    for (index_t r = 0; r < a.rows; ++r) {
      std::fill(a.values.begin() + a.offsets[r], a.values.begin() + a.offsets[r + 1],
                static_cast<double>(from + r));
    }
    return a;
  };
  auto const is_right = [](auto const& found, stencil_rows const& a) {
    return std::ranges::equal(found.offsets, a.offsets) &&
           std::ranges::equal(found.columns, a.columns) &&
           std::ranges::equal(found.values, a.columns);
  };
  auto const a = std::make_shared<rows_of_ranks>(ex, numbered(stencil(first, n, all), first));
  auto const found = std::make_shared<decltype(transpose(ex, *a))>(transpose(ex, *a));
  auto const one = one_process(ex);
  auto const whole = std::make_shared<stencil_rows>(numbered(whole_stencil(ex, all), 0));
  auto const all_found = std::make_shared<decltype(transpose(one, *whole))>(transpose(one, *whole));
  return {{"ours", [=] { *found = transpose(ex, *a); },
           [=] { return is_right(found->block, a->block); }},
          {"peer:one process", [=] { *all_found = transpose(one, *whole); },
           [=] { return is_right(*all_found, *whole); }, true}};
}

/// The same product as a nested program: of the elements of x that the rows of a rank read.
template <class Rows, class Values, class X>
auto nested_product(Rows const& rows, Values const& values, X const& x) {
  return each(rows, values, [&](auto columns, auto factors) {
    return sum(each(columns, factors, [&](auto c, auto v) { return v * at(x, c); }));
  });
}
inline std::vector<part> nested_products(on_ranks const& ex, index_t n) {
  index_t const all = n * ex.ranks().size(), first = n * ex.ranks().rank();
  auto const x = piece<double>(ex, n, element_of_x);
  auto const a = std::make_shared<stencil_rows>(stencil(first, n, all));
  auto const plan =
      std::make_shared<distributed::gather_plan<on_ranks, int>>(ex, x->begins(), a->columns);
  auto const rows = from_pieces(ex, from_offsets(ex.local(), plan->numbers(), a->offsets));
  auto const values = from_pieces(ex, from_offsets(ex.local(), a->values, a->offsets));
  auto const near = host::allocate<double>(cpu::threads(), plan->size());
  auto const y = std::make_shared<elements<double>>(ex, *x);
  auto const whole = std::make_shared<stencil_rows>(whole_stencil(ex, all));
  auto const all_x = all_on_one<double>(ex, n, element_of_x);
  auto const all_y = std::make_shared<std::vector<double>>();
  auto const one = one_process(ex);
  auto const all_rows = from_offsets(one, whole->columns, whole->offsets);
  auto const all_values = from_offsets(one, whole->values, whole->offsets);
  return {{"ours",
           [=] {
             (void)a;
             plan->fetch(*x, *near);
             *y = distributed::elements(nested_product(rows, values, borrow(ex.local(), *near)));
           },
           [=] { return is_product(*y, first, all); }},
          {"peer:one process",
           [=] {
             (void)whole;
             auto const product =
                 ravel::elements(nested_product(all_rows, all_values, borrow(one, *all_x)));
             all_y->assign(product.begin(), product.end());
           },
           [=] { return is_product(*all_y, 0, all); }, true}};
}

}  // namespace ravel::bench
