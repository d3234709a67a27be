#pragma once

/// @file
/// Sorted search on any executor: a binary search for each needle, independent of the others.

#include <ravel/core/search.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::detail {

template <class T, class U, class Before>
struct is_before {
  T const* haystack;
  U const& needle;
  Before before;
  RAVEL_HD bool operator()(index_t i) const { return before(haystack[i], needle); }
};
template <class T, class U, class Before>
struct is_not_after {
  T const* haystack;
  U const& needle;
  Before before;
  RAVEL_HD bool operator()(index_t i) const { return !before(needle, haystack[i]); }
};

template <template <class, class, class> class Is, class Out, class T, class U, class Before>
struct search_one {
  Out* out;
  T const* haystack;
  index_t n;
  U const* needles;
  Before before;
  RAVEL_HD Is<T, U, Before> is(index_t i) const { return {haystack, needles[i], before}; }
  RAVEL_HD Is<T, U, Before> is_in(T const* sorted, U const& needle) const {
    return {sorted, needle, before};
  }
  RAVEL_HD index_t place(index_t i) const { return partition_point(0, n, is(i)); }
  RAVEL_HD void found(index_t i, index_t place) const { out[i] = static_cast<Out>(place); }
  RAVEL_HD void operator()(index_t i) const { found(i, place(i)); }
};

/// Searches for each needle independently.  Executors may overload it.
template <class Ex, class Search>
void search_each_on(Ex const& ex, index_t needles, Search search) {
  for_each_index(ex, needles, search);
}

}  // namespace ravel::inline v0::detail
