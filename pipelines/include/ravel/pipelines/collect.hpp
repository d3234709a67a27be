#pragma once

/// The results of a pipeline in memory of its executor.

#include <ravel/pipelines/growing.hpp>
#include <ravel/pipelines/node.hpp>
#include <ravel/pipelines/results.hpp>
#include <ravel/pipelines/run.hpp>
#include <ravel/pipelines/targets.hpp>

#include <tuple>

namespace ravel::inline v0::piping {

/// The results of a pass, in memory for their upper bound.  A scan that may run in windows is one
/// window, so that a program has one loop for short and long inputs.
template <class Ex, class P>
auto collect_all(Ex const& ex, P const& p) {
  using T = typename value_of_pass<P>::type;
  collected<Ex, T> result(ex, p.most());
  if constexpr (P::scans && runs_in_windows<Ex, P>) {
    *result.count().data() = windows<Ex, P>(ex, p).run(p.most(), to_memory<T>{result.data()});
  } else {
    write(ex, p, to_memory<T>{result.data()}, p.most(), store_count{result.count().data()});
  }
  return result;
}

/// The results of a node that drops elements, in memory for their upper bound, or, for long inputs
/// on the host, in memory that grows.
template <class Ex, class Node>
auto collect(Ex const& ex, Node const& node) {
  using T = element_of_node<Node>;
  using P = pass_of_t<Node>;
  if constexpr (requires { node.results_sync(ex); }) {
    if (is_long<Ex, T>(node.most())) {
      auto [elements, n] = node.results_sync(ex);
      return collected<Ex, T>(ex, std::move(elements), n);
    }
  }
  if constexpr (Node::is_pass || !P::counted) {
    return open_pass(node, ex, [&](auto const& p) {
      if constexpr (runs_in_windows<Ex, P>) {
        if (is_long<Ex, T>(p.most())) {
          growing<Ex, to_memory<T>> room(ex);
          index_t const n = write_growing(ex, p, room);
          return collected<Ex, T>(ex, std::get<0>(std::move(room).take()), n);
        }
      }
      return collect_all(ex, p);
    });
  } else {
    collected<Ex, T> result(ex, node.most());
    store_count const count{result.count().data()};
    run_to(ex, node, to_memory<T>{result.data()}, node.most(), count);
    return result;
  }
}

/// The results of a node: a buffer, or, if their number depends on the data, `collected`.
template <class Ex, class Node>
auto results_of(Ex const& ex, Node const& node) {
  if constexpr (Node::sized) {
    using T = element_of_node<Node>;
    auto result = ex.template allocate<T>(node.most());
    run_to(ex, node, to_memory<T>{result.data()}, node.most(), no_count{});
    return result;
  } else {
    return collect(ex, node);
  }
}

}  // namespace ravel::inline v0::piping
