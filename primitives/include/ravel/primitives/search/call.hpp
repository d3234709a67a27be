#pragma once

/// The description of a sorted search: lower_bound and upper_bound.

#include <ravel/core/search.hpp>

namespace ravel::inline v0 {

struct search_family;

/// search.found(i, search.place(i)) for each needle i of [0, needles), in any order.
template <class Search>
struct search_call {
  using family = search_family;
  index_t needles;
  Search search;
};

namespace detail {

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
  using element = T;
  using needle = U;
  RAVEL_HD Is<T, U, Before> is(index_t i) const { return {haystack, needles[i], before}; }
  RAVEL_HD Is<T, U, Before> is_in(T const* sorted, U const& needle) const {
    return {sorted, needle, before};
  }
  RAVEL_HD index_t place(index_t i) const { return partition_point(0, n, is(i)); }
  RAVEL_HD void found(index_t i, index_t place) const { out[i] = static_cast<Out>(place); }
  RAVEL_HD void operator()(index_t i) const { found(i, place(i)); }
};

template <template <class, class, class> class Is, class Needles, class Haystack, class Out,
          class Before>
auto describe_search(Needles const& needles, Haystack const& haystack, Out&& out, Before before) {
  using Search =
      search_one<Is, element_t<Out>, element_t<Haystack const&>, element_t<Needles const&>, Before>;
  return search_call<Search>{size_of(out),
                             {view_of(out).data(), view_of(haystack).data(), size_of(haystack),
                              view_of(needles).data(), before}};
}

}  // namespace detail

/// The call of lower_bound with the same arguments.
template <class Needles, class Haystack, class Out, class Before = less>
auto describe_lower_bound(Needles const& needles, Haystack const& haystack, Out&& out,
                          Before before = {}) {
  return detail::describe_search<detail::is_before>(needles, haystack, out, before);
}

/// The call of upper_bound with the same arguments.
template <class Needles, class Haystack, class Out, class Before = less>
auto describe_upper_bound(Needles const& needles, Haystack const& haystack, Out&& out,
                          Before before = {}) {
  return detail::describe_search<detail::is_not_after>(needles, haystack, out, before);
}

}  // namespace ravel::inline v0
