#pragma once

/// Bodies of loops as expressions of their state, which one thread evaluates round after round.
///
/// `while_` calls its functions with members of the state as `state_leaf`.  If that runs no step,
/// their results are expressions that contain all they do.  `bound` is such an expression for one
/// instance: what does not depend on the state is loaded once, and the state is in local variables.

#include <ravel/core/std_algorithm.hpp>
#include <ravel/flatten/errors.hpp>
#include <ravel/flatten/expression.hpp>

namespace ravel::inline v0::flattening {

/// Atom I of the state of a loop, in memory until the loop is bound.
template <int I, class T>
struct state_leaf {
  using value_type = T;
  static constexpr int weight = 1;
  T const* data;
  spot at;

  RAVEL_HD T operator()(index_t i) const { return data[at(i)]; }
  template <class F>
  state_leaf moved(F const& f) const {
    return {data, f(at)};
  }
};

/// How the value of an expression depends on the state of a loop; unknown for expressions that
/// cannot be bound.
enum class state_use { none, some, unknown };

template <class E>
inline constexpr state_use use_of_state = state_use::unknown;
template <class... E>
inline constexpr state_use use_by_any = std::max({state_use::none, use_of_state<E>...});

template <class T>
inline constexpr state_use use_of_state<constant<T>> = state_use::none;
template <class T>
inline constexpr state_use use_of_state<leaf<T>> = state_use::none;
template <class T>
inline constexpr state_use use_of_state<recorded<T>> = state_use::none;
template <>
inline constexpr state_use use_of_state<place> = state_use::none;
template <>
inline constexpr state_use use_of_state<begin_of> = state_use::none;
template <>
inline constexpr state_use use_of_state<length_of> = state_use::none;
template <int I, class T>
inline constexpr state_use use_of_state<state_leaf<I, T>> = state_use::some;
template <class Indices, class F, class... E>
inline constexpr state_use use_of_state<application<Indices, F, E...>> = use_by_any<E...>;
/// Elements of a sequence are indexed by element, and the state by instance.
template <class E, class I>
inline constexpr state_use use_of_state<fetch<E, I>> =
    use_of_state<E> == state_use::none ? use_of_state<I> : state_use::unknown;

template <class E>
concept reads_state = use_of_state<E>
== state_use::some;

/// Atom I of the state, in a local variable.
template <int I, class T>
struct local {
  T value;
};
/// The state of one instance.
template <class Indices, class... T>
struct locals;
template <int... I, class... T>
struct locals<std::integer_sequence<int, I...>, T...> : local<I, T>... {};

/// An expression for instance i: called with the state, i, and the report of failures.
/// is_total() returns whether it cannot fail for this instance.
/// Without state the value is computed once, unless it can fail.
template <class E>
struct bound {
  using value_type = typename E::value_type;
  value_type value;

  RAVEL_HD bound(E const& e, index_t i) : value(e(i)) {}
  RAVEL_HD bool is_total() const { return true; }
  template <class S, class Report>
  RAVEL_HD value_type operator()(S const&, index_t, Report) const {
    return value;
  }
};
template <class E>
requires(!reads_state<E> && can_fail<E>) struct bound<E> {
  using value_type = typename E::value_type;
  E e;

  RAVEL_HD bound(E const& expression, index_t) : e(expression) {}
  RAVEL_HD bool is_total() const { return false; }
  template <class S, class Report>
  RAVEL_HD value_type operator()(S const&, index_t i, Report report) const {
    return value_of(e, i, report);
  }
};
template <int I, class T>
struct bound<state_leaf<I, T>> {
  RAVEL_HD bound(state_leaf<I, T> const&, index_t) {}
  RAVEL_HD bool is_total() const { return true; }
  template <class S, class Report>
  RAVEL_HD T operator()(S const& state, index_t, Report) const {
    if constexpr (std::derived_from<S, local<I, T>>) {
      return static_cast<local<I, T> const&>(state).value;
    } else {
      return T{};  // of a loop around this one, which runs no round while that one is traced
    }
  }
};
template <std::size_t... I, class F, class... E>
requires reads_state<application<std::index_sequence<I...>, F, E...>>
struct bound<application<std::index_sequence<I...>, F, E...>> : operand<I, bound<E>>... {
  using of = application<std::index_sequence<I...>, F, E...>;
  F f;

