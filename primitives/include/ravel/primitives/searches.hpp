#pragma once

/// Searches with the names of `<algorithm>`: for elements, neighbours, differences, occurrences, and
/// for the least and the greatest element.
///
/// All but the last are find_first_on with another predicate of a position (searches/places.hpp); the
/// last have tables of their own (extrema/steps.hpp).  `out` is one element, and x_sync(...)
/// returns it instead, and waits.

#include <ravel/core/member.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/extrema/cpu.hpp>
#include <ravel/primitives/extrema/steps.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/searches/places.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Where the one result of `call` goes.
template <class Ex, class Out>
auto* one_result(char const* call, Ex const&, Out&& out) {
  RAVEL_EXPECT_WRITABLE(Out, Ex, "a search: out");
  static_assert(std::is_arithmetic_v<element_t<Out>>, "a search: out must be of numbers or bools");
  expects(size_of(out) == 1, call, ": out has ", size_of(out), " elements and must have one");
  return view_of(out).data();
}

template <class Out>
struct store_two {
  Out* to;
  RAVEL_HD void operator()(index_t first, index_t second) const {
    to[0] = static_cast<Out>(first);
    to[1] = static_cast<Out>(second);
  }
};

template <class Ex, class In, class Keep, class Out>
void whether_any(Ex const& ex, char const* call, In const& seq, Keep const& keep, bool found,
                 Out* out) {
  auto const& in = searched(ex, call, seq);
  using T = element_of_t<decltype(source_of(in))>;
  static_assert(std::is_invocable_r_v<bool, Keep const&, T const&>,
                "a search: the predicate cannot be called with an element of in");
  index_t const n = operand_size(in);
  find_first_on(ex, n, holds_of(in, keep), store_whether<Out>{n, found, out});
}
template <class Ex, class In, class Related, class Found>
void find_neighbours(Ex const& ex, char const* call, In const& seq, Related related, Found found) {
  auto const& in = searched(ex, call, seq);
  auto const elements = placed_elements_of(ex, in);
  using E = std::remove_const_t<decltype(elements)>;
  using T = element_of_t<decltype(source_of(in))>;
  static_assert(std::is_invocable_r_v<bool, Related const&, T const&, T const&>,
                "a search: the function cannot be called with two elements of in");
  index_t const n = std::max<index_t>(elements.n - 1, 0);
  find_first_on(ex, n, related_to_next<E, Related>{elements, related}, found(elements, n));
}

}  // namespace detail

/// Whether `keep` is true of an element; false of no elements.
///
///     3 1 2 4 1 5 | true                      with keep(x) = x is even
///
/// Shapes   in[n], and out[1] of numbers or bools, in the memory of `ex`; on the host `in` may be any
///          range (core/readable.hpp).  n may be 0.
/// Order    The function is called in any order, and perhaps for elements after those that decide.
/// Cost     O(n) work, O(log n) span; little more is read than up to what decides.
/// Errors   contract_error if `out` is not one element.  Issued, not awaited.
/// See also find_first, for where it is.  The searches below are described by this comment too.
template <local_executor Ex, class In, class Keep, class Out>
void any_of(Ex const& ex, In const& in, Keep const& keep, Out&& out) {
  detail::whether_any(ex, "any_of", in, as_function(keep), true,
                      detail::one_result("any_of", ex, out));
}
/// Whether `keep` is true of all elements; true of no elements.
///
///     3 1 2 4 1 5 | false                     with keep(x) = x is even
template <local_executor Ex, class In, class Keep, class Out>
void all_of(Ex const& ex, In const& in, Keep const& keep, Out&& out) {
  detail::whether_any(ex, "all_of", in, detail::fails_for<function_t<Keep>>{as_function(keep)},
                      false, detail::one_result("all_of", ex, out));
}
/// Whether `keep` is true of no element.
///
///     3 1 2 4 1 5 | true                      with keep(x) = x < 0
template <local_executor Ex, class In, class Keep, class Out>
void none_of(Ex const& ex, In const& in, Keep const& keep, Out&& out) {
  detail::whether_any(ex, "none_of", in, as_function(keep), false,
                      detail::one_result("none_of", ex, out));
}

