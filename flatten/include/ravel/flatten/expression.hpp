#pragma once

/// @file
/// Expressions: what the value of an instance is computed from, inside a kernel.
///
/// An expression e is a function object: e(i) is its value at instance i, of type
/// value_type.  It may be copied into a kernel, where it is the `load` of a
/// primitive, and owns nothing.  `e.moved(f)` is e for other instances: f says of
/// each leaf which of its own elements those take.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/flatten/errors.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::flattening {

/// Which element instance i takes: map[i step], or i step where there is no map.
/// A step of 0 gives all instances the same.
struct spot {
  index_t const* map = nullptr;
  index_t step = 1;

  RAVEL_HD index_t operator()(index_t i) const {
    index_t const k = i * step;
    return map == nullptr ? k : map[k];
  }
  bool same_for_all() const { return step == 0; }
  bool is_identity() const { return map == nullptr && step == 1; }
  friend bool operator==(spot const&, spot const&) = default;
};

/// The same value everywhere.
template <class T>
struct constant {
  using value_type = T;
  static constexpr int weight = 0;
  T value;

  RAVEL_HD T operator()(index_t) const { return value; }
  template <class F>
  constant moved(F const&) const {
    return *this;
  }
};

/// An element of memory.
template <class T>
struct leaf {
  using value_type = T;
  static constexpr int weight = 1;
  T const* data;
  spot at;

  RAVEL_HD T operator()(index_t i) const { return data[at(i)]; }
  template <class F>
  leaf moved(F const& f) const {
    return {data, f(at)};
  }
};

/// The number of the instance itself.
struct place {
  using value_type = index_t;
  static constexpr int weight = 1;
  spot at;

  RAVEL_HD index_t operator()(index_t i) const { return at(i); }
  template <class F>
  place moved(F const& f) const {
    return {f(at)};
  }
};

/// Says that instance i fails.
RAVEL_SELDOM inline void fail_at(place instance, index_t i, fault fails, index_t index,
                                 index_t length) {
  fails(instance(i), index, length);
}

template <std::size_t I, class E>
struct operand {
  E e;
};

/// f(e(i)...)
template <class Indices, class F, class... E>
struct application;
template <std::size_t... I, class F, class... E>
struct application<std::index_sequence<I...>, F, E...> : operand<I, E>... {
  using value_type = std::remove_cvref_t<std::invoke_result_t<F const&, typename E::value_type...>>;
  static constexpr int weight = (0 + ... + E::weight);
  F f;

  RAVEL_HD value_type operator()(index_t i) const {
    return f(static_cast<operand<I, E> const&>(*this).e(i)...);
  }
  template <class G>
  application moved(G const& g) const {
    return {operand<I, E>{static_cast<operand<I, E> const&>(*this).e.moved(g)}..., f};
  }
};

template <class F, class... E>
auto apply_to_each(F f, E const&... e) {
  return application<std::index_sequence_for<E...>, F, E...>{{e}..., f};
}

/// condition(i) ? a(i) : b(i), and the other of the two is not evaluated.
template <class C, class A, class B>
struct choice {
  using value_type = std::common_type_t<typename A::value_type, typename B::value_type>;
  static constexpr int weight = C::weight + A::weight + B::weight;
  C condition;
  A a;
  B b;

  RAVEL_HD value_type operator()(index_t i) const {
    if (condition(i)) return static_cast<value_type>(a(i));
    return static_cast<value_type>(b(i));
  }
  template <class F>
  choice moved(F const& f) const {
    return {condition.moved(f), a.moved(f), b.moved(f)};
  }
};

/// elements(begin(i) + index(i)): element index(i) of the sequence of instance i.
template <class E, class I>
struct fetch {
  using value_type = typename E::value_type;
  static constexpr int weight = E::weight + I::weight + 3;
  E elements;
  leaf<index_t> begin, end;
  I index;
  place instance;
  fault fails;

  RAVEL_HD value_type operator()(index_t i) const {
    index_t const first = begin(i);
    index_t const length = end(i) - first;
    index_t const k = static_cast<index_t>(index(i));
    if (k < 0 || k >= length) {
      fail_at(instance, i, fails, k, length);
      return value_type{};
    }
    return elements(first + k);
  }
  template <class F>
  fetch moved(F const& f) const {
    return {elements, begin.moved(f), end.moved(f), index.moved(f), instance.moved(f), fails};
  }
};

/// f(a(i), b(i)) of integers, for a division or a remainder; b(i) may be 0.
template <class F, class A, class B>
struct division {
  using value_type = std::remove_cvref_t<
      std::invoke_result_t<F const&, typename A::value_type, typename B::value_type>>;
  static constexpr int weight = A::weight + B::weight + 1;
  A a;
  B b;
  F f;
  place instance;
  fault fails;

  RAVEL_HD value_type operator()(index_t i) const {
    auto const divisor = b(i);
    if (divisor == 0) {
      fail_at(instance, i, fails, 0, 0);
      return value_type{};
    }
    return f(a(i), divisor);
  }
  template <class G>
  division moved(G const& g) const {
    return {a.moved(g), b.moved(g), f, instance.moved(g), fails};
  }
};

template <class T>
struct as_type {
  template <class U>
  RAVEL_HD constexpr T operator()(U const& x) const {
    return static_cast<T>(x);
  }
};

template <class E>
struct is_leaf : std::false_type {};
template <class T>
struct is_leaf<leaf<T>> : std::true_type {};

}  // namespace ravel::inline v0::flattening
