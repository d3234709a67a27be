#pragma once

/// Straight expressions: expressions that read the elements of memory in order.
///
/// A leaf computes the element of each instance at run time, since its type does not
/// show how it was moved.  Most often element i belongs to instance i, and in
/// `gather(x, i)` all instances share the sequence x.  A reduction then uses
/// another type of expression, specialised once, on the host, for contiguous operands.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/flatten/arithmetic.hpp>
#include <ravel/flatten/deferred.hpp>
#include <ravel/flatten/expression.hpp>
#include <ravel/flatten/optimiser.hpp>
#include <ravel/flatten/straight_expression.hpp>
#include <ravel/flatten/straight_fetch.hpp>

#include <bit>

namespace ravel::inline v0::flattening {

// Whether an expression is straight, and its straight form; by default it is not.

template <class E>
inline constexpr bool is_plain = false;
template <class T>
inline constexpr bool is_plain<constant<T>> = true;
template <class T>
inline constexpr bool is_plain<leaf<T>> = true;
template <class Indices, class F, class... E>
inline constexpr bool is_plain<application<Indices, F, E...>> = (!is_lazy<F> && ... && is_plain<E>);

template <class E>
inline constexpr bool may_be_straight = is_plain<E>;
template <>
inline constexpr bool may_be_straight<place> = true;
template <>
inline constexpr bool may_be_straight<begin_of> = true;
template <>
inline constexpr bool may_be_straight<length_of> = true;
template <class Indices, class F, class... E>
inline constexpr bool may_be_straight<application<Indices, F, E...>> = (!fails_itself<F> && ... &&
                                                                        may_be_straight<E>);
template <class E, class I>
inline constexpr bool may_be_straight<fetch<E, I>> = is_plain<E>&& may_be_straight<I>;

/// Division by a number that the host knows.
template <class F, class A, class T>
using division_by = application<std::index_sequence<0, 1>, division<F>, A, constant<T>>;
/// It fails for 0 alone, so that its straight form is an operator of one operand.  Not in kernels: each
/// expression would have one more.
template <class F, class A, class T>
inline constexpr bool may_be_straight<division_by<F, A, T>> = traces_loops&& may_be_straight<A>;

/// What the host reads beforehand for a straight form, if all instances share it: nothing for a device; where
/// a sequence begins and ends; that, and the values of leaves.
enum class read_before { nothing, bounds, values };

template <class T>
bool is_straight(constant<T> const&, read_before = {}) {
  return true;
}
template <class T>
bool is_straight(leaf<T> const& x, read_before read = {}) {
  return x.at.is_identity() || (read == read_before::values && x.at.same_for_all());
}
inline bool is_straight(place const& x, read_before = {}) { return x.at.is_identity(); }
/// Of a single sequence a device knows that it begins at 0, and its length, if no memory has its bounds.
template <class E>
requires(std::same_as<E, begin_of> || std::same_as<E, length_of>)  //
    bool is_straight(E const& x, read_before read = {}) {
  auto const& [begins, ends, uniform, at] = x.where;
  return at.same_for_all() &&
         (read != read_before::nothing || (begins == nullptr && at.map == nullptr));
}
template <std::size_t... I, class F, class... E>
bool is_straight(application<std::index_sequence<I...>, F, E...> const& x, read_before read = {}) {
  return (is_straight(operand_at<I>(x), read) && ...);
}
template <class F, class A, class T>
bool is_straight(division_by<F, A, T> const& x, read_before read = {}) {
  return operand_at<1>(x).value != T{} && is_straight(operand_at<0>(x), read);
}
template <class E, class I>
bool is_straight(fetch<E, I> const& x, read_before read = {}) {
  bool const one_value = is_leaf<I>::value && read == read_before::values;
  return x.where.at.same_for_all() && is_straight(x.elements) &&
         is_straight(x.index, one_value ? read_before::bounds : read);
}

/// Whether it fetches from sequences; and whether all of these begin at 0, as the
/// host knows: such kernels need fewer registers.
template <class E>
inline constexpr bool has_fetch = false;
template <class Indices, class F, class... E>
inline constexpr bool has_fetch<application<Indices, F, E...>> =
    !fails_itself<F> && (has_fetch<E> || ...);
template <class F, class A, class T>
inline constexpr bool has_fetch<division_by<F, A, T>> = has_fetch<A>;
template <class E, class I>
inline constexpr bool has_fetch<fetch<E, I>> = true;
bool is_at_front(auto const&) { return true; }
template <std::size_t... I, class F, class... E>
bool is_at_front(application<std::index_sequence<I...>, F, E...> const& x) {
  return (is_at_front(operand_at<I>(x)) && ...);
}
template <class E, class I>
bool is_at_front(fetch<E, I> const& x) {
  return x.where.begins == nullptr && x.where.at.map == nullptr && is_at_front(x.index);
}

template <class AtFront, class T>
straight_constant<T> straight(AtFront, constant<T> const& x) {
  return {{}, x.value};
}
template <class AtFront, class T>
straight_leaf<T> straight(AtFront, leaf<T> const& x) {
  return {{}, x.data};
}
straight_place straight(auto, place const&) { return {}; }
straight_constant<index_t> straight(auto, begin_of const&) { return {{}, 0}; }
straight_constant<index_t> straight(auto, length_of const& x) { return {{}, x.where.length(0)}; }
template <class AtFront, std::size_t... I, class F, class... E>
auto straight(AtFront front, application<std::index_sequence<I...>, F, E...> const& x) {
  return straight_application<std::index_sequence<I...>, F,
                              decltype(straight(front, std::declval<E const&>()))...>{
      {straight(front, operand_at<I>(x))}..., x.f};
}
/// f(x, divisor), by a shift if the divisor is a power of two.
template <class F, class C>
struct divided_by {
  F f;
  C divisor;
  int shift;  // negative if it is none
  template <class A>
  RAVEL_HD C operator()(A const& x) const {
    if (shift >= 0) return F::by_power(static_cast<C>(x), static_cast<C>(divisor - 1), shift);
    return static_cast<C>(f(static_cast<C>(x), divisor));
  }
};
template <class AtFront, class F, class A, class T>
auto straight(AtFront front, division_by<F, A, T> const& x) {
  using C = typename division_by<F, A, T>::value_type;
  auto const divisor = static_cast<C>(operand_at<1>(x).value);
  auto const bits = static_cast<std::make_unsigned_t<C>>(divisor);
  int const shift = divisor > 0 && std::has_single_bit(bits) ? std::countr_zero(bits) : -1;
  auto const a = straight(front, operand_at<0>(x));
  return straight_application<std::index_sequence<0>, divided_by<F, C>,
                              std::remove_const_t<decltype(a)>>{{a}, {x.f.f, divisor, shift}};
}
/// Of operands that take few cycles both are computed.
template <class AtFront, class C, class A, class B>
auto straight(AtFront front, application<std::index_sequence<0, 1, 2>, choice, C, A, B> const& x) {
  auto const c = straight(front, operand_at<0>(x));
  auto const a = straight(front, operand_at<1>(x));
  auto const b = straight(front, operand_at<2>(x));
  using Condition = std::remove_const_t<decltype(c)>;
  using First = std::remove_const_t<decltype(a)>;
  using Second = std::remove_const_t<decltype(b)>;
  if constexpr (takes_few_cycles<First> && takes_few_cycles<Second>) {
    return straight_application<std::index_sequence<0, 1, 2>,
                                chosen<typename std::remove_cvref_t<decltype(x)>::value_type>,
                                Condition, First, Second>{{c}, {a}, {b}, {}};
  } else {
    return straight_choice<Condition, First, Second>{c, a, b};
  }
}
/// Both operands, if the second cannot fail; else as the equivalent choice: a ? b : false, or a ? true : b.
template <class AtFront, bool Stop, class A, class B>
auto straight(AtFront front,
              application<std::index_sequence<0, 1>, short_circuit<Stop>, A, B> const& x) {
  using decided = straight_constant<bool>;
  auto const a = straight(front, operand_at<0>(x));
  auto const b = straight(front, operand_at<1>(x));
  using First = std::remove_const_t<decltype(a)>;
  using Second = std::remove_const_t<decltype(b)>;
  if constexpr (is_simple<Second>) {
    using both = std::conditional_t<Stop, either_holds, both_hold>;
    return straight_application<std::index_sequence<0, 1>, both, First, Second>{{a}, {b}, {}};
  } else if constexpr (Stop) {
    return straight_choice<First, decided, Second>{a, {{}, true}, b};
  } else {
    return straight_choice<First, Second, decided>{a, b, {{}, false}};
  }
}
/// Loops of the host have one type for all sequences: where a sequence begins is read beforehand.
struct on_host {};
inline straight_constant<index_t> straight(on_host, begin_of const& x) {
  return {{}, x.where.begin(0)};
}
template <class E, class I, class Index>
auto straight_fetch_on_host(fetch<E, I> const& x, Index const& index) {
  index_t const begin = x.where.begin(0), length = x.where.end(0) - begin;
  auto const elements = straight(on_host{}, x.elements).from(begin);
  return straight_fetch<std::remove_const_t<decltype(elements)>, Index, true>{
      elements, index, {nullptr, nullptr, length, {}}, x.instance, x.fails};
}
template <class E, class I>
auto straight(on_host host, fetch<E, I> const& x) {
  return straight_fetch_on_host(x, straight(host, x.index));
}
/// The same, where leaves may be shared by all instances, as captured scalars are.
struct may_be_shared {};
template <class T>
straight_or_shared_leaf<T> straight(may_be_shared, leaf<T> const& x) {
  return {{}, x.data, x.data[x.at(0)], x.at.same_for_all()};
}
inline straight_constant<index_t> straight(may_be_shared, begin_of const& x) {
  return {{}, x.where.begin(0)};
}
template <class E, class I>
auto straight(may_be_shared host, fetch<E, I> const& x) {
  if constexpr (is_leaf<I>::value) {
    return straight(on_host{}, x);
  } else {
    return straight_fetch_on_host(x, straight(host, x.index));
  }
}
template <class AtFront, class E, class I>
auto straight(AtFront front, fetch<E, I> const& x) {
  return straight_fetch<decltype(straight(front, x.elements)), decltype(straight(front, x.index)),
                        AtFront::value>{straight(front, x.elements), straight(front, x.index),
                                        x.where, x.instance, x.fails};
}

/// Calls f with the straight forms of expressions of n > 0 instances, if all have one; otherwise
/// with the expressions themselves.  On the host leaves of an operator's result may be shared.
template <class Ex, class Host = on_host, class F, class... E>
void straightened(index_t n, F const& f, E const&... e) {
  constexpr bool may_share = std::is_same_v<Host, may_be_shared>;
  constexpr auto read = !cpu::host_executor<Ex> ? read_before::nothing
                        : may_share             ? read_before::values
                                                : read_before::bounds;
  if constexpr (has_straight_loops && (may_be_straight<E> && ...)) {
    if (n > 0 && (is_straight(e, read) && ...)) {
      if constexpr (cpu::host_executor<Ex>) {
        if constexpr (may_share || !(is_plain<E> && ...)) run_deferred_steps();
        f(straight(Host{}, e)...);
        return;
      } else if constexpr ((has_fetch<E> || ...)) {
        if (!(is_at_front(e) && ...)) {
          f(straight(std::false_type{}, e)...);
          return;
        }
      }
      f(straight(std::true_type{}, e)...);
      return;
    }
  }
  // Another loop to be compiled, so not of fetches, nor of the two expressions of a pack.
  if constexpr (has_straight_loops && cpu::host_executor<Ex> && !may_share && sizeof...(E) == 1 &&
                ((is_plain<E> && !is_leaf<E>::value) && ...)) {
    straightened<Ex, may_be_shared>(n, f, e...);
  } else {
    f(e...);
  }
}

}  // namespace ravel::inline v0::flattening
