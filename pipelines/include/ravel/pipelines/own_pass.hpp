#pragma once

/// Stages that are a pass of their own, over all elements: sort, partial_sort, top_k, merge_with and expand,
/// and the sink nth_element.
///
/// They are issued for the number of elements, which the host does not know after a
/// filter on a device: there put sized_sync() first, which waits.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/partial_sort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/member.hpp>
#include <ravel/pipelines/own_pass_stage.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/results.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/pipelines/sources.hpp>
#include <ravel/pipelines/stages.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>

#include <tuple>

namespace ravel::inline v0 {
namespace piping {

/// An order of elements in the memory of a pass.
template <class T, class Room, class Before>
auto order_in(Before const& before) {
  if constexpr (std::same_as<T, Room>) {
    return before;
  } else {
    return [before](Room const& x, Room const& y) { return static_cast<bool>(before(*x, *y)); };
  }
}

/// Whether a sort with these options sorts by digits: of the elements, or of their keys.
template <class T, class... Options>
inline constexpr bool sorts_by_digits = true;
template <class T>
inline constexpr bool sorts_by_digits<T> = radix_sortable<T>;
template <class T, class... Key>
requires(std::invocable<Key const&, T const&>&&...) inline constexpr bool sorts_by_digits<
    T, sort_keys<Key...>> = (radix_sortable<ravel::detail::sort_key_t<Key, T>> && ...);

/// The order of a sort with these options; void where it has others than keys.
template <class... Options>
struct order_of_options : std::type_identity<void> {};
template <>
struct order_of_options<> : std::type_identity<less> {};
template <class... Key>
struct order_of_options<sort_keys<Key...>> : std::type_identity<sort_keys<Key...>> {};

template <class... Options>
struct sort_op : op_of_each {
  static constexpr char const* name = "sort";
  static constexpr bool of_segments_too = true;
  using order = typename order_of_options<Options...>::type;
  static constexpr bool works_in_place = !std::is_void_v<order>;
  std::tuple<Options...> options;

  template <class Ex>
  static auto expect_runs_on() {
    RAVEL_EXPECT_RUNS_ON(std::tuple<Options...>, Ex, "sort: by(...)");
  }
  template <class Ex, class In, class Out, class Count>
  void run(Ex const& ex, In const& in, Out const& out, Count const&) const {
    if constexpr (!sorts_by_digits<element_t<In>, Options...>) {
      comparison_sort(ex, in, out, std::make_from_tuple<order>(options));
    } else {
      ravel::detail::call_with([&](auto... option) { radix_sort(ex, in, out, option...); },
                               options);
    }
  }
  template <class T, class Ex, class Data>
  void run_in_place(Ex const& ex, Data const& data) const {
    comparison_sort(ex, data, order_in<T, element_t<Data>>(std::make_from_tuple<order>(options)));
  }
};

/// A sort by an order.
template <class Before>
struct sort_by_order_op : op_of_each {
  static constexpr char const* name = "sort";
  static constexpr bool of_segments_too = true;
  Before before;

  template <class Ex>
  static auto expect_runs_on() {
    RAVEL_EXPECT_RUNS_ON(Before, Ex, "sort: the order");
  }
  void run(auto const& ex, auto const& in, auto const& out, auto const&) const {
    comparison_sort(ex, in, out, before);
  }
  static constexpr bool works_in_place = true;
  template <class T, class Ex, class Data>
  void run_in_place(Ex const& ex, Data const& data) const {
    comparison_sort(ex, data, order_in<T, element_t<Data>>(before));
  }
};

/// A sort of the first ones by an order.
template <class Before>
struct partial_sort_op : op_of_each {
  static constexpr char const* name = "partial_sort";
  index_t k;
  Before before;

  template <class Ex>
  static auto expect_runs_on() {
    RAVEL_EXPECT_RUNS_ON(Before, Ex, "partial_sort: the order");
  }
  template <class Ex, class In, class Out, class Count>
  void run(Ex const& ex, In const& in, Out const& out, Count const&) const {
    using T = element_t<Out>;
    expects(k >= 0, "the number of elements is ", k);
    map_on(ex, in.size(), contiguous<element_t<In>>{in.data()},
           ravel::detail::store<T>{out.data()});
    ravel::partial_sort(ex, out, std::min(k, in.size()), before);
  }
  static constexpr bool works_in_place = true;
  template <class T, class Ex, class Data>
  void run_in_place(Ex const& ex, Data const& data) const {
    expects(k >= 0, "the number of elements is ", k);
    ravel::partial_sort(ex, data, std::min(k, data.size()), order_in<T, element_t<Data>>(before));
  }
};

template <class Option>
concept option_of_a_sort = requires {
  typename Option::kind;
};

/// Whether selection by digits serves: by no order or an option, of elements with keys.
template <class T, class... Order>
inline constexpr bool selects_by_digits = radix_sortable<T> && (option_of_a_sort<Order> && ...);

/// The order of a selection by an order, or by none.
template <class... Order>
using selecting_order = std::tuple_element_t<0, std::tuple<Order..., less>>;

/// The elements from `first` on of the sorted sequence, at most `count`: selected by digits, or by
/// any order.
template <class Called, class... Order>
struct selection_op : op_of_each {
  static constexpr char const* name = Called::name;
  index_t first, count;
  std::tuple<Order...> order;

