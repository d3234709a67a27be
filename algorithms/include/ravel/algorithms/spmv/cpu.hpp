#pragma once

/// Sparse products on the host, the table of forms and the forms: software prefetch of entries and, where columns are scattered, of
/// elements of x.
///
/// Out-of-order execution overlaps the loads of a few rows, but not beyond a mispredicted row
/// length.  So the loop stalls on x where x is larger than L2 and accessed at random.  Where
/// columns are contiguous, as in grids, prefetching x costs a tenth of the time and gains nothing.
/// Entries that are in a cache are not prefetched on an Intel Xeon, where grids of 114^2 and 458^2 points take
/// 0.73 and 0.85 of the time.  On an AMD EPYC the larger takes 1.6 times as long without.

#include <ravel/algorithms/spmv/call.hpp>
#include <ravel/algorithms/spmv/steps.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/std_algorithm.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// Prefetches columns or values 1,024 elements after [begin, end).  The hardware prefetcher does
/// not follow two sequences of different widths that are read a few elements at a time.
template <class T>
void prefetch_after(T const* data, index_t begin, index_t end) {
  constexpr index_t distance = 1024, line = std::max<index_t>(64 / sizeof(T), 1);
  for (index_t k = begin; k < end; k += line) {
    prefetch_line(reinterpret_cast<char const*>(data + k + distance));
  }
}

/// The load of the reduction over rows: the product of entry k with its element of x.  It
/// prefetches columns and values.
template <class T, class Column, class A, class X, class Multiply>
struct product_prefetching {
  Column const* columns;
  A const* values;
  X const* x;
  Multiply multiply;
  bool in_cache = false;  ///< columns and values are in a cache: segment_reducer prefetches none

  T operator()(index_t k) const {
    return multiply(static_cast<T>(values[k]), static_cast<T>(x[columns[k]]));
  }
  void prefetch(index_t begin, index_t end) const {
    prefetch_after(values, begin, end);
    prefetch_after(columns, begin, end);
  }
};

/// As product_prefetching, and prefetches elements of x, at a shorter distance.  Not on processors
/// whose out-of-order window already keeps enough loads outstanding, such as Intel's
/// (docs/decisions/0042).
template <class T, class Column, class A, class X, class Multiply>
struct product_prefetching_x : product_prefetching<T, Column, A, X, Multiply> {
  index_t entries;

  void prefetch(index_t begin, index_t end) const {
    product_prefetching<T, Column, A, X, Multiply>::prefetch(begin, end);
    if (!on_amd()) return;
    Column const* const c = this->columns + std::min(begin + 64, entries - (end - begin));
    for (index_t k = 0; k < end - begin; ++k) __builtin_prefetch(this->x + c[k]);
  }
};

/// As product_prefetching_x, for a sum in vectors of 64 bytes that gathers elements of x.
template <class T, class Column>
struct products_gathered : product_prefetching_x<T, Column, T, T, multiplies<T>> {
  void add_up(index_t, index_t const* begins, index_t rows, T* sums) const {
    loops::add_up_rows(begins, rows, reinterpret_cast<std::int32_t const*>(this->columns),
                       this->values, this->x, this->entries, sums);
  }
};

/// Whether products of these types can be added by products_gathered.
template <class T, class Column, class A, class X, class Add, class Multiply>
inline constexpr bool can_gather = loops::known_of_rows<T> && sizeof(Column) == 4 &&
                                   std::same_as<A, T>&& std::same_as<X, T>&& std::same_as<
                                       Add, plus<T>>&& std::same_as<Multiply, multiplies<T>>;

/// Whether columns are scattered: for most of 64 sampled entries, none of the next 32 entries uses
/// the same cache line of x.
template <class X, class Column>
[[gnu::noinline]] bool are_scattered(Column const* columns, index_t entries) {
  constexpr index_t line = std::max<index_t>(64 / sizeof(X), 1), looks = 64, window = 32;
  index_t far = 0;
  for (index_t look = 0; look < looks; ++look) {
    auto const* const c = columns + (entries - window) / looks * look;
    auto const near = [&](auto column) { return column / line == c[0] / line; };
    far += std::none_of(c + 1, c + window, near);
  }
  return 2 * far > looks;
}

