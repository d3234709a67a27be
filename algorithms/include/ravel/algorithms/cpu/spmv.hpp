#pragma once

/// @file
/// Sparse products on the host: where columns are scattered, elements of x are asked for
/// ahead.
///
/// A processor looks some rows ahead by itself, but no further than the next row whose
/// length it guesses wrong.  So it waits for x, where that is larger than a cache and
/// read all over; where columns are neighbours, as those of grids, asking costs a tenth
/// of the time, and gains nothing.

#include <ravel/algorithms/spmv.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>

namespace ravel::inline v0::cpu {
namespace detail {

/// The product that entry k contributes, while entries some way on are on theirs, and the
/// elements of x that nearer ones need.
template <class T, class Column, class A, class X, class Multiply>
struct product_from_afar {
  Column const* columns;
  A const* values;
  X const* x;
  Multiply multiply;
  index_t entries;

  T operator()(index_t k) const {
    return multiply(static_cast<T>(values[k]), static_cast<T>(x[columns[k]]));
  }
  void prefetch(index_t begin, index_t end) const {
    ravel::detail::ask_behind(values, begin, end);
    ravel::detail::ask_behind(columns, begin, end);
    Column const* const c = columns + std::min(begin + 64, entries - (end - begin));
    for (index_t k = 0; k < end - begin; ++k) __builtin_prefetch(x + c[k]);
  }
};

/// Whether lines of x, of some that are looked at, are mostly not wanted again by one of
/// the next 32 entries.
template <class X, class Columns>
bool scattered(Columns const& columns) {
  constexpr index_t line = std::max<index_t>(64 / sizeof(X), 1), looks = 64, window = 32;
  index_t far = 0;
  for (index_t look = 0; look < looks; ++look) {
    auto const* const c = columns.data() + (columns.size() - window) / looks * look;
    auto const near = [&](auto other) { return other / line == c[0] / line; };
    far += std::none_of(c + 1, c + window, near);
  }
  return 2 * far > looks;
}

}  // namespace detail

/// As ravel::detail::multiply_rows.
template <host_executor Ex, class A, class X, class Add, class Multiply, class Visit>
void multiply_rows(Ex const& ex, A const& a, X const& x, Add add, Multiply multiply, Visit visit) {
  using T = carrier_t<Add>;
  using U = element_t<X>;
  using Load = detail::product_from_afar<T, element_t<decltype(a.columns)>,
                                         element_t<decltype(a.values)>, U, Multiply>;
  constexpr index_t second_cache = index_t{1} << 20;
  if (x.size() * index_t{sizeof(U)} <= second_cache || a.nnz() < second_cache / 64 ||
      !detail::scattered<U>(a.columns)) {
    return ravel::detail::multiply_rows(ex, a, x, add, multiply, visit);
  }
  segmented_reduce_on(ex, a.nnz(),
                      Load{a.columns.data(), a.values.data(), x.data(), multiply, a.nnz()},
                      rows_of(a), add, ravel::detail::zero_of<Add>{add}, visit);
}

}  // namespace ravel::inline v0::cpu
