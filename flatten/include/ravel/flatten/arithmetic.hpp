#pragma once

/// Arithmetic: the operators of C++ as function objects, with integers that wrap around.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::flattening {

/// C, the type of an operator's result in C++, is an integer that wraps around: both operands are
/// numbers, and the result is no narrower than an int.
template <class C, class... A>
concept wraps_around = std::integral<C> &&((std::is_arithmetic_v<A> || std::is_enum_v<A>)&&...);

/// a + b, in its C++ type.  Integers wrap around, as in `plus`.
struct added {
  template <class A, class B>
  RAVEL_HD constexpr auto operator()(A const& a, B const& b) const {
    using C = decltype(a + b);
    if constexpr (wraps_around<C, A, B>) {
      return static_cast<C>(detail::wrapping(static_cast<C>(a)) +
                            detail::wrapping(static_cast<C>(b)));
    } else {
      return a + b;
    }
  }
};
struct subtracted {
  template <class A, class B>
  RAVEL_HD constexpr auto operator()(A const& a, B const& b) const {
    using C = decltype(a - b);
    if constexpr (wraps_around<C, A, B>) {
      return static_cast<C>(detail::wrapping(static_cast<C>(a)) -
                            detail::wrapping(static_cast<C>(b)));
    } else {
      return a - b;
    }
  }
};
struct multiplied {
  template <class A, class B>
  RAVEL_HD constexpr auto operator()(A const& a, B const& b) const {
    using C = decltype(a * b);
    if constexpr (wraps_around<C, A, B>) {
      return static_cast<C>(detail::wrapping(static_cast<C>(a)) *
                            detail::wrapping(static_cast<C>(b)));
    } else {
      return a * b;
    }
  }
};
/// The least integer divided by -1 wraps around, where the processor would trap.
struct divided {
  template <class A, class B>
  RAVEL_HD constexpr auto operator()(A const& a, B const& b) const {
    using C = decltype(a / b);
    if constexpr (std::signed_integral<C>) {
      if (static_cast<C>(b) == -1)
        return static_cast<C>(0 - static_cast<std::make_unsigned_t<C>>(a));
    }
    return a / b;
  }
  /// x / (low + 1), a power of two; rounded towards 0, like any quotient.
  template <class C>
  RAVEL_HD static constexpr C by_power(C x, C low, int shift) {
    return static_cast<C>((x < 0 ? x + low : x) >> shift);
  }
};
struct remaining {
  template <class A, class B>
  RAVEL_HD constexpr auto operator()(A const& a, B const& b) const {
    using C = decltype(a % b);
    if constexpr (std::signed_integral<C>) {
      if (static_cast<C>(b) == -1) return C(0);
    }
    return a % b;
  }
  template <class C>
  RAVEL_HD static constexpr C by_power(C x, C low, int) {
    return static_cast<C>(x - ((x < 0 ? x + low : x) & ~low));
  }
};
struct is_less {
  template <class A, class B>
  RAVEL_HD constexpr bool operator()(A const& a, B const& b) const {
    return a < b;
  }
};
struct is_greater {
  template <class A, class B>
  RAVEL_HD constexpr bool operator()(A const& a, B const& b) const {
    return a > b;
  }
};
struct is_at_most {
  template <class A, class B>
  RAVEL_HD constexpr bool operator()(A const& a, B const& b) const {
    return a <= b;
  }
};
struct is_at_least {
  template <class A, class B>
  RAVEL_HD constexpr bool operator()(A const& a, B const& b) const {
    return a >= b;
  }
};
struct is_equal {
  template <class A, class B>
  RAVEL_HD constexpr bool operator()(A const& a, B const& b) const {
    return a == b;
  }
};
struct is_different {
  template <class A, class B>
  RAVEL_HD constexpr bool operator()(A const& a, B const& b) const {
    return a != b;
  }
};
struct both_hold {
  RAVEL_HD constexpr bool operator()(bool a, bool b) const { return a && b; }
};
struct either_holds {
  RAVEL_HD constexpr bool operator()(bool a, bool b) const { return a || b; }
};

struct negated {
  template <class A>
  RAVEL_HD constexpr auto operator()(A const& a) const {
    using C = decltype(-a);
    if constexpr (wraps_around<C, A>) {
      return static_cast<C>(0 - detail::wrapping(static_cast<C>(a)));
    } else {
      return -a;
    }
  }
};
struct not_so {
  RAVEL_HD constexpr bool operator()(bool a) const { return !a; }
};

}  // namespace ravel::inline v0::flattening