/// Where columns are scattered, with a load that prefetches elements of x.
template <class T, class Ex, class Entries, class Rows, class Add, class Visit>
[[gnu::noinline]] void multiply_scattered(Ex const& ex, index_t n, Entries entries, Rows rows,
                                          Add add, Visit visit) {
  segmented_reduce_on(ex, n, entries, rows, add, ravel::detail::zero_of<Add>{add}, visit);
}

/// Products of many entries: out of line, with arguments in registers, so that
/// short inputs need no stack frame for it.
template <class T, class Ex, class Offset, class Column, class A, class X, class Add,
          class Multiply, class Visit>
[[gnu::noinline]] void multiply_many(Ex const& ex, index_t n, Offset const* offsets, index_t rows,
                                     Column const* columns, A const* values, X const* x,
                                     index_t cols, Add add, Multiply multiply, Visit visit) {
  constexpr index_t l2_bytes = index_t{1} << 20;
  product_prefetching<T, Column, A, X, Multiply> load{columns, values, x, multiply};
  auto const segments = by_offsets(view<Offset const>(offsets, rows + 1));
  if (cols * index_t{sizeof(X)} > l2_bytes && n >= l2_bytes / 64 && are_scattered<X>(columns, n)) {
    product_prefetching_x<T, Column, A, X, Multiply> const from_afar{load, n};
    if constexpr (can_gather<T, Column, A, X, Add, Multiply>) {
      if (loops::adds_up_rows() && cols <= index_t{1} << 31) {
        using Gathered = products_gathered<T, Column>;
        return multiply_scattered<T>(ex, n, Gathered{from_afar}, segments, add, visit);
      }
    }
    multiply_scattered<T>(ex, n, from_afar, segments, add, visit);
  } else {
    load.in_cache = !on_amd() && n * index_t{sizeof(A) + sizeof(Column)} < beyond_caches;
    segmented_reduce_on(ex, n, load, segments, add, ravel::detail::zero_of<Add>{add}, visit);
  }
}

}  // namespace detail

struct spmv_few {
  static constexpr auto name = "few";
  static constexpr auto why = "One chunk: a loop over its rows, inlined into the caller.";
  [[gnu::always_inline]] static auto now(auto const& c, host const&) {
    return needs(
        need{detail::are_few(c.a.nnz(), c.a.rows), "at most 8192 entries and rows together"});
  }
  template <class Ex, class A, class X, class Add, class Multiply, class Visit>
  [[gnu::always_inline]] static void run(Ex const&,
                                         spmv_call<A, X, Add, Multiply, Visit> const& c) {
    using T = carrier_t<Add>;
    using Load = detail::product_prefetching<T, element_t<decltype(c.a.columns)>,
                                             element_t<decltype(c.a.values)>, X, Multiply>;
    auto const segments = rows_of(c.a);
    segments.expect_elements(c.a.nnz(), "spmv");
    detail::reduce_few<T>(c.a.nnz(), Load{c.a.columns.data(), c.a.values.data(), c.x, c.multiply},
                          segments, c.add, ravel::detail::zero_of<Add>{c.add}, c.visit);
  }
};

struct spmv_prefetching {
  static constexpr auto name = "prefetching";
  static constexpr auto why =
      "The segmented reduction of the host, which prefetches entries that are in no cache; where "
      "columns are scattered in a large x also elements of x, in vectors of 64 bytes by gathers.";
  template <class Ex, class A, class X, class Add, class Multiply, class Visit>
  [[gnu::always_inline]] static void run(Ex const& ex,
                                         spmv_call<A, X, Add, Multiply, Visit> const& c) {
    detail::multiply_many<carrier_t<Add>>(ex, c.a.nnz(), c.a.offsets.data(), c.a.rows,
                                          c.a.columns.data(), c.a.values.data(), c.x, c.a.cols,
                                          c.add, c.multiply, c.visit);
  }
};

}  // namespace cpu

template <>
struct form_table<spmv_family, cpu::host> : forms<cpu::spmv_few, cpu::spmv_prefetching> {};

}  // namespace ravel::inline v0
