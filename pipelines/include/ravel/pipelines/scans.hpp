#pragma once

/// Scans, as stages.

#include <ravel/core/function_ref.hpp>
#include <ravel/pipelines/own_pass_stage.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan.hpp>

#include <tuple>

namespace ravel::inline v0 {
namespace piping {

namespace option = ravel::detail::option;
using ravel::detail::are_options, ravel::detail::has, ravel::detail::option_or,
    ravel::detail::takes;

/// A scan of higher order, or of tuples: the primitive, over all elements, in memory.
template <bool Inclusive, class M, class... Options>
struct shaped_scan_op : op_of_each {
  static constexpr char const* name =
      Inclusive ? "inclusive_scan of order or tuples" : "exclusive_scan of order or tuples";
  template <class T>
  using made = typename value_of_maybe<carrier_t<decltype(monoid_on<T>(std::declval<M>()))>>::type;
  M m;
  std::tuple<Options...> options;

  void run(auto const& ex, auto const& in, auto const& out, auto const&) const {
    ravel::detail::call_with(
        [&](auto... option) {
          if constexpr (Inclusive) {
            ravel::inclusive_scan(ex, in, out, m, option...);
          } else {
            ravel::exclusive_scan(ex, in, out, m, option...);
          }
        },
        options);
  }
};

template <bool Inclusive, class M, class... Options>
struct scan_stage : is_stage {
  static constexpr char const* name = Inclusive ? "inclusive_scan" : "exclusive_scan";
  static constexpr bool leaves_segments = true;
  static constexpr bool backward = has<option::backward, Options...>;
  static constexpr bool shaped = has<option::order, Options...> || has<option::tuples, Options...>;
  M m;
  std::tuple<Options...> options;
  explicit scan_stage(M m, Options... options) : m(m), options(options...) {}

  template <class Ex, class Node>
  auto attached(Node const& node, spot where) const {
    auto const monoid = monoid_on<element_of_node<Node>>(m);
    RAVEL_EXPECT_RUNS_ON(M, Ex, "a scan: m");
    static_assert(some_monoid<decltype(monoid)>,
                  "a scan of a pipeline: m is not a monoid on the elements: it needs m(x, y) and "
                  "m.identity()");
    if constexpr (shaped) {
      using op = shaped_scan_op<Inclusive, M, Options...>;
      return own_pass_stage(op{{}, m, options}).template attached<Ex>(node, where);
    } else {
      return fused<Ex>(node, monoid);
    }
  }

 private:
  template <class Ex, class Node, class Monoid>
  auto fused(Node const& node, Monoid const& monoid) const {
    auto const initial = ravel::detail::call_with(
        [](auto const&... o) { return option_or<option::from>(from_identity{}, o...); }, options);
    using Scan = scan_of<Inclusive, backward, Monoid, std::remove_const_t<decltype(initial)>>;
    return scan<Ex>(node, Scan{monoid, initial});
  }
};

template <class M>
concept monoid_to_be = some_monoid<decltype(monoid_on<int>(std::declval<M>()))>;

template <class... O>
concept options_of_a_scan =
    are_options<takes<option::from, option::backward, option::order, option::tuples>, O...>;

/// A scan or a reduction of a pipeline is given a function without an identity instead of a monoid.
template <class M, class... Options>
concept of_no_monoid = !monoid_to_be<M> && options_of_a_scan<Options...>;

}  // namespace piping

/// The error sentence for a function without an identity.
#define RAVEL_NOT_A_MONOID(what)                                                                   \
  what                                                                                             \
      " of a pipeline: m is not a monoid, which has m(x, y) and m.identity(): plus{} is one, and " \
      "monoid{f, identity} makes one of a function"

/// Combines all elements up to and including each element.
///
///     3 1 2 4 1 5 | inclusive_scan(plus{})             3 4 6 10 11 16
///     3 1 2 4 1 5 | inclusive_scan(plus{}, backward)  16 13 12 10 6 5
///
///     3 1 2 4 1 5 | inclusive_scan(plus{}, of_tuples<2>)  3 1 5 5 6 10
///
/// The options are from(initial), backward, of_order<q> and of_tuples<s>, as for the
/// primitive; the last two make it a pass of its own.
template <piping::monoid_to_be M, class... Options>
requires piping::options_of_a_scan<Options...>
auto inclusive_scan(M m, Options... options) {
  return piping::scan_stage<true, M, Options...>(m, options...);
}

/// Refuses what is no monoid, in a sentence.
template <class M, class... Options>
requires piping::of_no_monoid<M, Options...>
auto inclusive_scan(M, Options... options) {
  static_assert(piping::monoid_to_be<M>, RAVEL_NOT_A_MONOID("inclusive_scan"));
  return inclusive_scan(plus{}, options...);
}

/// Combines all elements before each element.
///
///     3 1 2 4 1 5 | exclusive_scan(plus{})             0 3 4 6 10 11
template <piping::monoid_to_be M, class... Options>
requires piping::options_of_a_scan<Options...>
auto exclusive_scan(M m, Options... options) {
  return piping::scan_stage<false, M, Options...>(m, options...);
}
template <class M, class... Options>
requires piping::of_no_monoid<M, Options...>
auto exclusive_scan(M, Options... options) {
  static_assert(piping::monoid_to_be<M>, RAVEL_NOT_A_MONOID("exclusive_scan"));
  return exclusive_scan(plus{}, options...);
}

}  // namespace ravel::inline v0
