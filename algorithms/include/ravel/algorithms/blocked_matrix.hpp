#pragma once

/// @file
/// A sparse matrix beside its columns cut into blocks, and executors that do not cut them.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::detail {

/// The blocks on an executor that does not cut columns: empty.
struct columns_as_they_are {
  static constexpr bool are_cut() { return false; }
  static constexpr index_t bytes() { return 0; }
};
template <class Ex, class A, class X>
columns_as_they_are cut_columns(Ex const&, A const&, std::type_identity<X>) {
  return {};
}

/// A matrix, not owned, with its blocks of columns.
template <class A, class Blocks>
struct blocked_matrix : A {
  Blocks const& blocks;
};

}  // namespace ravel::inline v0::detail
