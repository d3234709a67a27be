#pragma once

/// A row: a tuple of values, the elements of zip and enumerate.

#include <ravel/core/vocabulary.hpp>

#include <tuple>

namespace ravel::inline v0 {

/// A tuple of values that also works in kernels, where std::tuple does not.
///
///     auto const r = make_row(3, 'x');         a row<int, char>
///     auto const [number, letter] = r;        get<0>(r) == 3
///
/// Rows are in lexicographic order, where all of their values have one.
template <class... T>
struct row;

template <class A>
struct row<A> {
  A head;
  friend RAVEL_HD constexpr bool operator==(row const& x, row const& y) { return x.head == y.head; }
  friend RAVEL_HD constexpr bool operator<(row const& x, row const& y) { return x.head < y.head; }
};

template <class A, class... Rest>
struct row<A, Rest...> {
  A head;
  row<Rest...> rest;
  friend RAVEL_HD constexpr bool operator==(row const& x, row const& y) {
    return x.head == y.head && x.rest == y.rest;
  }
  friend RAVEL_HD constexpr bool operator<(row const& x, row const& y) {
    return x.head < y.head || (!(y.head < x.head) && x.rest < y.rest);
  }
};

/// The row of these values.
template <class A>
RAVEL_HD constexpr row<A> make_row(A const& x) {
  return {x};
}
template <class A, class... Rest>
RAVEL_HD constexpr row<A, Rest...> make_row(A const& x, Rest const&... rest) {
  return {x, make_row(rest...)};
}

/// The k-th value of a row.
template <std::size_t k, class... T>
RAVEL_HD constexpr auto const& get(row<T...> const& r) {
  if constexpr (k == 0) {
    return r.head;
  } else {
    return get<k - 1>(r.rest);
  }
}
/// Of a row that is not const, as `auto [number, letter] = ...` reads it.
template <std::size_t k, class... T>
RAVEL_HD constexpr auto& get(row<T...>& r) {
  return const_cast<std::tuple_element_t<k, std::tuple<T...>>&>(
      get<k>(static_cast<row<T...> const&>(r)));
}
template <std::size_t k, class... T>
RAVEL_HD constexpr auto&& get(row<T...>&& r) {
  return static_cast<std::tuple_element_t<k, std::tuple<T...>>&&>(get<k>(r));
}

/// A function object for the k-th value of a row: map(field<1>{}).
template <std::size_t k>
struct field {
  template <class... T>
  RAVEL_HD constexpr auto operator()(row<T...> const& r) const {
    return get<k>(r);
  }
};

namespace piping {

/// A function object that makes a row of a struct's members; ravel/pipelines/hana.hpp has one of structs
/// that Boost.Hana knows.
template <class T>
struct fields_of;

template <class F, class X>
struct takes_fields : std::false_type {};
template <class F, class... T>
struct takes_fields<F, row<T...>> : std::bool_constant<std::is_invocable_v<F const&, T const&...>> {
};

template <class F, class... T>
struct takes_fields<F, std::tuple<T...>> : takes_fields<F, row<T...>> {};
template <class F, class A, class B>
struct takes_fields<F, std::pair<A, B>> : takes_fields<F, row<A, B>> {};

/// `f` can be called with an X; or, if X is a row, with its values.
template <class F, class X>
concept callable_with = std::is_invocable_v<F const&, X const&> || takes_fields<F, X>::value;

RAVEL_MAY_CALL_HOST
template <class F, class... T, std::size_t... k>
RAVEL_HD constexpr decltype(auto) apply(F const& f, row<T...> const& r, std::index_sequence<k...>) {
  return f(get<k>(r)...);
}

template <class F, class... T>
RAVEL_HD constexpr decltype(auto) call_with_fields(F const& f, row<T...> const& r) {
  return apply(f, r, std::index_sequence_for<T...>{});
}

/// Tuples of the host are rows too: ranges of others are made of them.
template <class F, class X>
requires requires { std::tuple_size<X>::value; }
constexpr decltype(auto) call_with_fields(F const& f, X const& x) { return std::apply(f, x); }

/// f(x), or, if x is a row and f takes its values instead, f(get<0>(x), get<1>(x), ...).
RAVEL_MAY_CALL_HOST
template <class F, class X>
RAVEL_HD constexpr decltype(auto) call(F const& f, X const& x) {
  if constexpr (std::is_invocable_v<F const&, X const&>) {
    return f(x);
  } else {
    return call_with_fields(f, x);
  }
}
/// Whether the result for an X converts to bool.
template <class F, class X>
concept gives_bool =
    std::is_convertible_v<decltype(call(std::declval<F const&>(), std::declval<X const&>())), bool>;

/// The result for an X: never a reference into a temporary argument.
template <class F, class X>
using called_t = std::conditional_t<
    std::is_lvalue_reference_v<X>, decltype(call(std::declval<F const&>(), std::declval<X>())),
    std::remove_cvref_t<decltype(call(std::declval<F const&>(), std::declval<X>()))>>;

}  // namespace piping
}  // namespace ravel::inline v0

template <class... T>
struct std::tuple_size<ravel::row<T...>> : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t k, class... T>
struct std::tuple_element<k, ravel::row<T...>> : std::tuple_element<k, std::tuple<T...>> {};
