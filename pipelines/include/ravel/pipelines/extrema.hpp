#pragma once

/// Sinks that find the least and the greatest element: by a reduction of positions, or, of integers in
/// memory, of values.  Their results are deferred.

#include <ravel/pipelines/loads.hpp>
#include <ravel/pipelines/pass.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/results.hpp>
#include <ravel/pipelines/row.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/pipelines/searches.hpp>
#include <ravel/primitives/extrema/cpu.hpp>
#include <ravel/primitives/extrema/steps.hpp>

namespace ravel::inline v0 {
namespace piping {

using ravel::detail::greatest_wins;
using ravel::detail::least_wins;

/// Elements by position; those of memory of the host, as primitives know them.
template <class V>
V positioned(V const& elements) {
  return elements;
}
template <class T>
auto positioned(in_memory<T, host_space> const& elements) {
  return ravel::detail::placed_elements<T, host_space>{elements.data, elements.n};
}

struct store_row {
  row<index_t, index_t>* to;
  RAVEL_HD void operator()(index_t first, index_t second) const { *to = make_row(first, second); }
};

template <class Before, class T>
constexpr void expect_order() {
  static_assert(std::is_invocable_r_v<bool, Before const&, T const&, T const&>,
                "min_element, max_element or minmax_element: the order cannot be called with two "
                "elements, or returns no bool");
}

template <class Called, class Wins>
struct best_sink : is_sink {
  static constexpr char const* name = Called::name;
  Wins wins;
  explicit best_sink(Wins wins) : wins(std::move(wins)) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    RAVEL_EXPECT_RUNS_ON(decltype(wins.before), Ex, "min_element or max_element: the order");
    expect_order<decltype(wins.before), element_of_node<Node>>();
    deferred<Ex, index_t> result(ex);
    open_elements(ex, node, name, [&](auto const& elements) {
      run_call(ravel::detail::own(ex),
               ravel::detail::extremum_of(positioned(elements), wins, result.data()));
    });
    return result;
  }
};
struct as_min_element {
  static constexpr char const* name = "min_element";
};
struct as_max_element {
  static constexpr char const* name = "max_element";
};

template <class Before>
struct minmax_sink : is_sink {
  static constexpr char const* name = "minmax_element";
  Before before;
  explicit minmax_sink(Before before) : before(std::move(before)) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    RAVEL_EXPECT_RUNS_ON(Before, Ex, "minmax_element: the order");
    expect_order<Before, element_of_node<Node>>();
    deferred<Ex, row<index_t, index_t>> result(ex);
    open_elements(ex, node, name, [&](auto const& elements) {
      run_call(ravel::detail::own(ex),
               ravel::detail::extrema_of(positioned(elements), before, store_row{result.data()}));
    });
    return result;
  }
};

}  // namespace piping

/// The position of the least element, the first if several are; 0 of no elements.
///
///     3 1 2 4 1 5 | min_element()                         1
///     3 1 2 4 1 5 | min_element(greater{})                5
///
/// Returns  deferred.
/// Cost     Reads each element once.  Integers in memory of the host are read in vectors, once, and
///          once more up to the position; elements that are not trivially copyable, twice.
template <class Before = less>
auto min_element(Before before = {}) {
  using wins = piping::least_wins<Before>;
  return piping::best_sink<piping::as_min_element, wins>({before});
}
/// The position of the greatest element, the first if several are; 0 of no elements.
///
///     3 5 2 4 1 5 | max_element()                         1
template <class Before = less>
auto max_element(Before before = {}) {
  using wins = piping::greatest_wins<Before>;
  return piping::best_sink<piping::as_max_element, wins>({before});
}
/// A row of the positions of the first of the least elements and of the last of the greatest, as
/// std::minmax_element has them.
///
///     5 1 2 5 1 3 | minmax_element()                      (1 3)
template <class Before = less>
auto minmax_element(Before before = {}) {
  return piping::minmax_sink<Before>(before);
}

}  // namespace ravel::inline v0
