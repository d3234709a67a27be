#pragma once

/// The description of a split.

#include <ravel/core/member.hpp>
#include <ravel/core/table.hpp>

namespace ravel::inline v0 {

struct split_family;

/// The receiver of the starts of parts that ignores them.
struct no_starts {
  RAVEL_HD void operator()(int, index_t) const {}
};

/// visit(i, d, place) for each i of [0, n), with its digit d, and its place in the stable order of
/// digits; starts(d, place) for each d of [0, Ways].
template <int Ways, class Digit, class Visit, class Starts>
struct split_call {
  using family = split_family;
  static constexpr int ways = Ways;
  index_t n;
  Digit digit;
  Visit visit;
  Starts starts;
};

namespace detail {

template <class T, class Digit>
struct digit_of_element {
  T const* from;
  Digit digit;
  RAVEL_HD int operator()(index_t i) const { return static_cast<int>(digit(from[i])); }
};
template <class T>
struct digit_of_flag {
  T const* flags;
  RAVEL_HD int operator()(index_t i) const { return flags[i] ? 1 : 0; }
};

/// The visit that moves each element to its position.
template <class In, class Out>
struct place_element {
  In const* from;
  Out* to;
  RAVEL_HD void operator()(index_t i, int, index_t place) const {
    to[place] = detail::as_assigned<Out>(from[i]);
  }
};
template <class T>
struct store_starts {
  T* to;
  RAVEL_HD void operator()(int d, index_t start) const { to[d] = static_cast<T>(start); }
};

/// The elements that a visit moves unchanged: void if it does anything else.
template <class Visit>
struct moved_by {
  using element = void;
};
template <class T>
struct moved_by<place_element<T, T>> {
  using element = T;
};
template <class Call>
using moved_by_call = typename moved_by<std::remove_cvref_t<decltype(Call::visit)>>::element;

}  // namespace detail

/// The call of split_on with the same arguments.
template <int Ways, class Digit, class Visit, class Starts = no_starts>
auto describe_split_on(index_t n, Digit digit, Visit visit, Starts starts = {}) {
  static_assert(1 <= Ways && Ways <= 256, "split_on: the ways are from 1 to 256");
  return split_call<Ways, Digit, Visit, Starts>{n, digit, visit, starts};
}

/// The call of split with the same arguments, `digit` being a function of an element.
template <int Ways, class In, class Digit, class Out>
auto describe_split(In const& in, Digit digit, Out&& out) {
  auto const src = view_of(in);
  using T = std::remove_const_t<std::remove_pointer_t<decltype(src.data())>>;
  return describe_split_on<Ways>(
      src.size(), detail::digit_of_element<T, Digit>{src.data(), digit},
      detail::place_element<T, element_t<Out>>{src.data(), view_of(out).data()});
}

}  // namespace ravel::inline v0
