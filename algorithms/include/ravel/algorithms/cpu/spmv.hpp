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

/// As ravel::detail::multiply_rows, of many: a function apart, of arguments that fit in registers,
/// so that few need nothing in memory for it.
template <class T, class Ex, class Offset, class Column, class A, class X, class Add,
          class Multiply, class Visit>
[[gnu::noinline]] void multiply_many(Ex const& ex, index_t n, Offset const* offsets, index_t rows,
                                     Column const* columns, A const* values, X const* x,
                                     index_t cols, Add add, Multiply multiply, Visit visit) {
  constexpr index_t second_cache = index_t{1} << 20;
  product_asking<T, Column, A, X, Multiply> const load{columns, values, x, multiply};
  auto const segments = by_offsets(view<Offset const>(offsets, rows + 1));
  if (cols * index_t{sizeof(X)} > second_cache && n >= second_cache / 64 &&
      are_scattered<X>(columns, n)) {
    product_from_afar<T, Column, A, X, Multiply> const from_afar{load, n};
    if constexpr (can_gather<T, Column, A, X, Add, Multiply>) {
      if (loops::adds_up_rows() && cols <= index_t{1} << 31) {
        using Gathered = products_gathered<T, Column>;
        return multiply_scattered<T>(ex, n, Gathered{from_afar}, segments, add, visit);
      }
    }
    multiply_scattered<T>(ex, n, from_afar, segments, add, visit);
  } else {
    segmented_reduce_on(ex, n, load, segments, add, ravel::detail::zero_of<Add>{add}, visit);
  }
}

}  // namespace detail

/// As ravel::detail::multiply_rows.
template <host_executor Ex, class A, class X, class Add, class Multiply, class Visit>
void multiply_rows(Ex const& ex, A const& a, X const& x, Add add, Multiply multiply, Visit visit) {
  using T = carrier_t<Add>;
  using Load = detail::product_asking<T, element_t<decltype(a.columns)>,
                                      element_t<decltype(a.values)>, element_t<X>, Multiply>;
  index_t const n = a.nnz();
  if (detail::are_few(n, a.rows)) {
    auto const segments = rows_of(a);
    segments.expect_elements(n, "spmv");
    detail::reduce_few<T>(n, Load{a.columns.data(), a.values.data(), x.data(), multiply}, segments,
                          add, ravel::detail::zero_of<Add>{add}, visit);
  } else {
    detail::multiply_many<T>(ex, n, a.offsets.data(), a.rows, a.columns.data(), a.values.data(),
                             x.data(), x.size(), add, multiply, visit);
  }
}

}  // namespace ravel::inline v0::cpu
