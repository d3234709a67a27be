#pragma once

/// The description of a comparison sort.

#include <ravel/algorithms/radix_sort/call.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/std_functional.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0 {

struct comparison_sort_family;

/// Rows of `in`, sorted stably to `out`, which may be the same, by a strict weak order of keys.
template <class K, class V, class Before>
struct comparison_sort_call {
  using family = comparison_sort_family;
  using key_type = K;
  using value_type = V;
  index_t n;
  rows<K const, V const> in;
  rows<K, V> out;
  Before before;
};

namespace detail {

template <class T, class... U>
inline constexpr bool is_one_of = (std::same_as<T, U> || ...);

/// Whether the order is ascending by value, for which a radix sort serves.
template <class Before, class K>
inline constexpr bool orders_upward = is_one_of<Before, less, std::less<>, std::less<K>>;
template <class Before, class K>
inline constexpr bool orders_downward = is_one_of<Before, std::greater<>, std::greater<K>>;
template <class Before, class K>
inline constexpr bool by_digits = std::is_arithmetic_v<K>&& radix_sortable<K> &&
                                  (orders_upward<Before, K> || orders_downward<Before, K>);

}  // namespace detail

/// The call of comparison_sort(ex, in, out, before).
template <class In, class Out, class Before = less>
auto describe_comparison_sort(In const& in, Out&& out, Before before = {}) {
  return comparison_sort_call<element_t<Out>, no_value, Before>{
      size_of(in), {view_of(in).data(), nullptr}, {view_of(out).data(), nullptr}, before};
}

}  // namespace ravel::inline v0
