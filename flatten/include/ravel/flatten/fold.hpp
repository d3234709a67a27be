#pragma once

/// @file
/// Reductions of the sequences of all instances.

#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/in_place.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/sequences.hpp>
#include <ravel/flatten/straight.hpp>
#include <ravel/flatten/straight_expression.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0 {
namespace flattening {

template <class M>
struct identity_of {
  M m;
  RAVEL_HD auto operator()() const { return m.identity(); }
};

template <class T>
struct store_result {
  T* out;
  template <class U>
  RAVEL_HD void operator()(index_t s, U const& x) const {
    out[s] = static_cast<T>(x);
  }
};

/// An opened sequence of scalars, and the context that was opened.
template <class X>
auto opened_scalars(X const& x) {
  using Ex = typename X::executor_type;
  auto const c = resolve(x);
  auto const s = storage_in(c, x);
  static_assert(is_cells<decltype(s.child)>,
                "a reduction or a scan is of a sequence of scalars: use each for nested sequences");
  struct result {
    context_ptr<Ex> outer, inner;
    std::remove_const_t<decltype(s.child)> elements;
  };
  return result{c, open(s.d, c), elements_of(c, s)};
}

/// Calls visit(s, combination of the elements of s) for each instance s.
template <class Shown = void, class Ex, class Load, class M, class Visit>
void reduce_segments(context_ptr<Ex> const& inner, Load load, M m, Visit visit) {
  auto const& ex = inner->ex();
  using shown = std::conditional_t<std::is_void_v<Shown>, Load, Shown>;
  count_step("segmented reduce", inner->n + inner->up->n, text_of_type<shown>());
  segmented_reduce_on(ex, inner->n, load, segments_by(ex, inner->begins, inner->up->n), m,
                      identity_of<M>{m}, visit);
}

template <class X>
using inner_t = typename nested_type<element_of<X>>::of;

template <class T>
struct value_at {
  template <class E>
  struct load {
    E e;
    RAVEL_HD indexed<T> operator()(index_t i) const { return {e(i), i}; }
  };
  struct store {
    index_t* out;
    starts begins;
    fault fails;
    RAVEL_HD void operator()(index_t s, indexed<T> const& best) const {
      bool const none = begins[s] == begins[s + 1];
      if (none) fails(s, 0, 0);
      out[s] = none ? 0 : best.index - begins[s];
    }
  };
};

template <class X, class M>
auto index_of_best(X const& x, M m, fault_of what) {
  using T = inner_t<X>;
  auto const o = opened_scalars(x);
  auto const out = hold<index_t>(o.inner->ex(), o.outer->n);
  using E = decltype(o.elements.e);
  reduce_segments(
      o.inner, typename value_at<T>::template load<E>{o.elements.e}, m,
      typename value_at<T>::store{out.data, o.inner->begins.seen(), o.inner->on->next_fault(what)});
  return lift_storage(o.outer, leaf_of(out.shared()));
}

}  // namespace flattening

/// Combines the elements by a monoid; gives its identity if there are none.
///
///     reduce([[2 1] [] [7 3]] of each, plus{})      [3 0 10]
///
/// Order    `m` is applied left to right and need not be commutative.
/// Cost     One segmented reduction over the elements of all instances, with the expression of x fused
///          into it.  On the host captured sequences of one length are read in place: sum(row * column)
///          of all rows and columns makes no copies of them.
template <lifted_sequence X, class M>
auto reduce(X const& x, M const& of_call) {
  using namespace flattening;
  auto const m = monoid_on<inner_t<X>>(of_call);
  using Monoid = std::remove_const_t<decltype(m)>;
  static_assert(some_monoid<Monoid>,
                "reduce: m is not a monoid: it needs m(x, y) and m.identity()");
  using T = carrier_t<Monoid>;
  auto const o = opened_scalars(x);
  auto const out = hold<T>(o.inner->ex(), o.outer->n);
  // The host reduces bools without converting them to counts first.
  constexpr bool counts =
      std::same_as<inner_t<X>, bool> && cpu::host_executor<typename X::executor_type>;
  using Elements = decltype(o.elements.e);
  if constexpr (may_be_in_place<typename X::executor_type, Elements>) {
    copies_set_aside<typename X::executor_type> const unmade(*o.inner, o.elements.e);
    if (!unmade.empty() && is_straight(o.elements.e)) {
      auto const e = unmade.in_segments(o.elements.e);
      reduce_segments<load_as<T, Elements>>(
          o.inner,
          load_in_segments<T, Monoid, std::remove_const_t<decltype(e)>>{e, m,
                                                                        o.inner->begins.length},
          m, store_result<T>{out.data});
      return lift_storage(o.outer, leaf_of(out.shared()));
    }
  }
  auto const run = [&]<class E>(E const& e) {
    reduce_segments(o.inner, load_as<std::conditional_t<counts, bool, T>, E>{e}, m,
                    store_result<T>{out.data});
  };
  straightened<typename X::executor_type>(o.inner->n, run, o.elements.e);
  return lift_storage(o.outer, leaf_of(out.shared()));
}

