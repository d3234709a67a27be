#pragma once

/// A sparse matrix beside its columns cut into blocks, and executors that do not cut them.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::detail {

/// The blocks on an executor that does not cut columns: empty.
struct columns_as_they_are {
  template <class T>
  static constexpr bool adds = false;  ///< whether they multiply, and add values of T
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

template <class A, class T>
inline constexpr bool blocks_add = false;
template <class A, class Blocks, class T>
inline constexpr bool blocks_add<blocked_matrix<A, Blocks>, T> = Blocks::template adds<T>;

}  // namespace ravel::inline v0::detail
