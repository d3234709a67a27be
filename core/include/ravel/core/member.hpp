#pragma once

/// Pointers to members, as function objects that kernels can call.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

/// Applies a pointer to a member to an object, or to a pointer to one, as std::invoke does:
/// x.*member, or (x.*member)(...) for a member function.
///
///     map(&point::x)          the x of each point
template <class Pointer>
struct of_member {
  static_assert(std::is_member_pointer_v<Pointer>);
  static constexpr bool is_function = std::is_member_function_pointer_v<Pointer>;
  Pointer member;

  RAVEL_MAY_CALL_HOST
  template <class X>
  requires(!is_function) RAVEL_HD constexpr auto operator()(X const& x) const
      -> decltype((x.*member)) {
    return (x.*member);
  }
  RAVEL_MAY_CALL_HOST
  template <class X>
  requires(!is_function) RAVEL_HD constexpr auto operator()(X const& x) const
      -> decltype(((*x).*member)) {
    return ((*x).*member);
  }
  RAVEL_MAY_CALL_HOST
  template <class X, class... A>
  requires(is_function) RAVEL_HD constexpr auto operator()(X const& x, A const&... a) const
      -> decltype((x.*member)(a...)) {
    return (x.*member)(a...);
  }
  RAVEL_MAY_CALL_HOST
  template <class X, class... A>
  requires(is_function) RAVEL_HD constexpr auto operator()(X const& x, A const&... a) const
      -> decltype(((*x).*member)(a...)) {
    return ((*x).*member)(a...);
  }
};

/// The function object for a user's `f`: f itself, or of_member for a pointer to a member.
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
