#pragma once

/// Sinks that fold the elements of a pipeline: to a sum, to their number, to counts in bins, or to the
/// effects of a function.

#include <ravel/core/function_ref.hpp>
#include <ravel/pipelines/own_pass_stage.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/results.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/pipelines/scans.hpp>
#include <ravel/pipelines/stages.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/reduce.hpp>

namespace ravel::inline v0 {

namespace piping {

template <class M, class Initial>
struct reduce_sink : is_sink {
  static constexpr char const* name = "reduce";
  M m;
  Initial initial;
  reduce_sink(M m, Initial initial) : m(m), initial(initial) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    auto const monoid = monoid_on<element_of_node<Node>>(m);
    RAVEL_EXPECT_RUNS_ON(M, Ex, "reduce: m");
    static_assert(some_monoid<decltype(monoid)>,
                  "reduce of a pipeline: m is not a monoid on the elements: it needs m(x, y) and "
                  "m.identity()");
    using T = typename value_of_maybe<carrier_t<decltype(monoid)>>::type;
    deferred<Ex, T> result(ex);
    open_pass(stored_if<pass_of_t<Node>::scans, Ex>(node, name), ex, [&](auto const& p) {
      fold(ex, p, monoid, start_of(monoid, initial), result.data());
    });
    return result;
  }
};

struct count_sink : is_sink {
  static constexpr char const* name = "count";
  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    if constexpr (Node::sized) {
      return node.most();
    } else {
      deferred<Ex, index_t> result(ex);
      open_pass(node, ex, [&](auto const& p) { count(ex, p, store_count{result.data()}); });
      return result;
    }
  }
};

template <class F>
struct for_each_sink : is_sink {
  static constexpr char const* name = "for_each";
  F f;
  explicit for_each_sink(F f) : f(std::move(f)) {}
  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    RAVEL_EXPECT_RUNS_ON(F, Ex, "for_each: f");
    static_assert(
        callable_with<F, element_of_node<Node>>,
        "for_each: f cannot be called, as const, with an element, nor, of a row, with its "
        "values");
    open_pass(node, ex, [&](auto const& p) { for_each(ex, p, f); });
  }
};

/// The bin of element i; -1 if it was dropped.
template <class Load, class Bin, bool Some>
struct bin_of {
  Load load;
  Bin bin;
  RAVEL_HD index_t operator()(index_t i) const {
    if constexpr (Some) {
      auto const x = load(i);
      return x.is ? static_cast<index_t>(bin(x.value)) : -1;
    } else {
      return static_cast<index_t>(bin(load(i)));
    }
  }
};

template <class Bin>
struct histogram_sink : is_sink {
  static constexpr char const* name = "histogram";
  index_t bins;
  Bin bin;
  histogram_sink(index_t bins, Bin bin) : bins(bins), bin(bin) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot where) const {
    RAVEL_EXPECT_RUNS_ON(Bin, Ex, "histogram: bin");
    if constexpr (requires { typename Bin::space; }) {
      static_assert(std::same_as<typename Bin::space, space_of_t<Ex>>,
                    "histogram: the edges are not in the memory of the executor");
    }
    expects(bins >= 0, where, ": there are ", bins, " bins");
    if constexpr (requires { bin.expect_bins(bins); }) {
      at_stage(where, [&] { bin.expect_bins(bins); });
    }
    static_assert(std::is_invocable_v<Bin const&, element_of_node<Node> const&>,
                  "histogram: bin cannot be called with an element; without one the elements "
                  "must be integers");
    auto counts = ex.template allocate<std::int64_t>(bins);
    open_pass(stored_if<pass_of_t<Node>::scans, Ex>(node, name), ex, [&](auto const& p) {
      using P = std::remove_cvref_t<decltype(p)>;
      using Load = loader<decltype(p.view), decltype(p.before)>;
      histogram_on(ex, p.most(),
                   bin_of<Load, Bin, P::drops_before>{load_from(p.view, p.before), bin}, counts);
    });
    return counts;
  }
};

}  // namespace piping

/// Combines all elements; the result is deferred.  The option is from(initial).
///
///     auto const sum = on(ex, values) | map(square{}) | reduce(plus{});
///     sum.get()
///
/// Without a monoid it adds.
template <piping::monoid_to_be M = plus<>, class... Options>
requires piping::options_of_a_scan<Options...>
auto reduce(M m = {}, Options... options) {
  namespace option = piping::option;
  static_assert(piping::are_options<piping::takes<option::from>, Options...>,
                "reduce: the only option is from(...)");
  auto const initial = piping::option_or<option::from>(piping::from_identity{}, options...);
  return piping::reduce_sink<M, std::remove_const_t<decltype(initial)>>(m, initial);
}

/// Refuses what is no monoid, in a sentence.
template <class M, class... Options>
requires piping::of_no_monoid<M, Options...>
auto reduce(M, Options... options) {
  static_assert(piping::monoid_to_be<M>, RAVEL_NOT_A_MONOID("reduce"));
  return reduce(plus{}, options...);
}

/// The number of elements: a number, or deferred if it depends on the data.
inline auto count() { return piping::count_sink{}; }
/// The number of elements for which `keep` is true; deferred.
///
///     3 1 2 4 1 5 | count_if(is_odd{})       4
template <class Keep>
auto count_if(Keep keep) {
  return filter(std::move(keep)) | count();
}
/// The number of elements that equal `value`; deferred.
///
///     3 1 2 4 1 5 | count(1)                 2
template <class T>
auto count(T const& value) {  // a value of a nested program has a more constrained count
  return count_if(piping::equals<std::decay_t<T const&>>{value});
}

/// The number of elements in each of `bins` bins, as a buffer of 64-bit integers: the bin of an
/// element is its value, or bin(x).  Elements outside of all bins are not counted.
///
///     3 1 0 3 3 7 | histogram(4)        1 1 0 3
template <class Bin = by_value>
auto histogram(index_t bins, Bin bin = {}) {
  return piping::histogram_sink(bins, as_function(bin));
}

/// Calls f with each element, in any order.
template <class F>
auto for_each(F f) {
  return piping::for_each_sink(as_function(std::move(f)));
}

}  // namespace ravel::inline v0
