#pragma once

/// Monoids, their properties, and how a call chooses the type of its monoid.
/// core/derived_monoids.hpp has those derived from others.
///
/// A monoid is an object with `m(x, y)`, associative, and `m.identity()`.  Those named here have a
/// type, `plus<int>`, or take it from the call, `plus{}`.

#include <ravel/core/concepts.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {

/// The least and the greatest value of `T`; infinities where it has them.  Specialise it for types
/// that std::numeric_limits does not know.
template <class T>
struct bounds {
 private:
  using limits = std::numeric_limits<T>;
  static_assert(limits::is_specialized, "bounds<T>: specialise ravel::bounds for this type");
  static constexpr T least = limits::has_infinity ? T(-limits::infinity()) : limits::lowest();
  static constexpr T greatest = limits::has_infinity ? limits::infinity() : limits::max();

 public:
  static RAVEL_HD constexpr T lowest() { return least; }
  static RAVEL_HD constexpr T highest() { return greatest; }
};

namespace detail {

/// A NaN, the only value that differs from itself.
template <class T>
RAVEL_HD constexpr bool is_nan(T const& x) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return !(x == x);
  }
}

/// x and y, without a branch.
RAVEL_HD constexpr bool both(bool x, bool y) { return static_cast<bool>(int{x} & int{y}); }

/// Whether x is before y, or y is a NaN.  x is none.
template <class T>
RAVEL_HD constexpr bool less_or_nan(T const& x, T const& y) {
  if constexpr (std::is_floating_point_v<T>) {
    return !(y <= x);
  } else {
    return x < y || is_nan(y);
  }
}
template <class T>
RAVEL_HD constexpr bool more_or_nan(T const& x, T const& y) {
  if constexpr (std::is_floating_point_v<T>) {
    return !(x <= y);
  } else {
    return y < x || is_nan(y);
  }
}

/// The type in which values of type T are added and multiplied: for integers an unsigned type no
/// narrower than int, which wraps around.
template <class T>
using wrapping_t =
    std::conditional_t<!std::is_integral_v<T> || (sizeof(T) > 8), T,
                       std::conditional_t<(sizeof(T) <= 4), std::uint32_t, std::uint64_t>>;
/// What an operand of type T is cast to.  The casts and the operation are best one expression: g++ narrows that
/// one to bytes, which it then adds in vectors.
template <class T>
using wrapping_operand = std::conditional_t<std::is_integral_v<T>, wrapping_t<T>, T const&>;
template <class T>
RAVEL_HD constexpr wrapping_operand<T> wrapping(T const& x) {
  return static_cast<wrapping_operand<T>>(x);
}

/// second ? y : x.  On a device a signed word is chosen by an instruction that ptxas does not see through: of
/// max(max(x, -y), -z) that of CUDA 13.0 makes one instruction of sm_90, which reads y without its sign.
template <class T>
RAVEL_HD constexpr T chosen(bool second, T const& y, T const& x) {
#ifdef RAVEL_DEVICE_CODE
  if constexpr (std::signed_integral<T> && sizeof(T) <= 4) {
    if (!__builtin_is_constant_evaluated()) {
      int one;
      asm("{ .reg .pred second; setp.ne.s32 second, %1, 0; selp.b32 %0, %2, %3, second; }"
          : "=r"(one)
          : "r"(int{second}), "r"(int{y}), "r"(int{x}));
      return static_cast<T>(one);
    }
  }
#endif
  if constexpr (std::is_arithmetic_v<
                    T>) {  // of copies: nvcc chooses between references by their addresses
    T const one = x, other = y;
    return second ? other : one;
  } else {
    return second ? y : x;
  }
}

}  // namespace detail

/// x + y; identity 0, or T{} where a T is made of no number, as a std::string.  Integers wrap around in their own width, in two's complement, because a
/// partial sum of another grouping may overflow where the sum does not.  All layers do integer
/// arithmetic this way: differences, products, and the operators of nested programs.
template <class T = void>
struct plus {
  RAVEL_MAY_CALL_HOST
  static RAVEL_HD constexpr T identity() {
    if constexpr (std::is_constructible_v<T, int>) {
      return T(0);
    } else {
      return T{};  // T(0) is a string of a null pointer
    }
  }
  RAVEL_MAY_CALL_HOST
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const {
    using U = detail::wrapping_operand<T>;
    return static_cast<T>(static_cast<U>(x) + static_cast<U>(y));
  }
};