  template <class Ex>
  static auto expect_runs_on() {
    RAVEL_EXPECT_RUNS_ON(std::tuple<Order...>, Ex, "top_k or nth_element: the order");
  }
  index_t length(index_t n) const {
    expects(count >= 0, "the number of elements is ", count);
    return std::clamp(n - first, index_t{0}, count);
  }
  /// Of elements that are sorted where they are: a partial sort, and the first ones.
  template <class Ex, class Node>
  requires(Called::selects_first&& takes_elements<
           Ex, Node,
           partial_sort_op<selecting_order<Order...>>>) auto sorted_in_place(Node const& node,
                                                                             spot where) const {
    using op = partial_sort_op<selecting_order<Order...>>;
    auto const before = std::get<0>(std::tuple_cat(order, std::tuple(less{})));
    return take(count).template attached<Ex>(
        own_pass_stage<op>(op{{}, count, before}).template attached<Ex>(node, where), where);
  }
  template <class Ex, class In, class Out, class Count>
  void run(Ex const& ex, In const& in, Out const& out, Count const&) const {
    ravel::detail::call_with(
        [&](auto... before) {
          if constexpr (selects_by_digits<element_t<In>, Order...> || sizeof...(before) > 0) {
            Called::select(ex, in, first, out, before...);
          } else {
            Called::select(ex, in, first, out, less{});
          }
        },
        order);
  }
};
struct as_top_k {
  static constexpr char const* name = "top_k";
  static constexpr bool selects_first = true;
  static void select(auto const& ex, auto const& in, index_t, auto const& out, auto... options) {
    ravel::top_k(ex, in, out, options...);
  }
};
struct as_nth_element {
  static constexpr char const* name = "nth_element";
  static constexpr bool selects_first = false;
  static void select(auto const& ex, auto const& in, index_t nth, auto const& out,
                     auto... options) {
    expects(0 <= nth && nth < in.size(), "nth is ", nth, ", and there are ", in.size(),
            " elements");
    ravel::nth_element(ex, in, nth, out, options...);
  }
};

template <class... Order>
struct nth_element_sink : is_sink {
  static constexpr char const* name = "nth_element";
  using op = selection_op<as_nth_element, Order...>;
  op of;
  explicit nth_element_sink(op selection) : of(std::move(selection)) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot where) const {
    using T = element_of_node<Node>;
    if constexpr (are_plain<T>) {
      auto const one = own_pass_stage<op>(of).template attached<Ex>(node, where);
      deferred<Ex, T> result(ex);
      one.run_to(ex, to_memory<T>{result.data()}, no_count{});
      return result;
    } else {
      static_assert(are_plain<T>,
                    "nth_element: the elements cannot be copied, or have no default constructor: "
                    "partial_sort(nth + 1, before) | drop(nth) takes them");
      return deferred<Ex, index_t>(ex);
    }
  }
};

template <class Source, class Before>
struct merge_op : op_of_each {
  static constexpr char const* name = "merge_with";
  Source other;
  Before before;

  template <class Ex>
  static auto expect_runs_on() {
    RAVEL_EXPECT_RUNS_ON(Before, Ex, "merge_with: before");
  }
  index_t length(index_t n) const { return length_of_both(n, other.most()); }
  void run(auto const& ex, auto const& in, auto const& out, auto const&) const {
    other.open(ex, [&](auto const& v) {
      ravel::merge(ex, in, sequence_at(ex, v.data, v.n), out, before);
    });
  }
};

template <class F, class S>
struct expand_op {
  static constexpr char const* name = "expand";
  static constexpr bool counted = false;
  template <class T>
  using made = std::remove_cvref_t<std::invoke_result_t<F const&, T const&, index_t>>;
  F f;
  S segments;
  index_t elements;

  template <class Ex>
  static auto expect_runs_on() {
    RAVEL_EXPECT_RUNS_ON(F, Ex, "expand: f");
  }
  index_t length(index_t) const { return elements; }
  void run(auto const& ex, auto const& in, auto const& out, auto const&) const {
    ravel::expand(ex, f, in, segments, out);
  }
};

}  // namespace piping

