#pragma once

/// @file
/// Searches with the names of `<algorithm>`: for elements, neighbours, differences, occurrences, the least and the greatest.
///
/// All but the last are find_first_on with another predicate of a position; the last are reductions
/// of positions.  `out` is one element, and x_sync(...) returns it instead, and waits.

#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/member.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/reduce.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace detail {

// ---- elements by position -----------------------------------------------------------------------

/// Elements of memory, with their number.
template <class T, class Space>
struct placed_elements {
  static constexpr bool counted = false;
  T const* data;
  index_t n;
  RAVEL_HD T const& operator()(index_t i) const { return data[i]; }
  RAVEL_HD index_t size() const { return n; }
  index_t most() const { return n; }
};
template <class Ex, class In>
auto placed_elements_of(Ex const&, In const& in) {
  static_assert(sequence_on<In const&, Ex>,
                "a search: in is not a contiguous sequence in the executor's memory");
  return placed_elements<element_t<In const&>, space_of_t<Ex>>{view_of(in).data(), size_of(in)};
}

/// Where the one result of `call` goes.
template <class Ex, class Out>
auto* one_result(char const* call, Ex const&, Out&& out) {
  static_assert(writable_on<Out, Ex>,
                "a search: out is not a writable contiguous sequence in the executor's memory");
  static_assert(std::is_arithmetic_v<element_t<Out>>, "a search: out must be of numbers or bools");
  expects(size_of(out) == 1, call, ": out has ", size_of(out), " elements and must have one");
  return view_of(out).data();
}

// ---- what is found ------------------------------------------------------------------------------

/// Stores where a search for a place with `neighbours` after it ended: none is the number of
/// elements.
template <class E, class Out = index_t>
struct store_place {
  E of;
  index_t neighbours;
  Out* to;
  RAVEL_HD void operator()(index_t i) const {
    index_t const n = of.size();
    *to = static_cast<Out>(i + neighbours < n ? i : n);
  }
};
/// Stores whether a search among n positions ended as it was to.
template <class Out = bool>
struct store_whether {
  index_t n;
  bool found;
  Out* to;
  RAVEL_HD void operator()(index_t i) const { *to = (i < n) == found; }
};

template <class Keep>
struct fails_for {
  Keep keep;
  template <class X>
  RAVEL_HD bool operator()(X const& x) const {
    return !static_cast<bool>(keep(x));
  }
};

/// Whether an element and the next are related.
template <class E, class Related>
struct related_to_next {
  E of;
  Related related;
  RAVEL_HD bool operator()(index_t i) const {
    if constexpr (E::counted) {
      if (i + 1 >= of.size()) return false;
    }
    return static_cast<bool>(related(of(i), of(i + 1)));
  }
};
/// Whether the second is before the first.
template <class Before>
struct in_wrong_order {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return before(y, x);
  }
};
template <class Keep>
struct begins_to_keep {
  Keep keep;
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return !static_cast<bool>(keep(x)) && static_cast<bool>(keep(y));
  }
};

