#pragma once

/// @file
/// A pointer to a member, as a function object that kernels can call too.

#include <ravel/core/config.hpp>

#include <type_traits>
#include <utility>

namespace ravel::inline v0 {

/// What a pointer to a member gives of an object, or of what points to one, as std::invoke has
/// it: x.*member, or (x.*member)(...) of a member function.
///
///     map(&point::x)          the x of each point
template <class Pointer>
struct of_member {
  static_assert(std::is_member_pointer_v<Pointer>);
  static constexpr bool is_function = std::is_member_function_pointer_v<Pointer>;
  Pointer member;

  template <class X>
  requires(!is_function) RAVEL_HD constexpr auto operator()(X const& x) const
      -> decltype((x.*member)) {
    return (x.*member);
  }
  template <class X>
  requires(!is_function) RAVEL_HD constexpr auto operator()(X const& x) const
      -> decltype(((*x).*member)) {
    return ((*x).*member);
  }
  template <class X, class... A>
  requires(is_function) RAVEL_HD constexpr auto operator()(X const& x, A const&... a) const
      -> decltype((x.*member)(a...)) {
    return (x.*member)(a...);
  }
  template <class X, class... A>
  requires(is_function) RAVEL_HD constexpr auto operator()(X const& x, A const&... a) const
      -> decltype(((*x).*member)(a...)) {
    return ((*x).*member)(a...);
  }
};

/// What is called as f(x) where a user gave `f`: that, or of_member.
template <class F>
constexpr auto as_function(F f) {
  if constexpr (std::is_member_pointer_v<F>) {
    return of_member<F>{f};
  } else {
    return f;
  }
}
template <class F>
using function_t = decltype(as_function(std::declval<F>()));

}  // namespace ravel::inline v0
