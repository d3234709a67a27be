#pragma once

/// Sorted search on any executor: a binary search for each needle, independent of the others.

#include <ravel/core/table.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/search/call.hpp>

namespace ravel::inline v0 {

struct search_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: a binary search for each needle.";
  template <class Ex, class Search>
  static void run(Ex const& ex, search_call<Search> const& c) {
    for_each_index(ex, c.needles, c.search);
  }
};

/// The family of calls of sorted searches.
struct search_family : call_family_with_devices<search_by_steps> {};

}  // namespace ravel::inline v0