  RAVEL_HD bound(of const& e, index_t i)
      : operand<I, bound<E>>{bound<E>(operand_at<I>(e), i)}..., f(e.f) {}
  RAVEL_HD bool is_total() const { return (operand_at<I>(*this).is_total() && ...); }
  template <class S, class Report>
  RAVEL_HD typename of::value_type operator()(S const& state, index_t i, Report report) const {
    return f(operand_at<I>(*this)(state, i, report)...);
  }
};
/// c ? x : y.  Integers by a mask: GCC makes branches of ?: with operands that it can compute later.
template <class T>
RAVEL_HD T one_of(bool c, T x, T y) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    return static_cast<T>(y ^ ((x ^ y) & static_cast<T>(-static_cast<T>(c))));
  } else {
    return c ? x : y;
  }
}
// Lazy functions have forms of their own: through operands that are called GCC keeps what is bound in memory, and a
// loop takes a fifth more instructions.

/// Both operands of a choice are evaluated if they cannot fail and have no more leaves.
inline constexpr int most_weight_of_both = 6;
template <class C, class A, class B>
requires reads_state<application<std::index_sequence<0, 1, 2>, choice, C, A, B>>
struct bound<application<std::index_sequence<0, 1, 2>, choice, C, A, B>> {
  using of = application<std::index_sequence<0, 1, 2>, choice, C, A, B>;
  using value_type = typename of::value_type;
  bound<C> condition;
  bound<A> a;
  bound<B> b;

  RAVEL_HD bound(of const& e, index_t i)
      : condition(operand_at<0>(e), i), a(operand_at<1>(e), i), b(operand_at<2>(e), i) {}
  RAVEL_HD bool is_total() const { return condition.is_total() && a.is_total() && b.is_total(); }
  template <class S, class Report>
  RAVEL_HD value_type operator()(S const& state, index_t i, Report report) const {
    if constexpr (A::weight <= most_weight_of_both && B::weight <= most_weight_of_both) {
      if (a.is_total() && b.is_total()) {  // no branch, which may be mispredicted
        auto const x = static_cast<value_type>(a(state, i, report));
        auto const y = static_cast<value_type>(b(state, i, report));
        return one_of(condition(state, i, report), x, y);
      }
    }
    if (condition(state, i, report)) return static_cast<value_type>(a(state, i, report));
    return static_cast<value_type>(b(state, i, report));
  }
};
template <bool Stop, class A, class B>
requires reads_state<application<std::index_sequence<0, 1>, short_circuit<Stop>, A, B>>
struct bound<application<std::index_sequence<0, 1>, short_circuit<Stop>, A, B>> {
  using of = application<std::index_sequence<0, 1>, short_circuit<Stop>, A, B>;
  bound<A> a;
  bound<B> b;

  RAVEL_HD bound(of const& e, index_t i) : a(operand_at<0>(e), i), b(operand_at<1>(e), i) {}
  RAVEL_HD bool is_total() const { return a.is_total() && b.is_total(); }
  template <class S, class Report>
  RAVEL_HD bool operator()(S const& state, index_t i, Report report) const {
    bool const first = a(state, i, report);
    return first == Stop ? Stop : static_cast<bool>(b(state, i, report));
  }
};
/// The bounds of the sequence are loaded once.
template <class E, class K>
requires reads_state<fetch<E, K>>
struct bound<fetch<E, K>> {
  using value_type = typename E::value_type;
  E elements;
  bound<K> index;
  index_t first, length;
  place instance;
  fault fails;

  RAVEL_HD bound(fetch<E, K> const& e, index_t i)
      : elements(e.elements),
        index(e.index, i),
        first(e.where.begin(i)),
        length(e.where.end(i) - first),
        instance(e.instance),
        fails(e.fails) {}
  RAVEL_HD bool is_total() const { return false; }
  template <class S, class Report>
  RAVEL_HD value_type operator()(S const& state, index_t i, Report report) const {
    index_t const k = static_cast<index_t>(index(state, i, report));
    if (k < 0 || k >= length) {
      report(instance, i, fails, k, length);
      return value_type{};
    }
    if constexpr (is_leaf<E>::value) {
      if (elements.at.is_identity()) return elements.data[first + k];
    }
    return value_of(elements, first + k, report);
  }
};
template <class F, class A, class B>
requires reads_state<application<std::index_sequence<0, 1>, division<F>, A, B>>
struct bound<application<std::index_sequence<0, 1>, division<F>, A, B>> {
  using of = application<std::index_sequence<0, 1>, division<F>, A, B>;
  using value_type = typename of::value_type;
  bound<A> a;
  bound<B> b;
  division<F> by;

