#pragma once

/// @file
/// The description of a partial sort.

#include <ravel/algorithms/comparison_sort/call.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

struct partial_sort_family;

/// The k least elements of `data` by `before` to its front, in order; the others after them.
template <class T, class Space, class Before>
struct partial_sort_call {
  using family = partial_sort_family;
  using value_type = T;
  view<T, Space> data;
  index_t k;
  Before before;
};

namespace detail {

/// The order of numbers by their digits, in which NaNs have a place.
template <bool Down>
struct before_by_digits {
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    auto const a = radix_key<T>::bits(x), b = radix_key<T>::bits(y);
    return Down ? b < a : a < b;
  }
};

}  // namespace detail

/// The call of partial_sort with the same arguments.
template <class Data, class Before = less>
auto describe_partial_sort(Data&& data, index_t k, Before before = {}) {
  using T = element_t<Data>;
  using Space = space_of_t<Data>;
  if constexpr (detail::by_digits<Before, T>) {
    using order = detail::before_by_digits<detail::orders_downward<Before, T>>;
    return partial_sort_call<T, Space, order>{view_of(data), k, {}};
  } else {
    return partial_sort_call<T, Space, Before>{view_of(data), k, before};
  }
}

}  // namespace ravel::inline v0
