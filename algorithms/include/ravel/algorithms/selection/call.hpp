#pragma once

/// The descriptions of selections: by keys, by an order, and in segments.

#include <ravel/core/segments.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0 {

struct selection_family;
struct order_selection_family;
struct segmented_selection_family;

/// Rows [first, first + count) of the stably sorted rows of `in`, to `out`.
template <class K, class V>
struct selection_call {
  using family = selection_family;
  using key_type = K;
  index_t n;
  rows<K const, V const> in;
  rows<K, V> out;
  index_t first, count;
  bool descending;
};

/// Elements [first, first + out.size()) of `in`, sorted stably by `before`.
template <class T, class Space, class Before>
struct order_selection_call {
  using family = order_selection_family;
  view<T const, Space> in;
  index_t first;
  view<T, Space> out;
  Before before;
};

/// Elements [first, first + each) of each segment once sorted, and `absent` beyond its end.
template <class T, class Space, class S, class U>
struct segmented_selection_call {
  using family = segmented_selection_family;
  using value_type = T;
  view<T const, Space> in;
  S segments;
  index_t first, each;
  U absent;
  U* out;
  bool descending;
};

namespace detail {

/// Whether the option of a selection is an order.
template <class Before, class T>
concept order_of_selection = std::predicate<Before const&, T const&, T const&>;

template <class Space, class In, class Out, class Before>
auto describe_selection_by_order(In const& in, index_t first, Out&& out, Before before) {
  using T = element_t<Out>;
  return order_selection_call<T, Space, Before>{
      {view_of(in).data(), size_of(in)}, first, {view_of(out).data(), size_of(out)}, before};
}

}  // namespace detail

/// The call of top_k with the same arguments, by keys.
template <class In, class Out, class... Options>
auto describe_top_k(In const& in, Out&& out, Options...) {
  return selection_call<element_t<Out>, no_value>{
      size_of(in),  {view_of(in).data(), nullptr}, {view_of(out).data(), nullptr}, 0,
      size_of(out), sizeof...(Options) > 0};
}

/// The call of nth_element with the same arguments, by keys.
template <class In, class Out, class... Options>
auto describe_nth_element(In const& in, index_t nth, Out&& out, Options... options) {
  auto call = describe_top_k(in, out, options...);
  call.first = nth;
  return call;
}

}  // namespace ravel::inline v0
