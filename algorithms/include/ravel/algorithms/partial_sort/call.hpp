#pragma once

/// The description of a partial sort.

#include <ravel/algorithms/comparison_sort/call.hpp>

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

/// The call of partial_sort with the same arguments.
template <class Data, class Before = less>
auto describe_partial_sort(Data&& data, index_t k, Before before = {}) {
  return partial_sort_call<element_t<Data>, space_of_t<Data>, Before>{view_of(data), k, before};
}

}  // namespace ravel::inline v0