/// Whether two sequences differ at a position.
template <class X, class Y, class Eq>
struct differ_at {
  X x;
  Y y;
  Eq eq;
  RAVEL_HD bool operator()(index_t i) const {
    if constexpr (X::counted || Y::counted) {
      if (i >= x.size() || i >= y.size()) return false;
    }
    return !static_cast<bool>(eq(x(i), y(i)));
  }
};
/// What becomes of the first position where two sequences differ, or of any beyond one's end.
template <class X, class Y, class End, class Out = typename End::result>
struct store_end {
  X x;
  Y y;
  End end;
  Out* to;
  RAVEL_HD void operator()(index_t i) const {
    index_t const n = x.size(), m = y.size(), both = n < m ? n : m;
    *to = static_cast<Out>(end.of(i < both ? i : both, x, y));
  }
};
struct mismatch_end {
  static constexpr char const* name = "mismatch";
  using result = index_t;
  template <class X, class Y>
  RAVEL_HD index_t of(index_t i, X const&, Y const&) const {
    return i;
  }
};
struct equal_end {
  static constexpr char const* name = "equal";
  using result = bool;
  template <class X, class Y>
  RAVEL_HD bool of(index_t i, X const& x, Y const& y) const {
    return i == x.size() && i == y.size();
  }
};
template <class Before>
struct lexicographical_end {
  static constexpr char const* name = "lexicographical_compare";
  using result = bool;
  Before before;
  template <class X, class Y>
  RAVEL_HD bool of(index_t i, X const& x, Y const& y) const {
    if (i == y.size()) return false;
    return i == x.size() || static_cast<bool>(before(x(i), y(i)));
  }
};
template <class Before>
struct neither_before {
  Before before;
  template <class T, class U>
  RAVEL_HD auto operator()(T const& x, U const& y) const
      -> decltype(static_cast<bool>(before(x, y)) && static_cast<bool>(before(y, x))) {
    return !static_cast<bool>(before(x, y)) && !static_cast<bool>(before(y, x));
  }
};

template <class Ex, class X, class Y, class Eq, class End, class Out>
void compare_sequences(Ex const& ex, X const& x, Y const& y, Eq eq, End end, Out* to) {
  constexpr bool whole = std::same_as<End, equal_end> && !X::counted && !Y::counted;
  bool const decided = whole && x.most() != y.most();
  find_first_on(ex, decided ? 0 : std::min(x.most(), y.most()), differ_at<X, Y, Eq>{x, y, eq},
                store_end<X, Y, End, Out>{x, y, end, to});
}

/// Whether the other sequence occurs at a position, or, backward, at last - i.
template <class X, class Y, class Eq>
struct occurs_at {
  X x;
  Y y;
  Eq eq;
  index_t last;
  bool backward;
  RAVEL_HD index_t place(index_t i) const { return backward ? last - i : i; }
  RAVEL_HD bool operator()(index_t i) const {
    index_t const from = place(i);
    for (index_t k = 0; k < y.size(); ++k) {
      if (!static_cast<bool>(eq(x(from + k), y(k)))) return false;
    }
    return true;
  }
};
template <class Occurs, class Out>
struct store_occurrence {
  Occurs occurs;
  Out* to;
  RAVEL_HD void operator()(index_t i) const {
    *to = static_cast<Out>(i <= occurs.last ? occurs.place(i) : occurs.x.size());
  }
};
template <class Ex, class X, class Y, class Eq, class Out>
void find_occurrence(Ex const& ex, X const& x, Y const& y, Eq eq, bool backward, Out* to) {
  index_t const last = x.size() - y.size();
  occurs_at<X, Y, Eq> const occurs{x, y, eq, last, backward};
  find_first_on(ex, std::max<index_t>(last + 1, 0), occurs,
                store_occurrence<occurs_at<X, Y, Eq>, Out>{occurs, to});
}

// ---- the least and the greatest -----------------------------------------------------------------

/// A position, or none, and its element if that can be kept in registers; others are read again.
template <class T, bool Kept = std::is_trivially_copyable_v<T>&& std::default_initializable<T>>
struct placed {
  index_t at = -1;
  T value{};
  template <class E>
  RAVEL_HD T const& in(E const&) const {
    return value;
  }
};
template <class T>
struct placed<T, false> {
  index_t at = -1;
  template <class E>
  decltype(auto) in(E const& of) const {
    return of(at);
  }
};
template <class E>
struct load_placed {
  using T = std::remove_cvref_t<decltype(std::declval<E const&>()(index_t{}))>;
  E of;
  RAVEL_HD placed<T> operator()(index_t i) const {
    if constexpr (E::counted) {
      if (i >= of.size()) return {};
    }
    if constexpr (requires(placed<T> p) { p.value; }) {
      return {i, of(i)};
    } else {
      return {i};
    }
  }
};

