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
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>

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

/// The same, and the elements of x that nearer entries need are on theirs too, unless the processor has
/// more loads under way than asking gains, as Intel's (docs/decisions/0042).
template <class T, class Column, class A, class X, class Multiply>
struct product_from_afar : product_asking<T, Column, A, X, Multiply> {
  index_t entries;

  void prefetch(index_t begin, index_t end) const {
    product_asking<T, Column, A, X, Multiply>::prefetch(begin, end);
    if (!reads_past_caches()) return;
    Column const* const c = this->columns + std::min(begin + 64, entries - (end - begin));
    for (index_t k = 0; k < end - begin; ++k) __builtin_prefetch(this->x + c[k]);
  }
};

/// The same, added up in vectors of 64 bytes.
template <class T, class Column>
struct products_gathered : product_from_afar<T, Column, T, T, multiplies<T>> {
  void add_up(index_t const* begins, index_t rows, T* sums) const {
    loops::add_up_rows(begins, rows, reinterpret_cast<std::int32_t const*>(this->columns),
                       this->values, this->x, this->entries, sums);
  }
};

/// Whether there are such sums.
template <class T, class Column, class A, class X, class Add, class Multiply>
inline constexpr bool can_gather = loops::known_of_rows<T> && sizeof(Column) == 4 &&
                                   std::same_as<A, T>&& std::same_as<X, T>&& std::same_as<
                                       Add, plus<T>>&& std::same_as<Multiply, multiplies<T>>;

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
    From_afar const from_afar{load, n};
    if constexpr (detail::can_gather<T, Column, Value, U, Add, Multiply>) {
      if (loops::adds_up_rows() && x.size() <= index_t{1} << 31) {
        using Gathered = detail::products_gathered<T, Column>;
        return detail::multiply_scattered<T>(ex, n, Gathered{from_afar}, rows_of(a), add, visit);
      }
    }
    detail::multiply_scattered<T>(ex, n, from_afar, rows_of(a), add, visit);
  } else {
    segmented_reduce_on(ex, n, load, rows_of(a), add, ravel::detail::zero_of<Add>{add}, visit);
  }
}

}  // namespace ravel::inline v0::cpu
