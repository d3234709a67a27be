#pragma once

/// Sinks that search: for an element, for two neighbours, for a difference of two sequences, and for one
/// in another.  Their results are deferred.

#include <ravel/core/member.hpp>
#include <ravel/core/search.hpp>
#include <ravel/pipelines/loads.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/results.hpp>
#include <ravel/pipelines/row.hpp>
#include <ravel/pipelines/run.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/pipelines/sources.hpp>
#include <ravel/pipelines/stages.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/searches/places.hpp>

namespace ravel::inline v0 {
namespace piping {

using ravel::detail::differ_at, ravel::detail::equal_end, ravel::detail::in_wrong_order,
    ravel::detail::lexicographical_end, ravel::detail::mismatch_end, ravel::detail::neither_before,
    ravel::detail::related_to_next, ravel::detail::store_place, ravel::detail::store_whether;

/// Calls k(view) for a node, whose results are materialised if their positions are not known.
template <class Ex, class Node, class K>
auto open_elements(Ex const& ex, Node const& node, char const* wanted_by, K const& k) {
  using P = pass_of_t<Node>;
  return open_pass(stored_if < P::scans || P::packs, Ex > (node, wanted_by), ex,
                   [&](auto const& p) { return k(p.view); });
}

/// Finds the first element that a pass without a scan keeps.
void find_kept(auto const& ex, auto const& p, auto found) {
  using Load = loader<decltype(p.view), decltype(p.before)>;
  find_first_on(ex, p.most(), is_some<Load>{load_from(p.view, p.before)}, found);
}

template <class Keep, class Node>
constexpr void expect_predicate() {
  static_assert(callable_with<Keep, element_of_node<Node>>,
                "a search: the predicate cannot be called, as const, with an element, nor, of a "
                "row, with its values");
  static_assert(gives_bool<Keep, element_of_node<Node>>,
                "a search: the predicate does not return a bool");
}

template <class Keep>
struct find_if_sink : is_sink {
  static constexpr char const* name = "find_if";
  Keep keep;
  explicit find_if_sink(Keep keep) : keep(std::move(keep)) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    using P = pass_of_t<Node>;
    RAVEL_EXPECT_RUNS_ON(Keep, Ex, "find_if: keep");
    expect_predicate<Keep, Node>();
    deferred<Ex, index_t> result(ex);
    auto const input = stored_if < P::scans || P::packs, Ex > (node, name);
    open_pass(sift<Ex>(input, keep), ex, [&](auto const& p) {
      using V = std::remove_cvref_t<decltype(p.view)>;
      find_kept(ex, p, store_place<V>{p.view, 0, result.data()});
    });
    return result;
  }
};

template <class Keep>
struct fails {
  Keep keep;
  template <class X>
  RAVEL_HD bool operator()(X const& x) const {
    return !static_cast<bool>(call(keep, x));
  }
};

/// Whether an element is found for which `keep` is true, or whether none is.
template <class Called, bool Found, class Keep>
struct whether_sink : is_sink {
  static constexpr char const* name = Called::name;
  Keep keep;
  explicit whether_sink(Keep keep) : keep(std::move(keep)) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    RAVEL_EXPECT_RUNS_ON(Keep, Ex, "any_of, all_of or none_of: the predicate");
    expect_predicate<Keep, Node>();
    deferred<Ex, bool> result(ex);
    auto const input = stored_if<pass_of_t<Node>::scans, Ex>(node, name);
    open_pass(sift<Ex>(input, keep), ex, [&](auto const& p) {
      find_kept(ex, p, store_whether<>{p.most(), Found, result.data()});
    });
    return result;
  }
};
template <class Keep>
inline constexpr bool of_the_host<fails<Keep>> = of_the_host<Keep>;

struct as_any_of {
  static constexpr char const* name = "any_of";
};
struct as_all_of {
  static constexpr char const* name = "all_of";
};
struct as_none_of {
  static constexpr char const* name = "none_of";
};

/// Searches for two neighbours that are related: where they are, or whether there are none.
template <class Called, class Related>
struct neighbours_sink : is_sink {
  static constexpr char const* name = Called::name;
  Related related;
  explicit neighbours_sink(Related related) : related(std::move(related)) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    using T = element_of_node<Node>;
    using Result = typename Called::result;
    RAVEL_EXPECT_RUNS_ON(Related, Ex, "adjacent_find, is_sorted or is_partitioned: the function");
    static_assert(std::is_invocable_r_v<bool, Related const&, T const&, T const&>,
                  "adjacent_find, is_sorted or is_partitioned: the function cannot be called with "
                  "elements, or returns no bool");
    deferred<Ex, Result> result(ex);
    open_elements(ex, node, name, [&](auto const& elements) {
      using E = std::remove_cvref_t<decltype(elements)>;
      index_t const n = std::max<index_t>(elements.most() - 1, 0);
      related_to_next<E, Related> const holds{elements, related};
      if constexpr (std::same_as<Result, bool>) {
        find_first_on(ex, n, holds, store_whether<>{n, false, result.data()});
      } else {
        find_first_on(ex, n, holds, store_place<E>{elements, 1, result.data()});
      }
    });
    return result;
  }
};
struct as_adjacent_find {
  static constexpr char const* name = "adjacent_find";
  using result = index_t;
};
struct as_is_sorted {
  static constexpr char const* name = "is_sorted";
  using result = bool;
};
struct as_is_partitioned {
  static constexpr char const* name = "is_partitioned";
  using result = bool;
};