/// The first position i with related(in[i], in[i + 1]), by default in[i] == in[i + 1]; n if there
/// is none.
///
///     3 1 1 4 4 | 1
template <local_executor Ex, class In, class Out, class Related = equal_to>
requires(sequence<Out>) void adjacent_find(Ex const& ex, In const& in, Out&& out,
                                           Related related = {}) {
  auto* const result = detail::one_result("adjacent_find", ex, out);
  detail::find_neighbours(ex, "adjacent_find", in, related, [&](auto const& elements, index_t) {
    return detail::store_place<std::remove_cvref_t<decltype(elements)>, element_t<Out>>{elements, 1,
                                                                                        result};
  });
}
/// Whether no element is before the one that precedes it.
///
///     1 1 3 4 | true
template <local_executor Ex, class In, class Out, class Before = less>
requires(sequence<Out>) void is_sorted(Ex const& ex, In const& in, Out&& out, Before before = {}) {
  auto* const result = detail::one_result("is_sorted", ex, out);
  detail::find_neighbours(ex, "is_sorted", in, detail::in_wrong_order<Before>{before},
                          [&](auto const&, index_t n) {
                            return detail::store_whether<element_t<Out>>{n, false, result};
                          });
}
/// Whether all elements for which `keep` is true come before all others.
///
///     4 2 3 1 | true                          with keep(x) = x is even
template <local_executor Ex, class In, class Keep, class Out>
void is_partitioned(Ex const& ex, In const& in, Keep const& keep, Out&& out) {
  auto* const result = detail::one_result("is_partitioned", ex, out);
  detail::find_neighbours(ex, "is_partitioned", in,
                          detail::begins_to_keep<function_t<Keep>>{as_function(keep)},
                          [&](auto const&, index_t n) {
                            return detail::store_whether<element_t<Out>>{n, false, result};
                          });
}

/// The first position at which `a` and `b` differ, by == or by eq, or the end of the shorter one.
///
///     a  3 1 2 4 | 2
///     b  3 1 7
template <local_executor Ex, class A, class B, class Out, class Eq = equal_to>
requires(sequence<Out>) void mismatch(Ex const& ex, A const& a, B const& b, Out&& out, Eq eq = {}) {
  auto const& x = detail::searched(ex, "mismatch", a);
  auto const& y = detail::searched(ex, "mismatch", b);
  detail::compare_sequences(ex, detail::placed_elements_of(ex, x),
                            detail::placed_elements_of(ex, y), eq, detail::mismatch_end{},
                            detail::one_result("mismatch", ex, out));
}
/// Whether `a` and `b` have as many elements, each equal by == or by eq.
///
///     a  3 1 2 | true
///     b  3 1 2
template <local_executor Ex, class A, class B, class Out, class Eq = equal_to>
requires(sequence<Out>) void equal(Ex const& ex, A const& a, B const& b, Out&& out, Eq eq = {}) {
  auto const& x = detail::searched(ex, "equal", a);
  auto const& y = detail::searched(ex, "equal", b);
  detail::compare_sequences(ex, detail::placed_elements_of(ex, x),
                            detail::placed_elements_of(ex, y), eq, detail::equal_end{},
                            detail::one_result("equal", ex, out));
}
/// Whether `a` comes before `b` as words do in a dictionary: by the first two elements that differ,
/// and a beginning of the other before it.
///
///     a  3 1 2 | true
///     b  3 4
template <local_executor Ex, class A, class B, class Out, class Before = less>
requires(sequence<Out>) void lexicographical_compare(Ex const& ex, A const& a, B const& b,
                                                     Out&& out, Before before = {}) {
  auto const& x = detail::searched(ex, "lexicographical_compare", a);
  auto const& y = detail::searched(ex, "lexicographical_compare", b);
  detail::compare_sequences(
      ex, detail::placed_elements_of(ex, x), detail::placed_elements_of(ex, y),
      detail::neither_before<Before>{before}, detail::lexicographical_end<Before>{before},
      detail::one_result("lexicographical_compare", ex, out));
}

