#pragma once

/// The description of a segmented comparison sort.

#include <ravel/algorithms/comparison_sort/call.hpp>

namespace ravel::inline v0 {

struct segmented_comparison_sort_family;

/// The rows of a comparison_sort_call, sorted within each segment.
template <class Sort, class S>
struct segmented_comparison_sort_call {
  using family = segmented_comparison_sort_family;
  Sort sort;
  S segments;  ///< which an executor can read: no lengths
};

/// The call of segmented_comparison_sort(ex, in, segments, out, before).
template <class In, class S, class Out, class Before = less>
auto describe_segmented_comparison_sort(In const& in, S segments, Out&& out, Before before = {}) {
  auto const sort = describe_comparison_sort(in, out, before);
  return segmented_comparison_sort_call<std::remove_const_t<decltype(sort)>, S>{sort, segments};
}

}  // namespace ravel::inline v0