/// The monoid of positions of which a later one wins if `wins` says so of both elements.
template <class E, class Wins>
struct best_placed {
  using T = placed<typename load_placed<E>::T>;
  E of;
  Wins wins;
  RAVEL_HD T identity() const { return {}; }
  RAVEL_HD T operator()(T const& x, T const& y) const {
    if (x.at < 0) return y;
    if (y.at < 0) return x;
    return wins(x.in(of), y.in(of)) ? y : x;
  }
};
/// The first of the least.
template <class Before>
using least_wins = in_wrong_order<Before>;
/// The first of the greatest.
template <class Before>
struct greatest_wins {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return before(x, y);
  }
};
/// The last of the greatest.
template <class Before>
struct last_greatest_wins {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return !before(y, x);
  }
};

/// Integers in memory of the host: their least value is known sooner than its place, in vectors.
template <class E, class Wins>
struct best_value;
template <class T>
concept integers = std::integral<T> && !std::same_as<T, bool>;
template <integers T>
struct best_value<placed_elements<T, host_space>, least_wins<less>>
    : std::type_identity<minimum<T>> {};
template <integers T>
struct best_value<placed_elements<T, host_space>, greatest_wins<less>>
    : std::type_identity<maximum<T>> {};
template <class T>
struct is_value {
  T const* elements;
  T value;
  bool operator()(index_t i) const { return elements[i] == value; }
};

template <class E, class Out>
struct store_best {
  E of;
  Out* to;
  template <class T>
  RAVEL_HD void operator()(T const& best) const {
    *to = static_cast<Out>(best.at < 0 ? of.size() : best.at);
  }
};

template <class Ex, class E, class Wins, class Out>
void find_best(Ex const& ex, E const& of, Wins wins, Out* to) {
  if constexpr (requires { typename best_value<E, Wins>::type; }) {
    using M = typename best_value<E, Wins>::type;
    using T = carrier_t<M>;
    T best;
    reduce_on(ex, of.n, contiguous<T>{of.data}, M{}, seed_identity<M>{{}}, store_total<T>{&best});
    find_first_on(ex, of.n, is_value<T>{of.data, best}, store_place<E, Out>{of, 0, to});
  } else {
    best_placed<E, Wins> const m{of, wins};
    reduce_on(ex, of.most(), load_placed<E>{of}, m, seed_identity<best_placed<E, Wins>>{m},
              store_best<E, Out>{of, to});
  }
}

template <class Load>
struct twice {
  Load load;
  RAVEL_HD auto operator()(index_t i) const {
    auto const x = load(i);
    return paired<decltype(load(i)), decltype(load(i))>{x, x};
  }
};
/// store(first, second), the places of the first of the least and of the last of the greatest.
template <class E, class Store>
struct store_both_best {
  E of;
  Store store;
  template <class A, class B>
  RAVEL_HD void operator()(paired<A, B> const& best) const {
    index_t const n = of.size();
    store(best.first.at < 0 ? n : best.first.at, best.second.at < 0 ? n : best.second.at);
  }
};
template <class Ex, class E, class Before, class Store>
void find_both_best(Ex const& ex, E const& of, Before before, Store store) {
  pair_of const m{best_placed<E, least_wins<Before>>{of, {before}},
                  best_placed<E, last_greatest_wins<Before>>{of, {before}}};
  reduce_on(ex, of.most(), twice<load_placed<E>>{{of}}, m,
            seed_identity<std::remove_const_t<decltype(m)>>{m},
            store_both_best<E, Store>{of, store});
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
void whether_any(Ex const& ex, In const& in, Keep const& keep, bool found, Out* to) {
  auto const of = placed_elements_of(ex, in);
  using T = element_t<In const&>;
  static_assert(std::is_invocable_r_v<bool, Keep const&, T const&>,
                "a search: the predicate cannot be called with an element of in");
  find_first_on(ex, of.n, keeps_element<T, Keep>{of.data, keep},
                store_whether<Out>{of.n, found, to});
}
template <class Ex, class In, class Related, class Found>
void find_neighbours(Ex const& ex, In const& in, Related related, Found found) {
  auto const of = placed_elements_of(ex, in);
  using E = std::remove_const_t<decltype(of)>;
  using T = element_t<In const&>;
  static_assert(std::is_invocable_r_v<bool, Related const&, T const&, T const&>,
                "a search: the function cannot be called with two elements of in");
  index_t const n = std::max<index_t>(of.n - 1, 0);
  find_first_on(ex, n, related_to_next<E, Related>{of, related}, found(of, n));
}

}  // namespace detail