/// Sorts the elements, stably: by radix_sort, with its options; or by comparison_sort, with an order
/// or of elements without keys, such as strings.
///
///     3 1 2 4 1 5 | sort()                  1 1 2 3 4 5
///     3 1 2 4 1 5 | sort(descending)        5 4 3 2 1 1
///     3 1 2 4 1 5 | sort(even_first{})      2 4 3 1 1 5
///     people | sort(by(&person::name))                      of any keys
///     people | sort(std::greater{}, &person::name)          an order of them
template <class... Options>
requires(!(executor<Options> || ...) && !(sequence<Options> || ...)) auto sort(Options... options) {
  constexpr bool of_order = sizeof...(Options) > 0 && !(piping::option_of_a_sort<Options> || ...);
  if constexpr (sizeof...(Options) == 1 && of_order) {
    return piping::own_pass_stage(piping::sort_by_order_op<Options...>{{}, options...});
  } else if constexpr (sizeof...(Options) == 2 && of_order) {
    return sort(order_by(options...));
  } else {
    return piping::own_pass_stage(piping::sort_op<Options...>{{}, {options...}});
  }
}

/// The k least elements first, in order, and then the others, in unspecified order: all of them in order
/// if there are fewer.
///
///     3 1 2 4 1 5 | partial_sort(3)                1 1 2 . . .
///     3 1 2 4 1 5 | partial_sort(3, even_first{})  2 4 3 . . .
///
/// Cost     That of partial_sort in memory, and a copy.
/// Errors   contract_error if k is negative.
template <class Before = less>
auto partial_sort(index_t k, Before before = {}) {
  return piping::own_pass_stage(piping::partial_sort_op<Before>{{}, k, before});
}

/// The k least elements, in order, or all if there are fewer: by value, `descending`, or by an order.
///
///     3 1 2 4 1 5 | top_k(3)                1 1 2
///     3 1 2 4 1 5 | top_k(3, descending)    5 4 3
///     3 1 2 4 1 5 | top_k(3, even_first{})  2 4 3
///
/// Cost     That of top_k in memory.
/// Errors   contract_error if k is negative.
template <class... Order>
requires(sizeof...(Order) <= 1) auto top_k(index_t k, Order... order) {
  using op = piping::selection_op<piping::as_top_k, Order...>;
  return piping::own_pass_stage(op{{}, 0, k, {order...}});
}

/// The element that is at `nth` in sorted order: by value, `descending`, or by an order.
///
///     3 1 2 4 1 5 | nth_element(2)                  2
///     3 1 2 4 1 5 | nth_element(1, even_first{})    4
///
/// Returns  deferred.
/// Cost     That of nth_element in memory.
/// Errors   contract_error if nth is not in [0, number of elements).
template <class... Order>
requires(sizeof...(Order) <= 1) auto nth_element(index_t nth, Order... order) {
  using op = piping::selection_op<piping::as_nth_element, Order...>;
  return piping::nth_element_sink<Order...>(op{{}, nth, 1, {order...}});
}

/// Merges the elements, which are sorted, with a sorted sequence; equal ones of the pipeline come
/// first.
///
///     1 3 5 | merge_with(2 3)               1 2 3 3 5
template <class B, class Before = less>
auto merge_with(B&& other, Before before = {}) {
  auto const source = piping::as_source(std::forward<B>(other), "merge_with");
  static_assert(piping::is_in_memory<typename decltype(source)::view>::value,
                "merge_with: the other is not a sequence in memory");
  return piping::own_pass_stage(
      piping::merge_op<std::remove_const_t<decltype(source)>, Before>{{}, source, before});
}

/// Replaces each element by a segment: f(x, r) for each r below the length of its segment.
///
///     3 8 5 | expand(f, by_lengths(2 0 3), 5)          30 31 50 51 52      f(x, r) = 10 x + r
///
/// `elements` is the total length of all segments.  On a device offsets and lengths are not
/// verified to give that, unless with
///
///     values | expand(f, by_lengths(lengths), n, checked)
///
/// Errors   contract_error when it is run, before anything is written, if the numbers of segments
///          and of elements differ; and, on the host or with `checked`, if the total length is not
///          `elements`.
template <class F, class S>
auto expand(F f, S segments, index_t elements) {
  using op = piping::expand_op<function_t<F>, S>;
  return piping::own_pass_stage(op{as_function(f), segments, elements});
}
template <class F, class S>
auto expand(F f, S segments, index_t elements, checked_t) {
  using op = piping::expand_op<function_t<F>, S>;
  return piping::own_pass_stage(piping::with_checked<op>{{as_function(f), segments, elements}});
}

}  // namespace ravel::inline v0