/// Whether `keep` is true of the second and not of the first.
template <class Keep>
struct begins_to_hold {
  Keep keep;
  template <class T>
  RAVEL_HD auto operator()(T const& x, T const& y) const
      -> decltype(static_cast<bool>(call(keep, x))) {
    return !static_cast<bool>(call(keep, x)) && static_cast<bool>(call(keep, y));
  }
};

template <class Before>
inline constexpr bool of_the_host<in_wrong_order<Before>> = of_the_host<Before>;
template <class Keep>
inline constexpr bool of_the_host<begins_to_hold<Keep>> = of_the_host<Keep>;

template <class Before>
inline constexpr bool of_the_host<neither_before<Before>> = of_the_host<Before>;

/// Searches for the first difference from another sequence, or for where that occurs.
template <class Source, class Eq, class End>
struct compare_sink : is_sink {
  static constexpr char const* name = End::name;
  static constexpr bool occurs = requires { End::backward; };
  Source other;
  Eq eq;
  End end;
  compare_sink(Source other, Eq eq, End end)
      : other(std::move(other)), eq(std::move(eq)), end(std::move(end)) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    using T = element_of_node<Node>;
    using U = element_of_node<Source>;
    RAVEL_EXPECT_RUNS_ON(Eq, Ex,
                         "mismatch, equal, lexicographical_compare, search or find_end: the "
                         "function");
    static_assert(readable<Source, Ex>(),
                  "mismatch, equal, lexicographical_compare, search or find_end: the other "
                  "sequence is not in the memory of the executor: to(ex, ...) copies it there");
    static_assert(std::is_invocable_r_v<bool, Eq const&, T const&, U const&>,
                  "mismatch, equal, lexicographical_compare, search or find_end: the function "
                  "cannot be called with an element of each sequence, or returns no bool");
    deferred<Ex, typename End::result> result(ex);
    open_elements(ex, node, name, [&](auto const& x) {
      open_elements(ex, other, name, [&](auto const& y) {
        if constexpr (occurs) {
          ravel::detail::find_occurrence<End::backward>(ex, x, y, eq, result.data());
        } else {
          ravel::detail::compare_sequences(ex, x, y, eq, end, result.data());
        }
      });
    });
    return result;
  }
};
struct search_end {
  static constexpr char const* name = "search";
  static constexpr bool backward = false;
  using result = index_t;
};
struct find_end_end {
  static constexpr char const* name = "find_end";
  static constexpr bool backward = true;
  using result = index_t;
};

}  // namespace piping

/// The position of the first element for which `keep` is true, or the number of elements if there is
/// none.
///
///     3 1 2 4 1 5 | find_if(is_even{})                    2
///
/// Returns  deferred; get() waits for it, as for all sinks that search.
/// Order    `keep` may be called for elements after the first found.
/// Cost     Little more is read than up to the element found; after a filter or a scan all elements
///          are computed first.
/// See also find_first, of a sequence in memory.
template <class Keep>
auto find_if(Keep keep) {
  return piping::find_if_sink(as_function(std::move(keep)));
}

/// The position of the first element for which `keep` is false, or the number of elements.
///
///     3 1 2 4 1 5 | find_if_not(is_odd{})                 2
template <class Keep>
auto find_if_not(Keep keep) {
  return find_if(piping::fails<function_t<Keep>>{as_function(std::move(keep))});
}
/// The position of the first element that equals `value`, or the number of elements.
///
///     3 1 2 4 1 5 | find(4)                               3
template <class T>
auto find(T value) {
  return find_if(piping::equals<T>{std::move(value)});
}

