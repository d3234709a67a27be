#pragma once

/// Reductions of the sequences of all instances.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/in_place.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/pending.hpp>
#include <ravel/flatten/sequences.hpp>
#include <ravel/flatten/straight.hpp>
#include <ravel/flatten/straight_expression.hpp>
#include <ravel/flatten/straight_fetch.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

namespace ravel::inline v0 {
namespace flattening {

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

/// Visits the only sequence with the combination of its elements.
template <class Visit>
struct visit_alone {
  Visit visit;
  template <class T>
  RAVEL_HD void operator()(T const& x) const {
    visit(0, x);
  }
};

/// Whether a load is of elements of memory as wide as T, of which a device has more forms.
template <class Load, class T>
inline constexpr bool reads_elements_as_wide = false;
template <load_of_elements Load, class T>
inline constexpr bool reads_elements_as_wide<Load, T> =
    sizeof(*std::declval<Load const&>().elements()) == sizeof(T);

/// Calls visit(s, combination of the elements of s) for each instance s.
template <class Shown = void, class Ex, class Load, class M, class Visit>
void reduce_segments(context_ptr<Ex> const& inner, Load load, M m, Visit visit) {
  auto const& ex = inner->ex();
  using shown = std::conditional_t<std::is_void_v<Shown>, Load, Shown>;
  if constexpr (!cpu::host_executor<Ex>) {
    if (inner->up->n == 1) {
      count_step("reduce", inner->n, text_of_type<shown>());
      return reduce_on(ex, inner->n, load, m, ravel::detail::seed_identity<M>{m},
                       visit_alone<Visit>{visit});
    }
  }
  count_step("segmented reduce", inner->n + inner->up->n, text_of_type<shown>());
  ravel::detail::seed_identity<M> const seed{m};
  if constexpr (!cpu::host_executor<Ex> && reads_elements_as_wide<Load, carrier_t<M>>) {
    with_segments(ex, inner->begins, inner->up->n, [&](auto const& segments) {
      segmented_reduce_on(ex, inner->n, load, segments, m, seed, visit);
    });
  } else {
    segmented_reduce_on(ex, inner->n, load, segments_by(ex, inner->begins, inner->up->n), m, seed,
                        visit);
  }
}

template <class X>
using inner_t = typename nested_type<element_of<X>>::of;

/// The reduction of elements, instances of `inner`, for each instance of `outer`.
template <class Ex, class E, class M>
auto reduce_elements(context_ptr<Ex> const& outer, context_ptr<Ex> const& inner,
                     cells<E> const& elements, M const& m) {
  using T = carrier_t<M>;
  auto const out = hold<T>(inner->ex(), outer->n);
  if constexpr (may_be_in_place<Ex, E>) {
    copies_set_aside<Ex> const unmade(*inner, elements.e);
    if (!unmade.empty()) {
      auto const load = load_of_segments<T>(unmade.in_segments(elements.e), m, unmade.segments());
      reduce_segments<load_as<T, E>>(inner, load, m, ravel::detail::store<T>{out.data});
      return lift_storage(outer, leaf_of(out.shared()));
    }
  }
  // The host reduces bools without converting them to counts first: of 1,000 signed char > 50 in 0.6 of the
  // time.  Of wider elements counts are faster, of 7 long > 50 in 0.4.
  constexpr bool counts =
      std::same_as<typename E::value_type, bool> && cpu::host_executor<Ex> && !reads_wide<E>;
  auto const run = [&]<class Form>(Form const& e) {
    reduce_segments(inner, load_as<std::conditional_t<counts, bool, T>, Form>{e}, m,
                    ravel::detail::store<T>{out.data});
  };
  straightened<Ex>(inner->n, run, elements.e);
  return lift_storage(outer, leaf_of(out.shared()));
}

/// What a pack selects, as elements of a reduction by m: its identity stands for the others.
template <class Ex, class X, class E, class M>
auto elements_for(M const& m, selection<Ex, X, E> const& kept) {
  using T = carrier_t<M>;
  auto const e =
      apply_to_each(chosen<T>{}, kept.flags.e, kept.elements.e, constant<T>{m.identity()});
  return cells<std::remove_const_t<decltype(e)>>{e, owners_of(kept.flags, kept.elements)};
}

}  // namespace flattening

/// Combines the elements by a monoid; gives its identity if there are none.
///
///     reduce([[2 1] [] [7 3]] of each, plus{})      [3 0 10]
///
/// Order    `m` is applied left to right and need not be commutative.
/// Cost     One segmented reduction over the elements of all instances, with the expression of x fused
///          into it; of one sequence on a device one reduction.  Captured sequences of one length are read
///          in place: sum(row * column) of all rows and columns makes no copies of them.  So are
///          others on the host, and indices: min(gather(x, at(graph, v))).
template <lifted_sequence X, class M>
auto reduce(X const& x, M const& of_call) {
  using namespace flattening;
  auto const m = monoid_on<inner_t<X>>(of_call);
  RAVEL_EXPECT_MONOID(std::remove_const_t<decltype(m)>, "reduce");
  auto const o = opened_scalars(x);
  return reduce_elements(o.outer, o.inner, o.elements, m);
}
/// The same for the result of a step that has not run, which the call ends: in place of the step.
///
///     reduce(filter([3 -4 -9 5], a > 0), plus{})      8
///
/// Order    As if the identity stood for what is left out: sums of floating-point numbers may round
///          otherwise than those of the sequence in memory.
/// Cost     One segmented reduction.  The host takes both steps for floating-point minima and maxima: of
///          4 M double 3.8 ms, where one takes 3.5 to 5.8.
template <class Ex, class S, class Made, class M>
auto reduce(flattening::pending<Ex, S, Made>&& x, M const& of_call) {
  using namespace flattening;
  auto const m = monoid_on<inner_t<lifted<Ex, S>>>(of_call);
  using Monoid = std::remove_const_t<decltype(m)>;
  if constexpr (cpu::host_executor<Ex> && cpu::detail::is_extreme<Monoid, carrier_t<Monoid>>) {
    return reduce(std::as_const(x), of_call);
  }
  auto const made = x.made.lock();
  set_aside const step(x.step);
  if (step.is_empty() || resolve(x) != x.c) return reduce(std::as_const(x), of_call);
  auto const result = reduce_elements(x.c, made->inner, elements_for(m, *made), m);
  end_moved(std::move(x));
  return result;
}

/// The sum of the elements, in their type, in which integers wrap around: use cast<index_t>(x) for
/// a wider sum.  For bools, the number of true ones.
template <sequence_operand X>
auto sum(X&& x) {
  using T = flattening::inner_t<X>;
  return reduce(std::forward<X>(x), plus<std::conditional_t<std::same_as<T, bool>, index_t, T>>{});
}
/// The product of the elements.
template <sequence_operand X>
auto product(X&& x) {
  return reduce(std::forward<X>(x), multiplies{});
}
/// The minimum; the greatest value of the type, or infinity, if there are no elements.
template <sequence_operand X>
auto min(X&& x) {
  return reduce(std::forward<X>(x), minimum{});
}
/// The maximum; the least value of the type, or -infinity, if there are no elements.
template <sequence_operand X>
auto max(X&& x) {
  return reduce(std::forward<X>(x), maximum{});
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
/// Whether some element is true.  Where none can fail the host reads few after it.
template <sequence_operand X>
auto any(X&& x) {
  return reduce(std::forward<X>(x), logical_or<bool>{});
}
/// Whether all elements are true.
template <sequence_operand X>
auto all(X&& x) {
  return reduce(std::forward<X>(x), logical_and<bool>{});
}
/// The number of true elements.  By const reference, as the stage of pipelines of this name is.
template <sequence_operand X>
auto count(X const& x) {
  static_assert(std::same_as<flattening::inner_t<X>, bool>, "count: the elements must be bools");
  return sum(x);
}

}  // namespace ravel::inline v0
