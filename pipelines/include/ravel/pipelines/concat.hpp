#pragma once

/// Concat: concatenated sources, as a source, and as a stage after other elements.

#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/sources.hpp>

namespace ravel::inline v0 {
namespace piping {

/// Two concatenated nodes, of which either may have to run before it is read.
template <class A, class B>
struct concatenated_nodes {
  static_assert(
      requires { typename std::common_type<element_of_node<A>, element_of_node<B>>::type; },
      "concat: the elements of the sources have no type in common");
  using view = concatenated_views<typename A::view, typename B::view>;
  static constexpr bool is_pass = false;
  static constexpr bool sized = A::sized && B::sized;
  A a;
  B b;

  auto open(auto const& ex, auto const& k) const {
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
  auto const tail = row_up(rest...);
  length_of_both(a.most(), tail.most());
  return concatenated_nodes<A, std::remove_const_t<decltype(tail)>>{a, tail};
}

/// The node of a source to be concatenated.
template <class S>
auto concatenated_source(S&& s) {
  return as_source(std::forward<S>(s), "concat");
}

/// Concatenated sources: a source, and a stage that appends them.
template <class Row>
struct concatenated : is_stage {
  static constexpr char const* name = "concat";
  Row of;
  explicit concatenated(Row parts) : of(std::move(parts)) {}

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

/// Concatenates sources.
///
///     on(ex, concat(3 1, 2, iota(2)))                 3 1 2 0 1
///     on(ex, 3 1) | map(square{}) | concat(2)         9 1 2
///
/// A source may be a pipeline, and its number of elements may depend on the data.  The next
/// stage reads each source in place; a pipeline with a pass is run first.
/// Elements have the common type of all sources.
///
/// Errors   contract_error if they have more than 2^63 - 1 elements in total.
template <class... S>
requires(sizeof...(S) > 0) auto concat(S&&... s) {
  auto row = piping::row_up(piping::concatenated_source(std::forward<S>(s))...);
  return piping::concatenated<decltype(row)>(std::move(row));
}

}  // namespace ravel::inline v0