/// Whether `keep` is true of an element.
///
///     3 1 2 4 1 5 | any_of(is_even{})                     true
///
/// Returns  deferred.  Of no elements: false, and true of all_of and none_of.
/// Cost     Little more is read than up to the element that decides.
template <class Keep>
auto any_of(Keep keep) {
  auto const f = as_function(std::move(keep));
  using F = std::remove_const_t<decltype(f)>;
  return piping::whether_sink<piping::as_any_of, true, F>(f);
}
/// Whether an element equals `value`.
///
///     3 1 2 4 1 5 | contains(4)                           true
template <class T>
auto contains(T value) {
  return any_of(piping::equals<T>{std::move(value)});
}
/// Whether `keep` is true of all elements.
///
///     3 1 2 4 1 5 | all_of(is_even{})                     false
template <class Keep>
auto all_of(Keep keep) {
  using not_kept = piping::fails<function_t<Keep>>;
  return piping::whether_sink<piping::as_all_of, false, not_kept>({as_function(std::move(keep))});
}
/// Whether `keep` is true of no element.
///
///     3 1 2 4 1 5 | none_of(is_negative{})                true
template <class Keep>
auto none_of(Keep keep) {
  auto const f = as_function(std::move(keep));
  using F = std::remove_const_t<decltype(f)>;
  return piping::whether_sink<piping::as_none_of, false, F>(f);
}

/// The position of the first element that equals the next, or for which related(x, next) is
/// true; the number of elements if there is none.
///
///     3 1 1 4 4 | adjacent_find()                         1
///     3 1 1 4 4 | adjacent_find(less{})                   2
///
/// Returns  deferred.
template <class Related = ravel::equal_to>
auto adjacent_find(Related related = {}) {
  return piping::neighbours_sink<piping::as_adjacent_find, Related>(related);
}

/// Whether no element is before the one that precedes it.
///
///     1 1 3 4 | is_sorted()                               true
///     1 1 3 4 | is_sorted(greater{})                      false
///
/// Returns  deferred.
template <class Before = less>
auto is_sorted(Before before = {}) {
  using wrong = piping::in_wrong_order<Before>;
  return piping::neighbours_sink<piping::as_is_sorted, wrong>({before});
}

/// Whether all elements for which `keep` is true come before all others.
///
///     4 2 3 1 | is_partitioned(is_even{})                 true
///
/// Returns  deferred.
template <class Keep>
auto is_partitioned(Keep keep) {
  using begins = piping::begins_to_hold<function_t<Keep>>;
  return piping::neighbours_sink<piping::as_is_partitioned, begins>({as_function(std::move(keep))});
}

/// The first position at which the elements differ from those of `other`, or the end of the shorter
/// sequence.
///
///     3 1 2 4 | mismatch(3 1 7)                           2
///     3 1 | mismatch(3 1 7)                               2
///
/// `other` is any source.  Elements are compared by ==, or by eq(x, y).
///
/// Returns  deferred.
template <class Other, class Eq = ravel::equal_to>
auto mismatch(Other&& other, Eq eq = {}) {
  return piping::compare_sink(piping::as_source(std::forward<Other>(other), "mismatch"), eq,
                              piping::mismatch_end{});
}

/// Whether the elements are those of `other`, as many, and each equal by == or by eq(x, y).
///
///     3 1 2 | equal(3 1 2)                                true
///
/// Returns  deferred.
template <class Other, class Eq = ravel::equal_to>
auto equal(Other&& other, Eq eq = {}) {
  return piping::compare_sink(piping::as_source(std::forward<Other>(other), "equal"), eq,
                              piping::equal_end{});
}

/// Whether the elements come before those of `other` as words do in a dictionary: by the first two that
/// differ, and a beginning of the other before it.
///
///     3 1 2 | lexicographical_compare(3 4)                true
///     3 1 | lexicographical_compare(3 1 2)                true
///
/// Returns  deferred.
template <class Other, class Before = less>
auto lexicographical_compare(Other&& other, Before before = {}) {
  using end = piping::lexicographical_end<Before>;
  return piping::compare_sink(
      piping::as_source(std::forward<Other>(other), "lexicographical_compare"),
      piping::neither_before<Before>{before}, end{before});
}

/// The first position at which the elements of `what` begin; the number of elements if nowhere, and 0
/// for none.
///
///     3 1 2 1 2 5 | search(1 2)                           1
///
/// `what` is any source.  Elements are compared by ==, or by eq(x, y).
///
/// Returns  deferred.
/// Cost     O(n m) work for m elements of `what`, computed anew at each position; comparisons there end
///          with the first that differ.
template <class What, class Eq = ravel::equal_to>
requires(!executor<std::remove_cvref_t<What>>) auto search(What&& what, Eq eq = {}) {
  return piping::compare_sink(piping::as_source(std::forward<What>(what), "search"), eq,
                              piping::search_end{});
}
/// The last position at which the elements of `what` begin; the number of elements if nowhere, and for
/// none.
///
///     3 1 2 1 2 5 | find_end(1 2)                         3
///
/// Returns  deferred.
template <class What, class Eq = ravel::equal_to>
requires(!executor<std::remove_cvref_t<What>>) auto find_end(What&& what, Eq eq = {}) {
  return piping::compare_sink(piping::as_source(std::forward<What>(what), "find_end"), eq,
                              piping::find_end_end{});
}

}  // namespace ravel::inline v0