  RAVEL_HD bound(of const& e, index_t i)
      : a(operand_at<0>(e), i), b(operand_at<1>(e), i), by(e.f) {}
  RAVEL_HD bool is_total() const { return false; }
  template <class S, class Report>
  RAVEL_HD value_type operator()(S const& state, index_t i, Report report) const {
    auto const divisor = b(state, i, report);
    if (divisor == 0) {
      report(by.instance, i, by.fails, 0, 0);
      return value_type{};
    }
    return by.f(a(state, i, report), divisor);
  }
};

/// Division by a number of the host: if that is a power of two by a shift, which takes 3 cycles
/// instead of some 20.
template <class F, class A, class T>
requires reads_state<application<std::index_sequence<0, 1>, division<F>, A, constant<T>>>
struct bound<application<std::index_sequence<0, 1>, division<F>, A, constant<T>>> {
  using of = application<std::index_sequence<0, 1>, division<F>, A, constant<T>>;
  using value_type = typename of::value_type;
  bound<A> a;
  value_type divisor;
  int shift = -1;  // the divisor is 2^shift; negative if it is none
  division<F> by;

  RAVEL_HD bound(of const& e, index_t i)
      : a(operand_at<0>(e), i), divisor(static_cast<value_type>(operand_at<1>(e).value)), by(e.f) {
    if (divisor <= 0 || (divisor & (divisor - 1)) != 0) return;
    while (divisor >> (shift + 1) != 0) ++shift;
  }
  RAVEL_HD bool is_total() const { return divisor != 0 && a.is_total(); }
  template <class S, class Report>
  RAVEL_HD value_type operator()(S const& state, index_t i, Report report) const {
    auto const x = static_cast<value_type>(a(state, i, report));
    if (shift >= 0) return F::by_power(x, static_cast<value_type>(divisor - 1), shift);
    if (divisor == 0) {
      report(by.instance, i, by.fails, 0, 0);
      return value_type{};
    }
    return by.f(x, divisor);
  }
};

/// A loop of scalars: the state of instance i from `from`, changed by `next` as long as `goes_on`
/// holds, and the last state to `to`.  A failure ends the loop of its instance.
template <class Indices, class GoesOn, class... Next>
struct iterate;
template <int... I, class GoesOn, class... Next>
struct iterate<std::integer_sequence<int, I...>, GoesOn, Next...>
    : operand<static_cast<std::size_t>(I), Next>...,
      local<I, leaf<typename Next::value_type>>...,
      local<I, typename Next::value_type*>... {
  using state = locals<std::integer_sequence<int, I...>, typename Next::value_type...>;
  static constexpr bool fails = can_fail<GoesOn> || (can_fail<Next> || ...);
  GoesOn goes_on;
  fault_record* record;

  template <class Report>
  RAVEL_HD static state after(state const& now, index_t i, Report report,
                              bound<Next> const&... next) {
    return {{next(now, i, report)}...};
  }
  RAVEL_HD void run(index_t i, state& now, bound<GoesOn> const& goes,
                    bound<Next> const&... next) const {
    if constexpr (fails) {
      failure first;
      note_failure const report{&first};
      while (goes(now, i, report) && first.key == fault_record::none) {
        now = after(now, i, report, next...);
      }
      if (first.key != fault_record::none) {
        fault{record, first.key}(0, first.index, first.length);  // the key has the instance
      }
    } else {
      raise_failure const report;
      while (goes(now, i, report)) now = after(now, i, report, next...);
    }
  }
  RAVEL_HD void operator()(index_t i) const {
    state now{{static_cast<local<I, leaf<typename Next::value_type>> const&>(*this).value(i)}...};
    run(i, now, bound<GoesOn>(goes_on, i),
        bound<Next>(operand_at<static_cast<std::size_t>(I)>(*this), i)...);
    ((static_cast<local<I, typename Next::value_type*> const&>(*this).value[i] =
          static_cast<local<I, typename Next::value_type> const&>(now).value),
     ...);
  }
};

}  // namespace ravel::inline v0::flattening