/// The first position at which the elements of `what` begin in `in`, equal by == or by eq; n if
/// nowhere, and 0 for no elements.
///
///     in    3 1 2 1 2 5 | 1
///     what  1 2
///
/// Cost     O(n m) work for m elements of `what`; comparisons at a position end with the first that
///          differ.
template <local_executor Ex, class In, class What, class Out, class Eq = equal_to>
requires(sequence<Out>) void search(Ex const& ex, In const& in, What const& what, Out&& out,
                                    Eq eq = {}) {
  auto const& x = detail::searched(ex, "search", in);
  auto const& y = detail::searched(ex, "search", what);
  detail::find_occurrence<false>(ex, detail::placed_elements_of(ex, x),
                                 detail::placed_elements_of(ex, y), eq,
                                 detail::one_result("search", ex, out));
}
/// The last position at which the elements of `what` begin in `in`; n if nowhere, and for no
/// elements.
///
///     in    3 1 2 1 2 5 | 3
///     what  1 2
///
/// Cost     As that of search; on the host the end is read first.
template <local_executor Ex, class In, class What, class Out, class Eq = equal_to>
requires(sequence<Out>) void find_end(Ex const& ex, In const& in, What const& what, Out&& out,
                                      Eq eq = {}) {
  auto const& x = detail::searched(ex, "find_end", in);
  auto const& y = detail::searched(ex, "find_end", what);
  detail::find_occurrence<true>(ex, detail::placed_elements_of(ex, x),
                                detail::placed_elements_of(ex, y), eq,
                                detail::one_result("find_end", ex, out));
}

/// The position of the least element, the first if several are; 0 of no elements.
///
///     3 1 2 4 1 5 | 1
///
/// Cost     Reads each element once; integers on the host in vectors, and again 64 KiB of them.
template <local_executor Ex, class In, class Out, class Before = less>
requires(sequence<Out>) void min_element(Ex const& ex, In const& in, Out&& out,
                                         Before before = {}) {
  auto const& src = detail::searched(ex, "min_element", in);
  run_call(detail::own(ex), detail::extremum_of(detail::placed_elements_of(ex, src),
                                                detail::least_wins<Before>{before},
                                                detail::one_result("min_element", ex, out)));
}
/// The position of the greatest element, the first if several are; 0 of no elements.
///
///     3 5 2 4 1 5 | 1
template <local_executor Ex, class In, class Out, class Before = less>
requires(sequence<Out>) void max_element(Ex const& ex, In const& in, Out&& out,
                                         Before before = {}) {
  auto const& src = detail::searched(ex, "max_element", in);
  run_call(detail::own(ex), detail::extremum_of(detail::placed_elements_of(ex, src),
                                                detail::greatest_wins<Before>{before},
                                                detail::one_result("max_element", ex, out)));
}
/// out[0], the position of the first of the least elements, and out[1], that of the last of the
/// greatest.
///
///     5 1 2 5 1 3 | 1 3
///
/// Errors   contract_error if `out` is not two elements.
template <executor Ex, class In, class Out, class Before = less>
requires(sequence<Out>) void minmax_element(Ex const& ex, In const& in, Out&& out,
                                            Before before = {}) {
  static_assert(writable_on<Out, Ex> && std::integral<element_t<Out>>,
                "minmax_element: out is not a writable contiguous sequence of integers in the "
                "executor's memory");
  expects(size_of(out) == 2, "minmax_element: out has ", size_of(out),
          " elements and must have two");
  auto const& src = detail::searched(ex, "minmax_element", in);
  run_call(detail::own(ex),
           detail::extrema_of(detail::placed_elements_of(ex, src), before,
                              detail::store_two<element_t<Out>>{view_of(out).data()}));
}

// ---- the same, on the host ----------------------------------------------------------------------

