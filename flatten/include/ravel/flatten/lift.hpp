#pragma once

/// Lift: functions and operators of scalars, applied to all instances.

#include <ravel/flatten/arithmetic.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>

#include <optional>
#include <tuple>

namespace ravel::inline v0 {
namespace flattening {

template <class T>
struct number_in_type : std::type_identity<T> {};
template <class T>
struct number_in_type<nested<T>> : std::type_identity<T> {};
/// The type of x, a number, or of the elements of a sequence of numbers.
template <class X>
using number_under = typename number_in_type<element_of<X>>::type;

template <class F, class... Other>
inline constexpr bool is_any_of = (std::same_as<F, Other> || ...);
/// Whether sequences of plain values apply a function where an element is used, and not once for
/// each: it takes few cycles, and cannot fail.
template <class Apply>
inline constexpr bool is_cheap = false;

/// Applies f to scalars; to sequences elementwise, where an operand that is not a
/// sequence is the same for all elements.
template <class Apply, class... X>
auto elementwise(Apply apply, X const&... x) {
  if constexpr ((plain_operand<X> || ...) && !(plain_sequence<X> || ...)) {
    return apply_to_one(apply, x...);
  } else if constexpr (!(sequence_operand<X> || ...)) {
    static_assert((scalar<X> && ...), "an operator or lifted function is of scalars, not records");
    return apply(x...);
  } else if constexpr (is_cheap<Apply> && (plain_operand<X> || ...) &&
                       (atom<number_under<X>> && ...)) {
    return deferred_map(apply, x...);
  } else if constexpr (sizeof...(X) == 1) {
    return each(x..., [&](auto const& element) { return elementwise(apply, element); });
  } else {
    static_assert(sizeof...(X) == 2,
                  "a lifted function of three or more operands is of scalars: use each");
    auto const& [a, b] = std::tie(x...);
    using A = std::remove_cvref_t<decltype(a)>;
    using B = std::remove_cvref_t<decltype(b)>;
    auto const& first = a;
    auto const& second = b;
    if constexpr (sequence_operand<A> && sequence_operand<B>) {
      return each(first, second,
                  [&](auto const& p, auto const& q) { return elementwise(apply, p, q); });
    } else if constexpr (sequence_operand<A>) {
      return each(first, [&](auto const& p) { return elementwise(apply, p, second); });
    } else {
      return each(second, [&](auto const& q) { return elementwise(apply, first, q); });
    }
  }
}

template <class F>
struct apply_function {
  F f;
  auto operator()(auto const&... x) const { return apply_scalars(f, x...); }
};

/// Integer division by zero must be reported.
template <class F>
struct apply_division {
  F f;
  template <class A, class B>
  auto operator()(A const& a, B const& b) const {
    if constexpr (std::integral<element_of<A>> && std::integral<element_of<B>>) {
      auto const c = resolve(a, b);
      auto const x = storage_in(c, a);
      auto const y = storage_in(c, b);
      division<F> const divide{f, {}, c->on->next_fault(fault_of::division)};
      return lifted_cells(c, apply_to_each(divide, x.e, y.e), owners_of(x, y));
    } else {
      return apply_scalars(f, a, b);
    }
  }
};

template <class A, class B>
concept lifted_operands = (lifted_value<A> && (lifted_value<B> || atom<B>)) ||
                          (atom<A> && lifted_value<B>) ||
                          (plain_operand<A> && (plain_operand<B> || atom<B>)) ||
                          (atom<A> && plain_operand<B>);

/// Short-circuit evaluation if the second operand can fail, else branchless evaluation of both.
template <bool Stop>
struct apply_short_circuit {
  auto operator()(auto const& a, auto const& b) const {
    auto const c = resolve(a, b);
    auto const x = storage_in(c, a);
    auto const y = storage_in(c, b);
    using both = std::conditional_t<Stop, either_holds, both_hold>;
    using F =
        std::conditional_t<can_fail<std::remove_const_t<decltype(y.e)>>, short_circuit<Stop>, both>;
    return lifted_cells(c, apply_to_each(F{}, x.e, y.e), owners_of(x, y));
  }
};

/// Lengths computed from lengths that the host knows are known too.
template <std::size_t... I, class F, class... E>
requires(std::same_as<F, added> || std::same_as<F, subtracted> || std::same_as<F, multiplied>)
    std::optional<index_t> known_number(application<std::index_sequence<I...>, F, E...> const& x) {
  std::optional<index_t> const known[] = {known_number(operand_at<I>(x))...};
  if (!(known[I] && ...)) return {};
  return static_cast<index_t>(x.f(static_cast<typename E::value_type>(*known[I])...));
}
/// So are comparisons of them.
template <class F, class... E>
inline constexpr bool compares_numbers =
    (std::integral<E> && ...) &&
    is_any_of<F, is_less, is_greater, is_at_most, is_at_least, is_equal, is_different>;
template <class F, class A, class B>
requires compares_numbers<F, typename A::value_type, typename B::value_type> std::optional<index_t>
known_number(application<std::index_sequence<0, 1>, F, A, B> const& x) {
  auto const a = known_number(operand_at<0>(x)), b = known_number(operand_at<1>(x));
  if (!a || !b) return {};
  return x.f(static_cast<typename A::value_type>(*a), static_cast<typename B::value_type>(*b));
}
template <class A, class B>
std::optional<index_t> known_number(
    application<std::index_sequence<0, 1>, division<divided>, A, B> const& x) {
  auto const a = known_number(operand_at<0>(x)), b = known_number(operand_at<1>(x));
  if (!a || !b || *b == 0) return {};
  return static_cast<index_t>(
      x.f.f(static_cast<typename A::value_type>(*a), static_cast<typename B::value_type>(*b)));
}

template <class F>
inline constexpr bool is_cheap<apply_function<F>> =
    is_any_of<F, added, subtracted, multiplied, negated, is_less, is_greater, is_at_most,
              is_at_least, is_equal, is_different, not_so>;
template <class T>
inline constexpr bool is_cheap<apply_function<as_type<T>>> = true;

template <class F>
struct lifted_function {
  F f;
  auto operator()(auto const&... x) const { return elementwise(apply_function<F>{f}, x...); }
};

}  // namespace flattening

/// Makes a function of lifted values from the function object f of scalars:
///
///     struct hypotenuse {
///       RAVEL_HD double operator()(double x, double y) const { return sqrt(x * x + y * y); }
///     };
///     auto const z = lift(hypotenuse{})(x, y);
///
/// With one or two sequences it is applied elementwise.  f is
/// copied into kernels: for a device it must be a named struct, since nvcc rejects a
/// lambda inside a lambda.  f must be total, with a value for all values of its parameters, since
/// it may be called for instances that do not use the result.  Only if_ prevents such calls.
///
/// Cost     None of its own: it is fused into the step that uses the result.
template <class F>
constexpr auto lift(F f) {
  return flattening::lifted_function<F>{f};
}

// The operators are those of C++, on scalars, on sequences of the same shape, or on
// a sequence and a scalar.

/// Element by element, on scalars, on sequences of one shape, or on a sequence and a scalar.
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator+(A const& a, B const& b) { return lift(flattening::added{})(a, b); }
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator-(A const& a, B const& b) { return lift(flattening::subtracted{})(a, b); }
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator*(A const& a, B const& b) { return lift(flattening::multiplied{})(a, b); }
/// Integers throw domain_error where b is 0, and wrap around where the least is divided by -1.
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator/(A const& a, B const& b) {
  return flattening::elementwise(flattening::apply_division<flattening::divided>{}, a, b);
}
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator%(A const& a, B const& b) {
  return flattening::elementwise(flattening::apply_division<flattening::remaining>{}, a, b);
}
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator<(A const& a, B const& b) { return lift(flattening::is_less{})(a, b); }
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator>(A const& a, B const& b) { return lift(flattening::is_greater{})(a, b); }
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator<=(A const& a, B const& b) { return lift(flattening::is_at_most{})(a, b); }
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator>=(A const& a, B const& b) { return lift(flattening::is_at_least{})(a, b); }
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator==(A const& a, B const& b) { return lift(flattening::is_equal{})(a, b); }
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator!=(A const& a, B const& b) { return lift(flattening::is_different{})(a, b); }
/// They short-circuit as in C++: where a decides, b is not evaluated, and cannot fail.
///
///     (i < len(x)) && (at(x, i) > 0)
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator&&(A const& a, B const& b) {
  return flattening::elementwise(flattening::apply_short_circuit<false>{}, a, b);
}
template <class A, class B>
requires flattening::lifted_operands<A, B>
auto operator||(A const& a, B const& b) {
  return flattening::elementwise(flattening::apply_short_circuit<true>{}, a, b);
}
auto operator-(operand auto const& a) { return lift(flattening::negated{})(a); }
auto operator!(operand auto const& a) { return lift(flattening::not_so{})(a); }

/// condition ? a : b, for each instance, where a and b are scalars, lifted or numbers of the host.
///
///     select(i > 0, at(x, i - 1), 0)
///
/// Each instance uses only the operand that it selects, and the other cannot fail, in expressions
/// of any size: neither by index nor by division.  An operand that is not an expression of scalars
/// is a step over all instances: a reduction, max_index, an element that is a sequence, keep.
/// Guard these by if_, which restricts them to the instances that need them.
template <lifted_scalar C, scalar A, scalar B>
auto select(C const& condition, A const& a, B const& b) {
  static_assert(std::same_as<element_of<C>, bool>, "select: the condition must be a lifted bool");
  auto const c = flattening::resolve(condition, a, b);
  auto const x = flattening::storage_in(c, condition);
  auto const y = flattening::storage_in(c, a);
  auto const z = flattening::storage_in(c, b);
  return flattening::lifted_cells(c, flattening::apply_to_each(flattening::choice{}, x.e, y.e, z.e),
                                  flattening::owners_of(x, y, z));
}

/// The same element by element, where the condition is a sequence, and a and b are sequences of its
/// length, or scalars.
///
///     select([t f t], [1 2 3], 0)      [1 0 3]
template <sequence_operand C, class A, class B>
auto select(C const& condition, A const& a, B const& b) {
  if constexpr (sequence_operand<A> && sequence_operand<B>) {
    return each(condition, a, b,
                [](auto const& c, auto const& x, auto const& y) { return select(c, x, y); });
  } else if constexpr (sequence_operand<A>) {
    return each(condition, a, [&](auto const& c, auto const& x) { return select(c, x, b); });
  } else if constexpr (sequence_operand<B>) {
    return each(condition, b, [&](auto const& c, auto const& y) { return select(c, a, y); });
  } else {
    return each(condition, [&](auto const& c) { return select(c, a, b); });
  }
}

/// Converts x to another type of number.
template <class T, operand X>
auto cast(X const& x) {
  if constexpr (std::same_as<element_of<X>, T>) {
    return x;
  } else {
    return lift(flattening::as_type<T>{})(x);
  }
}

}  // namespace ravel::inline v0