/// Whether `keep` is true of an element; false of no elements.
///
///     3 1 2 4 1 5 | true                      with keep(x) = x is even
///
/// Shapes   in[n], and out[1] of numbers or bools, in the memory of `ex`.  n may be 0.
/// Order    The function is called in any order, and perhaps for elements after those that decide.
/// Cost     O(n) work, O(log n) span; on the host little more is read than up to what decides.
/// Errors   contract_error if `out` is not one element.  Issued, not awaited.
/// See also find_first, for where it is.  The searches below are described by this comment too.
template <executor Ex, class In, class Keep, class Out>
void any_of(Ex const& ex, In const& in, Keep const& keep, Out&& out) {
  detail::whether_any(ex, in, as_function(keep), true, detail::one_result("any_of", ex, out));
}
/// Whether `keep` is true of all elements; true of no elements.
///
///     3 1 2 4 1 5 | false                     with keep(x) = x is even
template <executor Ex, class In, class Keep, class Out>
void all_of(Ex const& ex, In const& in, Keep const& keep, Out&& out) {
  detail::whether_any(ex, in, detail::fails_for<function_t<Keep>>{as_function(keep)}, false,
                      detail::one_result("all_of", ex, out));
}
/// Whether `keep` is true of no element.
///
///     3 1 2 4 1 5 | true                      with keep(x) = x < 0
template <executor Ex, class In, class Keep, class Out>
void none_of(Ex const& ex, In const& in, Keep const& keep, Out&& out) {
  detail::whether_any(ex, in, as_function(keep), false, detail::one_result("none_of", ex, out));
}

/// The first position i with related(in[i], in[i + 1]), by default in[i] == in[i + 1]; n if there
/// is none.
///
///     3 1 1 4 4 | 1
template <executor Ex, class In, class Out, class Related = equal_to>
requires(sequence<Out>) void adjacent_find(Ex const& ex, In const& in, Out&& out,
                                           Related related = {}) {
  auto* const to = detail::one_result("adjacent_find", ex, out);
  detail::find_neighbours(ex, in, related, [&](auto const& of, index_t) {
    return detail::store_place<std::remove_cvref_t<decltype(of)>, element_t<Out>>{of, 1, to};
  });
}
/// Whether no element is before the one that precedes it.
///
///     1 1 3 4 | true
template <executor Ex, class In, class Out, class Before = less>
requires(sequence<Out>) void is_sorted(Ex const& ex, In const& in, Out&& out, Before before = {}) {
  auto* const to = detail::one_result("is_sorted", ex, out);
  detail::find_neighbours(ex, in, detail::in_wrong_order<Before>{before},
                          [&](auto const&, index_t n) {
                            return detail::store_whether<element_t<Out>>{n, false, to};
                          });
}
/// Whether all elements for which `keep` is true come before all others.
///
///     4 2 3 1 | true                          with keep(x) = x is even
template <executor Ex, class In, class Keep, class Out>
void is_partitioned(Ex const& ex, In const& in, Keep const& keep, Out&& out) {
  auto* const to = detail::one_result("is_partitioned", ex, out);
  detail::find_neighbours(ex, in, detail::begins_to_keep<function_t<Keep>>{as_function(keep)},
                          [&](auto const&, index_t n) {
                            return detail::store_whether<element_t<Out>>{n, false, to};
                          });
}

