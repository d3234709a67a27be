#pragma once

/// A sparse vector: only some elements are stored.

#include <ravel/core/transfer.hpp>

namespace ravel::inline v0 {

/// A vector of `size` elements, of which those at `indices` are stored and the others are zero:
///
///     . 5 . . 7      size     5
///                    indices  1 4
///                    values   5 7
///
/// It owns the elements if it holds buffers or vectors, and does not if it holds views or spans;
/// any contiguous sequences serve.
///
/// Shapes   indices[k] in [0, size), of any integer type; values[k].  Algorithms document whether
///          indices must ascend, or must be distinct.
template <class Indices, class Values>
struct sparse_vector {
  static_assert(sequence<Indices> && sequence<Values>,
                "sparse_vector: indices and values must be contiguous sequences");
  static_assert(std::integral<element_t<Indices const&>>,
                "sparse_vector: indices must be integers");

  index_t size = 0;
  Indices indices{};
  Values values{};

  /// The number of stored elements.
  index_t stored() const { return size_of(indices); }
};
template <class Indices, class Values>
sparse_vector(index_t, Indices, Values) -> sparse_vector<Indices, Values>;

/// The same vector as views, not owned.
template <class Indices, class Values>
auto view_of(sparse_vector<Indices, Values> const& x) {
  return sparse_vector{x.size, view_of(x.indices), view_of(x.values)};
}

/// Copies a vector on the host to the memory of `ex`.
template <executor Ex, class Indices, class Values>
auto to(Ex const& ex, sparse_vector<Indices, Values> const& x) {
  return sparse_vector{x.size, to(ex, x.indices), to(ex, x.values)};
}

/// Copies a vector in the memory of `ex` to the host.  Waits for it.
template <executor Ex, class Indices, class Values>
auto to_host(Ex const& ex, sparse_vector<Indices, Values> const& x) {
  return sparse_vector{x.size, to_host(ex, x.indices), to_host(ex, x.values)};
}

}  // namespace ravel::inline v0
