#pragma once

/// The description of a sort of strings.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

struct string_sort_family;

/// order[k] is the k-th of n strings: of `length(s)` bytes `byte(s, i)`.  Options are none, or
/// `descending`.
template <class Strings, class Out, class... Options>
struct string_sort_call {
  using family = string_sort_family;
  static constexpr bool descends = sizeof...(Options) > 0;
  index_t n;
  Strings strings;
  Out* order;
};

}  // namespace ravel::inline v0
