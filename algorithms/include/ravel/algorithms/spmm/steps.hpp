#pragma once

/// A sparse matrix times several vectors on any executor: segmented reductions, of a few columns at
/// a time.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/spmm/call.hpp>
#include <ravel/core/read_once.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The products of entry e for W adjacent columns of the result.
template <int W, class T, class Column, class A, class X, class Multiply>
struct products_of_entry {
  Column const* columns;
  A const* values;
  X const* x;  // the first of the W columns, in row 0
  index_t k;
  Multiply multiply;
  RAVEL_HD side_by_side<T, W> operator()(index_t e) const {
    T const value = static_cast<T>(read_once(values + e));
    X const* const x_row = x + static_cast<index_t>(read_once(columns + e)) * k;
    side_by_side<T, W> products;
    for (int j = 0; j < W; ++j) products.of[j] = multiply(value, static_cast<T>(x_row[j]));
    return products;
  }
};

template <class Y>
struct store_row_of_each {
  Y* y;
  index_t k;
  template <class T, int W>
  RAVEL_HD void operator()(index_t row, side_by_side<T, W> const& sums) const {
    for (int j = 0; j < W; ++j) y[row * k + j] = static_cast<Y>(sums.of[j]);
  }
};

/// The number of columns that share one load of an entry.  On a device, 16 bytes of them: warps
/// keep the partial results of a row in shared memory.
template <class Space, class T>
inline constexpr int columns_at_once = std::same_as<Space, host_space> || sizeof(T) > 16
                                           ? 8
                                           : std::bit_floor(16 / sizeof(T));

/// Columns [first, k) of the product: W columns at a time, and the remaining ones with W halved.
template <int W, class Ex, class A, class X, class Y, class Add, class Multiply>
void multiply_columns(Ex const& ex, A const& a, index_t first, index_t k, X const* x, Y* y, Add add,
                      Multiply multiply) {
  using T = carrier_t<Add>;
  using Load = products_of_entry<W, T, element_t<decltype(a.columns)>,
                                 element_t<decltype(a.values)>, X, Multiply>;
  each_of<Add, W> const sums{add};
  for (; first + W <= k; first += W) {
    segmented_reduce_on(
        ex, a.nnz(), Load{a.columns.data(), a.values.data(), x + first, k, multiply}, rows_of(a),
        sums, seed_identity<each_of<Add, W>>{sums}, store_row_of_each<Y>{y + first, k});
  }
  if constexpr (W > 1) multiply_columns<W / 2>(ex, a, first, k, x, y, add, multiply);
}

}  // namespace detail

struct spmm_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: segmented reductions, of a few columns at a time.";
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    constexpr int columns = detail::columns_at_once<space_of_t<Ex>, typename Call::value_type>;
    detail::multiply_columns<columns>(ex, c.a, 0, c.k, c.x, c.y, c.add, c.multiply);
  }
};

/// The family of products of a sparse matrix and several vectors.
struct spmm_family : call_family_with_devices<spmm_by_steps> {};

}  // namespace ravel::inline v0