/// x y; identity 1.  Integers wrap around.
template <class T = void>
struct multiplies {
  static RAVEL_HD constexpr T identity() { return T(1); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const {
    using U = detail::wrapping_operand<T>;
    return static_cast<T>(static_cast<U>(x) * static_cast<U>(y));
  }
};

/// The smaller; the left operand if equal.  NaN wins over everything, as in IEEE 754-2019
/// `minimum`; otherwise it would not be associative.
template <class T = void>
struct minimum {
  static RAVEL_HD constexpr T identity() { return bounds<T>::highest(); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const {
    return detail::chosen(detail::both(!detail::is_nan(x), detail::more_or_nan(x, y)), y, x);
  }
};

/// The greater; the left operand if equal.  NaN wins over everything.
template <class T = void>
struct maximum {
  static RAVEL_HD constexpr T identity() { return bounds<T>::lowest(); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const {
    return detail::chosen(detail::both(!detail::is_nan(x), detail::less_or_nan(x, y)), y, x);
  }
};

/// x and y; identity true.
template <class T = void>
struct logical_and {
  static RAVEL_HD constexpr T identity() { return T(true); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const { return T(x && y); }
};

/// x or y; identity false.
template <class T = void>
struct logical_or {
  static RAVEL_HD constexpr T identity() { return T(false); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const { return T(x || y); }
};

/// Bitwise and; identity all ones.
template <class T = void>
struct bit_and {
  static RAVEL_HD constexpr T identity() { return static_cast<T>(~T(0)); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const { return static_cast<T>(x & y); }
};

/// Bitwise or; identity 0.
template <class T = void>
struct bit_or {
  static RAVEL_HD constexpr T identity() { return T(0); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const { return static_cast<T>(x | y); }
};

/// Bitwise exclusive or; identity 0.
template <class T = void>
struct bit_xor {
  static RAVEL_HD constexpr T identity() { return T(0); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const { return static_cast<T>(x ^ y); }
};

/// A value and its index.
template <class T>
struct indexed {
  T value;
  index_t index;
  friend RAVEL_HD constexpr bool operator==(indexed const& a, indexed const& b) {
    return a.value == b.value && a.index == b.index;
  }
};

/// The smallest value and its first index; NaN wins over numbers.
template <class T = void>
struct arg_min {
  static RAVEL_HD constexpr indexed<T> identity() {
    return {bounds<T>::highest(), bounds<index_t>::highest()};
  }
  RAVEL_HD constexpr indexed<T> operator()(indexed<T> const& x, indexed<T> const& y) const {
    bool const nan_x = detail::is_nan(x.value);
    bool const nan_y = detail::is_nan(y.value);
    if (nan_x != nan_y) return nan_y ? y : x;
    if (!nan_x && y.value < x.value) return y;
    if (!nan_x && x.value < y.value) return x;
    return y.index < x.index ? y : x;
  }
};

/// The greatest value and its first index; NaN wins over numbers.
template <class T = void>
struct arg_max {
  static RAVEL_HD constexpr indexed<T> identity() {
    return {bounds<T>::lowest(), bounds<index_t>::highest()};
  }
  RAVEL_HD constexpr indexed<T> operator()(indexed<T> const& x, indexed<T> const& y) const {
    bool const nan_x = detail::is_nan(x.value);
    bool const nan_y = detail::is_nan(y.value);
    if (nan_x != nan_y) return nan_y ? y : x;
    if (!nan_x && x.value < y.value) return y;
    if (!nan_x && y.value < x.value) return x;
    return y.index < x.index ? y : x;
  }
};

namespace detail {

/// The element type of `Value<T>`, on which a monoid such as arg_min<T> is defined, when the call
/// chooses T.
template <class T>
struct value_of : std::type_identity<T> {};
template <class T>
struct value_of<indexed<T>> : std::type_identity<T> {};

template <template <class> class M>
struct chosen_by_the_call {
  template <class T>
  using on = M<typename value_of<T>::type>;
};

}  // namespace detail

template <>
struct plus<void> : detail::chosen_by_the_call<plus> {};
template <>
struct multiplies<void> : detail::chosen_by_the_call<multiplies> {};
template <>
struct minimum<void> : detail::chosen_by_the_call<minimum> {};
template <>
struct maximum<void> : detail::chosen_by_the_call<maximum> {};
template <>
struct logical_and<void> : detail::chosen_by_the_call<logical_and> {};
template <>
struct logical_or<void> : detail::chosen_by_the_call<logical_or> {};
template <>
struct bit_and<void> : detail::chosen_by_the_call<bit_and> {};
template <>
struct bit_or<void> : detail::chosen_by_the_call<bit_or> {};
template <>
struct bit_xor<void> : detail::chosen_by_the_call<bit_xor> {};
template <>
struct arg_min<void> : detail::chosen_by_the_call<arg_min> {};
template <>
struct arg_max<void> : detail::chosen_by_the_call<arg_max> {};

/// Whether operands may be combined in any order and always give the same value.  It is false for
/// user-defined monoids, whose calls then take no faster form for commutative monoids, and for
/// floating point, which rounds.
template <class M>
inline constexpr bool commutes = false;
template <class T>
inline constexpr bool commutes<plus<T>> = std::is_integral_v<T>;
template <class T>
inline constexpr bool commutes<multiplies<T>> = std::is_integral_v<T>;
template <class T>
inline constexpr bool commutes<minimum<T>> = std::is_integral_v<T>;
template <class T>
inline constexpr bool commutes<maximum<T>> = std::is_integral_v<T>;
template <class T>
inline constexpr bool commutes<bit_and<T>> = true;
template <class T>
inline constexpr bool commutes<bit_or<T>> = true;
template <class T>
inline constexpr bool commutes<bit_xor<T>> = true;

namespace detail {

/// An operand for function objects whose operator is to be found out: it returns the monoid.
struct probe {
  friend plus<> operator+(probe, probe);
  friend multiplies<> operator*(probe, probe);
  friend logical_and<> operator&&(probe, probe);
  friend logical_or<> operator||(probe, probe);
  friend bit_and<> operator&(probe, probe);
  friend bit_or<> operator|(probe, probe);
  friend bit_xor<> operator^(probe, probe);
};

/// The monoid that a function object of operands of any type is, such as std::plus<>.
template <class F>
using operation_t = std::remove_cvref_t<decltype(std::declval<F const&>()(probe{}, probe{}))>;
template <class F, class T>
concept is_operation = !some_monoid<F> && std::is_empty_v<F> && requires {
  typename F::is_transparent;
  typename operation_t<F>::template on<T>;
};

}  // namespace detail

/// `m` itself, or, if it takes its type from the call, the monoid on T.  So do the function objects
/// of <functional> that are given no type.
///
///     monoid_on<int>(plus{})         is  plus<int>{}
///     monoid_on<int>(std::plus{})    is  plus<int>{}
template <class T, class M>
constexpr auto monoid_on(M m) {
  if constexpr (requires { typename M::template on<T>; }) {
    return typename M::template on<T>{};
  } else if constexpr (detail::is_operation<M, T>) {
    return typename detail::operation_t<M>::template on<T>{};
  } else {
    return m;
  }
}

/// The element type of a monoid.
template <class M>
using carrier_t = std::remove_cvref_t<decltype(std::declval<M const&>().identity())>;

/// The monoid of an associative function object and its identity.
///
///     monoid{gcd{}, 0}
template <class T, class Op>
class monoid {
  Op op_;
  T identity_;

 public:
  RAVEL_HD constexpr monoid(Op op, T identity) : op_(op), identity_(identity) {}
  RAVEL_HD constexpr T identity() const { return identity_; }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const { return op_(x, y); }
};
template <class Op, class T>
monoid(Op, T) -> monoid<T, Op>;

}  // namespace ravel::inline v0