/// any_of, on the host.  Waits for it.
template <executor Ex, class In, class Keep>
bool any_of_sync(Ex const& ex, In const& in, Keep const& keep) {
  return detail::one_sync<bool>(ex, [&](auto const& out) { any_of(ex, in, keep, out); });
}
/// all_of, on the host.  Waits for it.
template <executor Ex, class In, class Keep>
bool all_of_sync(Ex const& ex, In const& in, Keep const& keep) {
  return detail::one_sync<bool>(ex, [&](auto const& out) { all_of(ex, in, keep, out); });
}
/// none_of, on the host.  Waits for it.
template <executor Ex, class In, class Keep>
bool none_of_sync(Ex const& ex, In const& in, Keep const& keep) {
  return detail::one_sync<bool>(ex, [&](auto const& out) { none_of(ex, in, keep, out); });
}
/// is_partitioned, on the host.  Waits for it.
template <executor Ex, class In, class Keep>
bool is_partitioned_sync(Ex const& ex, In const& in, Keep const& keep) {
  return detail::one_sync<bool>(ex, [&](auto const& out) { is_partitioned(ex, in, keep, out); });
}
/// adjacent_find, on the host.  Waits for it.
template <executor Ex, class In, class Related = equal_to>
index_t adjacent_find_sync(Ex const& ex, In const& in, Related related = {}) {
  return detail::one_sync<index_t>(ex,
                                   [&](auto const& out) { adjacent_find(ex, in, out, related); });
}
/// is_sorted, on the host.  Waits for it.
template <executor Ex, class In, class Before = less>
bool is_sorted_sync(Ex const& ex, In const& in, Before before = {}) {
  return detail::one_sync<bool>(ex, [&](auto const& out) { is_sorted(ex, in, out, before); });
}
/// mismatch, on the host.  Waits for it.
template <executor Ex, class A, class B, class Eq = equal_to>
index_t mismatch_sync(Ex const& ex, A const& a, B const& b, Eq eq = {}) {
  return detail::one_sync<index_t>(ex, [&](auto const& out) { mismatch(ex, a, b, out, eq); });
}
/// equal, on the host.  Waits for it.
template <executor Ex, class A, class B, class Eq = equal_to>
bool equal_sync(Ex const& ex, A const& a, B const& b, Eq eq = {}) {
  return detail::one_sync<bool>(ex, [&](auto const& out) { equal(ex, a, b, out, eq); });
}
/// lexicographical_compare, on the host.  Waits for it.
template <executor Ex, class A, class B, class Before = less>
bool lexicographical_compare_sync(Ex const& ex, A const& a, B const& b, Before before = {}) {
  return detail::one_sync<bool>(
      ex, [&](auto const& out) { lexicographical_compare(ex, a, b, out, before); });
}
/// search, on the host.  Waits for it.
template <executor Ex, class In, class What, class Eq = equal_to>
index_t search_sync(Ex const& ex, In const& in, What const& what, Eq eq = {}) {
  return detail::one_sync<index_t>(ex, [&](auto const& out) { search(ex, in, what, out, eq); });
}
/// find_end, on the host.  Waits for it.
template <executor Ex, class In, class What, class Eq = equal_to>
index_t find_end_sync(Ex const& ex, In const& in, What const& what, Eq eq = {}) {
  return detail::one_sync<index_t>(ex, [&](auto const& out) { find_end(ex, in, what, out, eq); });
}
/// min_element, on the host.  Waits for it.
template <executor Ex, class In, class Before = less>
index_t min_element_sync(Ex const& ex, In const& in, Before before = {}) {
  return detail::one_sync<index_t>(ex, [&](auto const& out) { min_element(ex, in, out, before); });
}
/// max_element, on the host.  Waits for it.
template <executor Ex, class In, class Before = less>
index_t max_element_sync(Ex const& ex, In const& in, Before before = {}) {
  return detail::one_sync<index_t>(ex, [&](auto const& out) { max_element(ex, in, out, before); });
}

}  // namespace ravel::inline v0
