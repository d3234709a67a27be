#pragma once

/// Operators on plain values: applied to numbers at once, to sequences where their elements are used.

#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/plain_deferred.hpp>
#include <ravel/flatten/plain_value.hpp>

namespace ravel::inline v0::flattening {

template <class X>
bool is_marked(X const& x) {
  if constexpr (plain_operand<X>) {
    return x.failed;
  } else {
    return false;
  }
}
/// An operator on sequences of numbers, or on one and a number: it is applied where elements are used.
template <class F, class... X>
auto deferred_map(apply_function<F> const& op, X const&... x) {
  using T = std::remove_cvref_t<decltype(op.f(std::declval<number_under<X>>()...))>;
  index_t n = -1;
  auto const add = [&](auto const& one) {
    if constexpr (plain_sequence<decltype(one)>) {
      if (n >= 0 && n != one.n) leave_loop();
      n = one.n;
    } else if constexpr (plain_operand<decltype(one)>) {
      expect_value(one);
    }
  };
  (add(x), ...);
  return plain_map<T, F, X...>{op.f, {x...}, n};
}
/// f of numbers, where one is plain.
template <class F, class... X>
auto apply_to_one(apply_function<F> const& op, X const&... x) {
  using T = std::remove_cvref_t<decltype(op.f(number_in(x)...))>;
  return plain_value<T>{op.f(number_in(x)...), static_cast<bool>((is_marked(x) | ...))};
}
template <class F, class A, class B>
auto apply_to_one(apply_division<F> const& op, A const& a, B const& b) {
  auto const x = settled_plain(a);
  auto const y = settled_plain(b);
  using T = std::remove_cvref_t<decltype(op.f(x.value, y.value))>;
  if constexpr (std::integral<element_of<A>> && std::integral<element_of<B>>) {
    if (y.value == 0) [[unlikely]]
      return plain_value<T>{T{}, true};
  }
  return plain_value<T>{op.f(x.value, y.value), static_cast<bool>(x.failed | y.failed)};
}
template <bool Stop, class A, class B>
plain_value<bool> apply_to_one(apply_short_circuit<Stop> const&, A const& a, B const& b) {
  auto const x = settled_plain(a);
  auto const y = settled_plain(b);
  bool const decided = x.value == Stop;
  return {decided ? Stop : y.value, x.failed || (!decided && y.failed)};
}

}  // namespace ravel::inline v0::flattening