/// The first position at which `a` and `b` differ, by == or by eq, or the end of the shorter one.
///
///     a  3 1 2 4 | 2
///     b  3 1 7
template <executor Ex, class A, class B, class Out, class Eq = equal_to>
requires(sequence<Out>) void mismatch(Ex const& ex, A const& a, B const& b, Out&& out, Eq eq = {}) {
  detail::compare_sequences(ex, detail::placed_elements_of(ex, a),
                            detail::placed_elements_of(ex, b), eq, detail::mismatch_end{},
                            detail::one_result("mismatch", ex, out));
}
/// Whether `a` and `b` have as many elements, each equal by == or by eq.
///
///     a  3 1 2 | true
///     b  3 1 2
template <executor Ex, class A, class B, class Out, class Eq = equal_to>
requires(sequence<Out>) void equal(Ex const& ex, A const& a, B const& b, Out&& out, Eq eq = {}) {
  detail::compare_sequences(ex, detail::placed_elements_of(ex, a),
                            detail::placed_elements_of(ex, b), eq, detail::equal_end{},
                            detail::one_result("equal", ex, out));
}
/// Whether `a` comes before `b` as words do in a dictionary: by the first two elements that differ,
/// and a beginning of the other before it.
///
///     a  3 1 2 | true
///     b  3 4
template <executor Ex, class A, class B, class Out, class Before = less>
requires(sequence<Out>) void lexicographical_compare(Ex const& ex, A const& a, B const& b,
                                                     Out&& out, Before before = {}) {
  detail::compare_sequences(
      ex, detail::placed_elements_of(ex, a), detail::placed_elements_of(ex, b),
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
template <executor Ex, class In, class What, class Out, class Eq = equal_to>
requires(sequence<Out>) void search(Ex const& ex, In const& in, What const& what, Out&& out,
                                    Eq eq = {}) {
  detail::find_occurrence(ex, detail::placed_elements_of(ex, in),
                          detail::placed_elements_of(ex, what), eq, false,
                          detail::one_result("search", ex, out));
}
/// The last position at which the elements of `what` begin in `in`; n if nowhere, and for no
/// elements.
///
///     in    3 1 2 1 2 5 | 3
///     what  1 2
///
/// Cost     As that of search; on the host the end is read first.
template <executor Ex, class In, class What, class Out, class Eq = equal_to>
requires(sequence<Out>) void find_end(Ex const& ex, In const& in, What const& what, Out&& out,
                                      Eq eq = {}) {
  detail::find_occurrence(ex, detail::placed_elements_of(ex, in),
                          detail::placed_elements_of(ex, what), eq, true,
                          detail::one_result("find_end", ex, out));
}

/// The position of the least element, the first if several are; 0 of no elements.
///
///     3 1 2 4 1 5 | 1
///
/// Cost     Reads each element once; integers on the host once in vectors, and again up to the
///          position.
template <executor Ex, class In, class Out, class Before = less>
requires(sequence<Out>) void min_element(Ex const& ex, In const& in, Out&& out,
                                         Before before = {}) {
  detail::find_best(ex, detail::placed_elements_of(ex, in), detail::least_wins<Before>{before},
                    detail::one_result("min_element", ex, out));
}
/// The position of the greatest element, the first if several are; 0 of no elements.
///
///     3 5 2 4 1 5 | 1
template <executor Ex, class In, class Out, class Before = less>
requires(sequence<Out>) void max_element(Ex const& ex, In const& in, Out&& out,
                                         Before before = {}) {
  detail::find_best(ex, detail::placed_elements_of(ex, in), detail::greatest_wins<Before>{before},
                    detail::one_result("max_element", ex, out));
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
  detail::find_both_best(ex, detail::placed_elements_of(ex, in), before,
                         detail::store_two<element_t<Out>>{view_of(out).data()});
}

// ---- the same, on the host ----------------------------------------------------------------------

/// any_of, on the host.  Waits for it.
template <executor Ex, class In, class Keep>
bool any_of_sync(Ex const& ex, In const& in, Keep const& keep) {
  return detail::one_sync<bool>(ex, [&](auto const& there) { any_of(ex, in, keep, there); });
}
/// all_of, on the host.  Waits for it.
template <executor Ex, class In, class Keep>
bool all_of_sync(Ex const& ex, In const& in, Keep const& keep) {
  return detail::one_sync<bool>(ex, [&](auto const& there) { all_of(ex, in, keep, there); });
}
/// none_of, on the host.  Waits for it.
template <executor Ex, class In, class Keep>
bool none_of_sync(Ex const& ex, In const& in, Keep const& keep) {
  return detail::one_sync<bool>(ex, [&](auto const& there) { none_of(ex, in, keep, there); });
}
/// is_partitioned, on the host.  Waits for it.
template <executor Ex, class In, class Keep>
bool is_partitioned_sync(Ex const& ex, In const& in, Keep const& keep) {
  return detail::one_sync<bool>(ex,
                                [&](auto const& there) { is_partitioned(ex, in, keep, there); });
}
/// adjacent_find, on the host.  Waits for it.
template <executor Ex, class In, class Related = equal_to>
index_t adjacent_find_sync(Ex const& ex, In const& in, Related related = {}) {
  return detail::one_sync<index_t>(
      ex, [&](auto const& there) { adjacent_find(ex, in, there, related); });
}
/// is_sorted, on the host.  Waits for it.
template <executor Ex, class In, class Before = less>
bool is_sorted_sync(Ex const& ex, In const& in, Before before = {}) {
  return detail::one_sync<bool>(ex, [&](auto const& there) { is_sorted(ex, in, there, before); });
}
/// mismatch, on the host.  Waits for it.
template <executor Ex, class A, class B, class Eq = equal_to>
index_t mismatch_sync(Ex const& ex, A const& a, B const& b, Eq eq = {}) {
  return detail::one_sync<index_t>(ex, [&](auto const& there) { mismatch(ex, a, b, there, eq); });
}
/// equal, on the host.  Waits for it.
template <executor Ex, class A, class B, class Eq = equal_to>
bool equal_sync(Ex const& ex, A const& a, B const& b, Eq eq = {}) {
  return detail::one_sync<bool>(ex, [&](auto const& there) { equal(ex, a, b, there, eq); });
}
/// lexicographical_compare, on the host.  Waits for it.
template <executor Ex, class A, class B, class Before = less>
bool lexicographical_compare_sync(Ex const& ex, A const& a, B const& b, Before before = {}) {
  return detail::one_sync<bool>(
      ex, [&](auto const& there) { lexicographical_compare(ex, a, b, there, before); });
}
/// search, on the host.  Waits for it.
template <executor Ex, class In, class What, class Eq = equal_to>
index_t search_sync(Ex const& ex, In const& in, What const& what, Eq eq = {}) {
  return detail::one_sync<index_t>(ex, [&](auto const& there) { search(ex, in, what, there, eq); });
}
/// find_end, on the host.  Waits for it.
template <executor Ex, class In, class What, class Eq = equal_to>
index_t find_end_sync(Ex const& ex, In const& in, What const& what, Eq eq = {}) {
  return detail::one_sync<index_t>(ex,
                                   [&](auto const& there) { find_end(ex, in, what, there, eq); });
}
/// min_element, on the host.  Waits for it.
template <executor Ex, class In, class Before = less>
index_t min_element_sync(Ex const& ex, In const& in, Before before = {}) {
  return detail::one_sync<index_t>(ex,
                                   [&](auto const& there) { min_element(ex, in, there, before); });
}
/// max_element, on the host.  Waits for it.
template <executor Ex, class In, class Before = less>
index_t max_element_sync(Ex const& ex, In const& in, Before before = {}) {
  return detail::one_sync<index_t>(ex,
                                   [&](auto const& there) { max_element(ex, in, there, before); });
}

}  // namespace ravel::inline v0
