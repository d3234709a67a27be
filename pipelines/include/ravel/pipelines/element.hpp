#pragma once

/// Functions of one element in a pass: maps and filters, composed.

#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/flags.hpp>
#include <ravel/pipelines/row.hpp>

namespace ravel::inline v0::piping {

/// A function of an element is called with its position and value, and returns a value,
/// or, if it is `partial`, a maybe: then some elements are dropped.  is(i, x) returns whether
/// there is a value, and value(i, x) computes it; neither branches.  is_step<s>(i, x)
/// evaluates one of its filters: short-circuit evaluation, a step for each filter.
struct as_it_is {
  static constexpr bool partial = false;
  static constexpr int steps = 0;
  template <class X>
  RAVEL_HD X operator()(index_t, X const& x) const {
    return x;
  }
  template <class X>
  RAVEL_HD bool is(index_t, X const&) const {
    return true;
  }
  /// Of elements that are long to copy, or cannot be, a reference.
  template <class X>
  RAVEL_HD std::conditional_t<few_bytes<X>, X, X const&> value(index_t, X const& x) const {
    return x;
  }
};

/// The result type of a function of elements for an X.
template <class F, class X>
struct made_of;
template <class F, class X>
using made_of_t = typename made_of<F, X>::type;

/// f of the result of `first`.
template <class First, class F>
struct mapped {
  static constexpr bool partial = First::partial;
  static constexpr int steps = First::steps;
  First first;
  F f;
  template <class X>
  RAVEL_HD auto operator()(index_t i, X const& x) const {
    if constexpr (partial && !std::copyable<made_of_t<First, X>>) {
      using U = decltype(value(i, x));
      return first.is(i, x) ? maybe<U>(value(i, x)) : maybe<U>();
    } else if constexpr (partial) {
      auto const y = first(i, x);
      using U = std::remove_cvref_t<decltype(call(f, y.value))>;
      return y.is ? maybe<U>(call(f, y.value)) : maybe<U>();
    } else {
      return value(i, x);
    }
  }
  template <class X>
  RAVEL_HD bool is(index_t i, X const& x) const {
    return first.is(i, x);
  }
  template <int S, class X>
  RAVEL_HD bool is_step(index_t i, X const& x) const {
    return first.template is_step<S>(i, x);
  }
  template <class X>
  RAVEL_HD auto value(index_t i, X const& x) const {
    using U = std::remove_cvref_t<decltype(call(f, first.value(i, x)))>;
    return U(call(f, first.value(i, x)));
  }
};

/// One step of the predicate `keep`.
template <int S, class Keep, class X>
RAVEL_HD bool called(Keep const& keep, X const& x) {
  if constexpr (1 < ravel::detail::predicate_steps<Keep>) {
    return keep.template step<S>(x);
  } else {
    return static_cast<bool>(call(keep, x));
  }
}

/// The result of `first`, where the predicate `keep` accepts it.
template <class First, class Keep>
struct sifted {
  static constexpr bool partial = true;
  static constexpr int steps = First::steps + ravel::detail::predicate_steps<Keep>;
  First first;
  Keep keep;
  template <class X>
  RAVEL_HD auto operator()(index_t i, X const& x) const {
    auto y = first(i, x);
    if constexpr (First::partial) {
      y.is = y.is && static_cast<bool>(call(keep, y.value));
      return y;
    } else {
      maybe<decltype(y)> z(y);
      z.is = static_cast<bool>(call(keep, y));
      return z;
    }
  }
  template <class X>
  RAVEL_HD bool is(index_t i, X const& x) const {
    if constexpr (First::partial) {
      return first.is(i, x) && static_cast<bool>(call(keep, first.value(i, x)));
    } else {
      return static_cast<bool>(call(keep, first.value(i, x)));
    }
  }
  template <int S, class X>
  RAVEL_HD bool is_step(index_t i, X const& x) const {
    if constexpr (S < First::steps) {
      return first.template is_step<S>(i, x);
    } else {
      return called<S - First::steps>(keep, first.value(i, x));
    }
  }
  template <class X>
  RAVEL_HD decltype(auto) value(index_t i, X const& x) const {
    return first.value(i, x);
  }
};

/// Both predicates; the second is evaluated only where the first returns true.
template <class Keep, class Next>
struct both_keep {
  static constexpr int steps = ravel::detail::predicate_steps<Keep> + 1;
  Keep keep;
  Next next;
  template <class X>
  RAVEL_HD bool operator()(X const& x) const {
    return static_cast<bool>(call(keep, x)) && static_cast<bool>(call(next, x));
  }
  template <int S, class X>
  RAVEL_HD bool step(X const& x) const {
    if constexpr (S + 1 < steps) {
      return called<S>(keep, x);
    } else {
      return static_cast<bool>(call(next, x));
    }
  }
};

/// `first` followed by a filter.
template <class First, class Keep>
sifted<First, Keep> sifted_by(First const& first, Keep const& keep) {
  return {first, keep};
}
template <class F>
inline constexpr bool tests_its_value = false;
template <class First, class Keep>
inline constexpr bool tests_its_value<sifted<First, Keep>> = !First::partial;

template <class First, class Keep, class Next>
sifted<First, both_keep<Keep, Next>> sifted_by(sifted<First, Keep> const& before,
                                               Next const& next) {
  return {before.first, {before.keep, next}};
}

/// A row of the result of `first` and of the element of another sequence at the same position.
template <class First, class Step>
struct set_beside {
  static_assert(!First::partial);
  static constexpr bool partial = false;
  First first;
  Step step;
  template <class X>
  struct alone {
    X x;
    RAVEL_HD X const& operator()(index_t) const { return x; }
  };
  template <class X>
  RAVEL_HD auto operator()(index_t i, X const& x) const {
    using Y = std::remove_cvref_t<decltype(first(i, x))>;
    return step.at(alone<Y>{first(i, x)}, i);
  }
  template <class X>
  RAVEL_HD bool is(index_t, X const&) const {
    return true;
  }
  template <class X>
  RAVEL_HD auto value(index_t i, X const& x) const {
    return (*this)(i, x);
  }
};

template <class T>
struct value_of_maybe : std::type_identity<T> {};
template <class T>
struct value_of_maybe<maybe<T>> : std::type_identity<T> {};

template <class F, class X>
struct made_of {
  using raw =
      std::remove_cvref_t<decltype(std::declval<F const&>()(index_t{}, std::declval<X const&>()))>;
  using type =
      typename std::conditional_t<F::partial, value_of_maybe<raw>, std::type_identity<raw>>::type;
};
template <class X>
struct made_of<as_it_is, X> : std::type_identity<X> {};
template <class First, class Keep, class X>
struct made_of<sifted<First, Keep>, X> : made_of<First, X> {};
template <class First, class F, class X>
requires(First::partial) struct made_of<mapped<First, F>, X>
    : std::remove_cvref<decltype(std::declval<mapped<First, F> const&>().value(
          index_t{}, std::declval<X const&>()))> {
};

}  // namespace ravel::inline v0::piping
