#pragma once

/// @file
/// Sparse products on the host: entries are asked for ahead, and where columns are scattered,
/// elements of x as well.
///
/// A processor looks some rows ahead by itself, but no further than the next row whose
/// length it guesses wrong.  So it waits for x, where that is larger than a cache and
/// read all over; where columns are neighbours, as those of grids, asking costs a tenth
/// of the time, and gains nothing.

#include <ravel/algorithms/spmv.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>

namespace ravel::inline v0::cpu {
namespace detail {

/// Asks for what is some distance behind elements [begin, end) of columns or values: two sequences
/// of different widths, read in pieces of a few elements, are more than hardware sees coming.
/// Past the second cache, which is x's, if the processor likes that.
template <class T>
void ask_behind(T const* from, index_t begin, index_t end) {
  constexpr index_t distance = 1024, line = std::max<index_t>(64 / sizeof(T), 1);
  bool const past = reads_past_caches();
  for (index_t k = begin; k < end; k += line) {
    prefetch_once(reinterpret_cast<char const*>(from + k + distance), past);
  }
}

/// The product that entry k contributes, while entries some way on are on theirs.
template <class T, class Column, class A, class X, class Multiply>
struct product_asking {
  Column const* columns;
  A const* values;
  X const* x;
  Multiply multiply;

  T operator()(index_t k) const {
    return multiply(static_cast<T>(values[k]), static_cast<T>(x[columns[k]]));
  }
  void prefetch(index_t begin, index_t end) const {
    ask_behind(values, begin, end);
    ask_behind(columns, begin, end);
  }
};

/// The same, and the elements of x that nearer entries need are on theirs too.
template <class T, class Column, class A, class X, class Multiply>
struct product_from_afar : product_asking<T, Column, A, X, Multiply> {
  index_t entries;

  void prefetch(index_t begin, index_t end) const {
    product_asking<T, Column, A, X, Multiply>::prefetch(begin, end);
    Column const* const c = this->columns + std::min(begin + 64, entries - (end - begin));
    for (index_t k = 0; k < end - begin; ++k) __builtin_prefetch(this->x + c[k]);
  }
};

/// Whether lines of x, of some that are looked at, are mostly not wanted again by one of
/// the next 32 entries of a matrix that has many.
template <class X, class Column>
[[gnu::noinline]] bool are_scattered(Column const* columns, index_t entries) {
  constexpr index_t line = std::max<index_t>(64 / sizeof(X), 1), looks = 64, window = 32;
  index_t far = 0;
  for (index_t look = 0; look < looks; ++look) {
    auto const* const c = columns + (entries - window) / looks * look;
    auto const near = [&](auto other) { return other / line == c[0] / line; };
    far += std::none_of(c + 1, c + window, near);
  }
  return 2 * far > looks;
}

/// As ravel::detail::multiply_rows, where columns are scattered.
template <class T, class Ex, class Entries, class Rows, class Add, class Visit>
[[gnu::noinline]] void multiply_scattered(Ex const& ex, index_t n, Entries entries, Rows rows,
                                          Add add, Visit visit) {
  segmented_reduce_on(ex, n, entries, rows, add, ravel::detail::zero_of<Add>{add}, visit);
}

}  // namespace detail

/// As ravel::detail::multiply_rows.
template <host_executor Ex, class A, class X, class Add, class Multiply, class Visit>
void multiply_rows(Ex const& ex, A const& a, X const& x, Add add, Multiply multiply, Visit visit) {
  using T = carrier_t<Add>;
  using U = element_t<X>;
  using Column = element_t<decltype(a.columns)>;
  using Value = element_t<decltype(a.values)>;
  using Load = detail::product_asking<T, Column, Value, U, Multiply>;
  using From_afar = detail::product_from_afar<T, Column, Value, U, Multiply>;
  constexpr index_t second_cache = index_t{1} << 20;
  index_t const n = a.nnz();
  Load const load{a.columns.data(), a.values.data(), x.data(), multiply};
  if (x.size() * index_t{sizeof(U)} > second_cache && n >= second_cache / 64 &&
      detail::are_scattered<U>(load.columns, n)) {
    detail::multiply_scattered<T>(ex, n, From_afar{load, n}, rows_of(a), add, visit);
  } else {
    segmented_reduce_on(ex, n, load, rows_of(a), add, ravel::detail::zero_of<Add>{add}, visit);
  }
}

}  // namespace ravel::inline v0::cpu
