#pragma once

/// The description of a segmented sort.

#include <ravel/algorithms/radix_sort/call.hpp>

namespace ravel::inline v0 {

struct segmented_sort_family;

/// The rows of a radix_sort_call, sorted within each segment.
template <class Sort, class S>
struct segmented_sort_call {
  using family = segmented_sort_family;
  Sort sort;
  S segments;  ///< which an executor can read: no lengths
};

/// The call of segmented_sort with the same arguments.
template <class In, class S, class Out, class... Options>
auto describe_segmented_sort(In const& in, S segments, Out&& out, Options... options) {
  auto const sort = describe_radix_sort(in, out, options...);
  return segmented_sort_call<std::remove_const_t<decltype(sort)>, S>{sort, segments};
}

/// The call of segmented_sort_pairs with the same arguments.
template <class Keys, class Values, class S, class KeysOut, class ValuesOut, class... Options>
auto describe_segmented_sort_pairs(Keys const& keys, Values const& values, S segments,
                                   KeysOut&& keys_out, ValuesOut&& values_out, Options... options) {
  auto const sort = describe_radix_sort_pairs(keys, values, keys_out, values_out, options...);
  return segmented_sort_call<std::remove_const_t<decltype(sort)>, S>{sort, segments};
}

}  // namespace ravel::inline v0
