#pragma once

/// @file
/// Concat: sources one behind the other, as a source, and as a stage behind what comes.

#include <ravel/core/concepts.hpp>
#include <ravel/core/error.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/sources.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace piping {

/// One node behind another, of which some are run to be read.
template <class A, class B>
struct in_a_row {
  static_assert(
      requires { typename std::common_type<element_of_node<A>, element_of_node<B>>::type; },
      "concat: the elements of the sources have no type in common");
  using view = one_behind_other<typename A::view, typename B::view>;
  static constexpr bool is_pass = false;
  static constexpr bool sized = A::sized && B::sized;
  A a;
  B b;

  template <class Ex, class K>
  auto open(Ex const& ex, K const& k) const {
    return open_all(
        ex,
        [&](auto const& first, auto const& second) {
          return k(view{first, second});
        },
        a, b);
  }
  index_t most() const { return a.most() + b.most(); }
};

template <class A>
A row_up(A const& a) {
  return a;
}
template <class A, class... Rest>
auto row_up(A const& a, Rest const&... rest) {
  auto const others = row_up(rest...);
  length_of_both(a.most(), others.most());
  return in_a_row<A, std::remove_const_t<decltype(others)>>{a, others};
}

/// What is to stand in a row.
template <class S>
auto source_in_row(S&& s) {
  return as_source(std::forward<S>(s), "concat");
}

/// Sources one behind the other: a source, and a stage that sets them behind what comes.
template <class Row>
struct concatenated : is_stage {
  static constexpr char const* name = "concat";
  Row of;
  explicit concatenated(Row of) : of(std::move(of)) {}

  Row as_source() const { return of; }

  template <class Ex, class Node>
  auto attached(Node const& node, spot where) const {
    static_assert(
        readable<Row, Ex>(),
        "concat: a source is not in the memory of the executor: to(ex, ...) copies it there");
    return at_stage(where, [&] {
      if constexpr (Node::is_pass) {
        return row_up(stored<Ex, Node>{node, name}, of);
      } else {
        return row_up(node, of);
      }
    });
  }
};

}  // namespace piping

/// Sources one behind the other.
///
///     on(ex, concat(3 1, 2, iota(2)))                 3 1 2 0 1
///     on(ex, 3 1) | map(square{}) | concat(2)         9 1 2
///
/// A source may be a pipeline, and how many elements it has may depend on the data.  What
/// follows reads each where it is; of a pipeline that has a pass, that is where it ends.
/// Elements are of the type that those of all have in common.
///
/// Errors   contract_error if together they have more than 2^63 - 1 elements.
template <class... S>
requires(sizeof...(S) > 0) auto concat(S&&... s) {
  auto row = piping::row_up(piping::source_in_row(std::forward<S>(s))...);
  return piping::concatenated<decltype(row)>(std::move(row));
}

}  // namespace ravel::inline v0
