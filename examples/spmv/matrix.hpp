#pragma once

/// The matrices that ravel-spmv multiplies.

#include <ravel/algorithms/csr.hpp>
#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/view.hpp>

namespace ravel::examples {

/// A matrix on the host; Index has 32 bits if that suffices.
template <class Index, class T>
using host_matrix = csr<cpu::buffer<Index>, cpu::buffer<Index>, cpu::buffer<T>>;

/// The same as views, not owned.
template <class Index, class T>
using matrix_view = csr<view<Index const>, view<Index const>, view<T const>>;

template <class Index, class T>
matrix_view<Index, T> view_of_matrix(host_matrix<Index, T> const& a) {
  return {a.rows, a.cols, view_of(a.offsets), view_of(a.columns), view_of(a.values)};
}

}  // namespace ravel::examples