/// The sum of the elements, in their type, in which integers wrap around: use cast<index_t>(x) for
/// a wider sum.  For bools, the number of true ones.
template <sequence_operand X>
auto sum(X const& x) {
  using T = flattening::inner_t<X>;
  return reduce(x, plus<std::conditional_t<std::same_as<T, bool>, index_t, T>>{});
}
/// The product of the elements.
template <sequence_operand X>
auto product(X const& x) {
  return reduce(x, multiplies{});
}
/// The minimum; the greatest value of the type, or infinity, if there are no elements.
template <sequence_operand X>
auto min(X const& x) {
  return reduce(x, minimum{});
}
/// The maximum; the least value of the type, or -infinity, if there are no elements.
template <sequence_operand X>
auto max(X const& x) {
  return reduce(x, maximum{});
}
/// The minimum, or `otherwise` if there are no elements, as there are no missing values.
///
///     min_or([[2 1] [] [7]] of each, -1)      [1 -1 7]
template <sequence_operand X, class D>
auto min_or(X const& x, D const& otherwise) {
  return select(len(x) > 0, min(x), otherwise);
}
/// The maximum, or `otherwise` if there are no elements.
template <sequence_operand X, class D>
auto max_or(X const& x, D const& otherwise) {
  return select(len(x) > 0, max(x), otherwise);
}
/// Whether some element is true.
template <sequence_operand X>
auto any(X const& x) {
  return reduce(x, logical_or<bool>{});
}
/// Whether all elements are true.
template <sequence_operand X>
auto all(X const& x) {
  return reduce(x, logical_and<bool>{});
}
/// The number of true elements.
template <sequence_operand X>
auto count(X const& x) {
  static_assert(std::same_as<flattening::inner_t<X>, bool>, "count: the elements must be bools");
  return sum(x);
}

/// The index of the least element, the first if several are equal.
///
/// Errors   domain_error if there are no elements, thrown by the next call that waits.
template <lifted_sequence X>
auto min_index(X const& x) {
  return flattening::index_of_best(x, arg_min<flattening::inner_t<X>>{},
                                   flattening::fault_of::min_index);
}
/// The index of the greatest element, the first if several are equal.
///
///     max_index([2 11 4 7 14 6 9 14])      4
///
/// Errors   domain_error if there are no elements, thrown by the next call that waits.
template <lifted_sequence X>
auto max_index(X const& x) {
  return flattening::index_of_best(x, arg_max<flattening::inner_t<X>>{},
                                   flattening::fault_of::max_index);
}

/// The index of the first element for which p returns true, or -1.
///
///     find([3 8 5 8], a > 4)      1
template <sequence_operand X, class P>
auto find(X const& x, P&& p) {
  auto const none = bounds<index_t>::highest();
  auto const first = min(each(x, indices(x), [&](auto const& element, auto const& i) {
    return select(p(element), i, none);
  }));
  return select(first == none, index_t{-1}, first);
}

}  // namespace ravel::inline v0
