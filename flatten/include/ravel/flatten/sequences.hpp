#pragma once

/// @file
/// Sequences by index: length, elements, ranges of indices, slices.

#include <ravel/core/monoid.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/lift.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace flattening {

/// An index operation, at each instance: the bounds of its sequence, and the index.
template <class E>
struct indexing {
  extents where;
  E index;
  fault fails;
  owners keep;
};

template <class E>
struct fetch_bounds {
  extents where;
  E index;
  fault fails;
  extents elements;
  index_t *new_begins, *new_ends;

  RAVEL_HD void operator()(index_t i) const {
    index_t const first = where.begin(i);
    index_t const length = where.end(i) - first;
    index_t const k = static_cast<index_t>(index(i));
    bool const inside = 0 <= k && k < length;
    if (!inside) fails(i, k, length);
    new_begins[i] = inside ? elements.begin(first + k) : 0;
    new_ends[i] = inside ? elements.end(first + k) : 0;
  }
};

template <class Ex, class E, class I>
auto element_at(context_ptr<Ex> const&, cells<E> const& x, indexing<I> const& by) {
  owners keep = x.keep;
  keep.add(by.keep);
  return cells<fetch<E, I>>{{x.e, by.where, by.index, {}, by.fails}, std::move(keep)};
}
template <class Ex, class S, class I>
ragged<Ex, S> element_at(context_ptr<Ex> const& c, ragged<Ex, S> const& x, indexing<I> const& by) {
  auto const& ex = c->ex();
  // Element k, for a known k, of lists of one length: strided bounds, without new ones.
  auto const k = known_number(by.index);
  bool const is_list = by.where.begins == nullptr && by.where.at.is_identity();
  if (c->n > 0 && k && 0 <= *k && *k < by.where.uniform && is_list && !x.d->is_uniform() &&
      x.d->at.is_identity()) {
    return {std::make_shared<descriptor<Ex> const>(descriptor<Ex>{
                c->n, x.d->base, x.d->begins.slice(*k, x.d->n - *k),
                x.d->ends.slice(*k, x.d->n - *k), false, spot{nullptr, by.where.uniform}}),
            x.child};
  }
  auto const begins = hold<index_t>(ex, c->n);
  auto const ends = hold<index_t>(ex, c->n);
  visit_indices(
      ex, c->n,
      fetch_bounds<I>{by.where, by.index, by.fails, x.d->where(), begins.data, ends.data});
  return {std::make_shared<descriptor<Ex> const>(
              descriptor<Ex>{c->n, x.d->base, begins.shared(), ends.shared(), false}),
          x.child};
}
template <class Ex, class R, class... S, class I>
auto element_at(context_ptr<Ex> const& c, fields<R, S...> const& x, indexing<I> const& by) {
  return map_members(x, [&](auto const& s) { return element_at(c, s, by); });
}

template <fault_of What, class A, class B>
struct slice_bounds {
  extents where;
  A from;
  B to;
  fault fails;
  index_t *new_begins, *new_ends;

  RAVEL_HD void operator()(index_t i) const {
    index_t const first = where.begin(i);
    index_t const n = where.end(i) - first;
    index_t const a = static_cast<index_t>(from(i));
    index_t const b = static_cast<index_t>(to(i));
    bool const inside = 0 <= a && a <= b && b <= n;
    if (!inside) {
      constexpr bool is_slice = What == fault_of::slice;
      fails(i, What == fault_of::take ? b : a, is_slice ? b : n);
    }
    new_begins[i] = inside ? first + a : 0;
    new_ends[i] = inside ? first + b : 0;
  }
};

/// a < b by mathematical value, also for signed with unsigned operands.
template <std::integral A, std::integral B>
RAVEL_HD constexpr bool is_less_number(A a, B b) {
  if constexpr (std::is_signed_v<A> == std::is_signed_v<B>) {
    return a < b;
  } else if constexpr (std::is_signed_v<A>) {
    return a < 0 || static_cast<std::make_unsigned_t<A>>(a) < b;
  } else {
    return b > 0 && a < static_cast<std::make_unsigned_t<B>>(b);
  }
}

/// The length of a range with more elements than index_t can count.
inline constexpr index_t uncountable = -1;

/// The number of first, first + step, ... before last; the step is not 0.
template <class A, class B, class S>
RAVEL_HD constexpr index_t length_of_range(A first, B last, S step) {
  using count = std::uint64_t;
  bool const down = is_less_number(step, 0);
  if (!(down ? is_less_number(last, first) : is_less_number(first, last))) return 0;
  count const a = static_cast<count>(first), b = static_cast<count>(last);
  count const distance = down ? a - b : b - a;
  count const stride = down ? count{0} - static_cast<count>(step) : static_cast<count>(step);
  count const length = (distance - 1) / stride + 1;
  return length <= count{bounds<index_t>::highest()} ? static_cast<index_t>(length) : uncountable;
}

template <class A, class B, class S>
struct range_length {
  A first;
  B last;
  S step;
  fault fails;

  RAVEL_HD index_t operator()(index_t i) const {
    auto const stride = step(i);
    index_t const length = stride == 0 ? uncountable : length_of_range(first(i), last(i), stride);
    if (length != uncountable) return length;
    fails(i, stride == 0 ? 0 : 1, 0);
    return 0;
  }
};

template <class A, class B, class S>
std::optional<index_t> known_number(range_length<A, B, S> const& x) {
  auto const first = known_number(x.first), last = known_number(x.last),
             step = known_number(x.step);
  if (!first || !last || !step || *step == 0) return {};
  index_t const length = length_of_range(*first, *last, *step);
  return length == uncountable ? std::nullopt : std::optional(length);
}

struct range_element {
  template <class T>
  RAVEL_HD T operator()(T first, T step, index_t i, index_t begin) const {
    return static_cast<T>(detail::wrapping(first) +
                          detail::wrapping(static_cast<T>(i - begin)) * detail::wrapping(step));
  }
};

template <class T>
concept whole_number = std::integral<T> && !std::same_as<T, bool>;

/// Elements [first, last) of the sequences d, which are of the instances of c.
template <fault_of What, class Ex, class A, class B>
descriptor_ptr<Ex> sliced_rows(context_ptr<Ex> const& c, descriptor<Ex> const& d, A const& first,
                               B const& last) {
  auto const begins = hold<index_t>(c->ex(), c->n);
  auto const ends = hold<index_t>(c->ex(), c->n);
  visit_indices(c->ex(), c->n,
                slice_bounds<What, A, B>{d.where(), first, last, c->on->next_fault(What),
                                         begins.data, ends.data});
  return std::make_shared<descriptor<Ex> const>(
      descriptor<Ex>{c->n, d.base, begins.shared(), ends.shared(), false});
}
/// Elements [first, last) of x, for a call that reports errors as What.
template <fault_of What, class X, class A, class B>
auto sliced(X const& x, A const& first, B const& last) {
  static_assert(std::integral<element_of<A>> && std::integral<element_of<B>>,
                "slice, take, drop: the bounds must be integers");
  using Ex = typename X::executor_type;
  auto const c = resolve(x, first, last);
  auto const s = storage_in(c, x);
  auto const a = storage_in(c, first);
  auto const b = storage_in(c, last);
  auto const d = sliced_rows<What>(c, *s.d, a.e, b.e);
  return lift_storage(c, ragged<Ex, decltype(s.child)>{d, s.child});
}

}  // namespace flattening

/// The number of elements.
///
///     len([3 1 2])      3
///
/// Cost     None of its own.
template <lifted_sequence X>
auto len(X const& x) {
  auto const c = flattening::resolve(x);
  auto const s = flattening::storage_in(c, x);
  return flattening::lifted_cells(c, flattening::length_of{s.d->where()},
                                  flattening::owners_of(s.d));
}

/// x[i]
///
///     at([3 1 2], 0)               3
///     at([[3 1] [] [2]], 0)        [3 1]
///
/// Cost     For atoms none of its own: the step that uses the element loads
///          it.  For a sequence O(1) for each instance, and its elements are not copied.
/// Errors   index_error unless 0 <= i < len(x), at an instance whose element is
///          used; thrown by the next call that waits.
template <lifted_sequence X, scalar I>
auto at(X const& x, I const& i) {
  static_assert(std::integral<element_of<I>>, "at: the index must be an integer");
  auto const c = flattening::resolve(x, i);
  auto const s = flattening::storage_in(c, x);
  auto const index = flattening::storage_in(c, i);
  auto keep = flattening::owners_of(s.d);
  keep.add(index.keep);
  auto const by = flattening::indexing<decltype(index.e)>{
      s.d->where(), index.e, c->on->next_fault(flattening::fault_of::at), std::move(keep)};
  auto const found = flattening::element_at(c, s.child, by);
  if constexpr (flattening::is_cells<std::remove_cvref_t<decltype(found)>>) {
    return flattening::lifted_cells(c, found.e, found.keep);
  } else {
    return flattening::lift_storage(c, found);
  }
}

/// The elements of x at the indices.
///
///     gather([a b c d], [3 0 0])      [d a a]
///
/// Cost     As of at, for each index.
/// Errors   As of at.
template <sequence_operand X, sequence_operand I>
auto gather(X const& x, I const& indices) {
  return each(indices, [&](auto const& i) { return at(x, i); });
}

/// Refused, with a message: indices of the host.
template <lifted_sequence X, class I>
requires(!lifted_value<I>) void gather(X const&, I const&) {
  static_assert(flattening::never<I>,
                "gather: the indices are a value of the host: lift them by from(ex, indices)");
}

namespace flattening {

/// Sequences of as many elements as the ranges from first to last have; errors name the operation F.
template <fault_of F, class Ex, class A, class B, class S>
descriptor_ptr<Ex> rows_of_ranges(context_ptr<Ex> const& c, A const& first, B const& last,
                                  S const& step) {
  return rows_of_lengths<Ex>(name_of_numbers(F), *c->on, c->n,
                             range_length<A, B, S>{first, last, step, c->on->next_fault(F)});
}
/// range, whose errors name the operation F.
template <fault_of F, class A, class B, class S>
auto numbers_of(A const& first, B const& last, S const& step) {
  using T = std::common_type_t<element_of<A>, element_of<B>, element_of<S>>;
  auto const c = resolve(first, last, step);
  using Ex = executor_of_t<A, B, S>;
  auto const a = storage_in(c, first);
  auto const b = storage_in(c, last);
  auto const s = storage_in(c, step);
  auto const inner = open(rows_of_ranges<F>(c, a.e, b.e, s.e), c);
  auto const from = lift_storage(c, a);
  auto const by = lift_storage(c, s);
  auto const begin = lift_storage(c, begins_in(inner));
  inside<Ex> const now(inner);
  auto const i = lift_storage(inner, cells<place>{});
  auto const numbers = apply_scalars(range_element{}, cast<T>(from), cast<T>(by), i, begin);
  return lift_storage(c, close(inner, numbers.s));
}

/// Sequences of n elements, for `each` of a function that ignores them.
template <lifted_scalar N>
auto empty_places(N const& n) {
  using Ex = typename N::executor_type;
  using T = element_of<N>;
  auto const c = resolve(n);
  auto const d =
      rows_of_ranges<fault_of::dist>(c, constant<T>{0}, storage_in(c, n).e, constant<T>{1});
  return lift_storage(c, ragged<Ex, cells<constant<T>>>{d, {}});
}

}  // namespace flattening

/// The numbers first, first + step, ... before last; descending if the step is negative.
///
///     range(10, 25, 3)      [10 13 16 19 22]
///
/// Cost     A scan over instances, and one wait for the length.  The
///          numbers are computed where they are used.
/// Errors   domain_error if the step is 0, or the range has more than 2^63 - 1 numbers; thrown by
///          the next call that waits.
template <scalar A, scalar B, scalar S>
requires(lifted_value<A> || lifted_value<B> || lifted_value<S>)  //
    auto range(A const& first, B const& last, S const& step) {
  static_assert(flattening::whole_number<element_of<A>> &&
                    flattening::whole_number<element_of<B>> &&
                    flattening::whole_number<element_of<S>>,
                "range: the bounds and the step must be integers");
  return flattening::numbers_of<flattening::fault_of::range>(first, last, step);
}
template <scalar A, scalar B>
requires(lifted_value<A> || lifted_value<B>)  //
    auto range(A const& first, B const& last) {
  using T = std::common_type_t<element_of<A>, element_of<B>>;
  return range(first, last, T(1));
}

/// 0, 1, ..., n - 1; empty if n is negative.
///
///     iota(4)      [0 1 2 3]
///
/// Cost     As of range.
/// Errors   domain_error if n is more than 2^63 - 1; thrown by the next call that waits.
template <lifted_scalar N>
auto iota(N const& n) {
  static_assert(flattening::whole_number<element_of<N>>, "iota: the length must be an integer");
  return flattening::numbers_of<flattening::fault_of::iota>(element_of<N>(0), n, element_of<N>(1));
}

/// 0, 1, ..., len(x) - 1: the index of each element.
///
/// Cost     None of its own, if x has been opened.
template <lifted_sequence X>
auto indices(X const& x) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  auto const c = resolve(x);
  auto const s = storage_in(c, x);
  auto const inner = open(s.d, c);
  auto const begin = lift_storage(c, begins_in(inner));
  inside<Ex> const now(inner);
  auto const numbers = apply_scalars(subtracted{}, lift_storage(inner, cells<place>{}), begin);
  return lift_storage(c, close(inner, numbers.s));
}

/// A sequence of n copies of v; empty if n is negative.
///
///     dist('a', 3)      [a a a]
///     dist([1 2], 2)    [[1 2] [1 2]]
///
/// Cost     As of iota; v is not copied.
/// Errors   As of iota.
template <liftable V, scalar N>
requires(lifted_value<V> || lifted_value<N>)  //
    auto dist(V const& v, N const& n) {
  static_assert(flattening::whole_number<element_of<N>>, "dist: the number must be an integer");
  if constexpr (lifted_value<N>) {
    return each(flattening::empty_places(n), [&](auto const&) { return v; });
  } else {
    auto const here = flattening::ambient(v);
    return dist(v, flattening::lift_storage(here, flattening::storage_in(here, n)));
  }
}

/// Elements [first, last) of x.
///
///     slice([a b c d e], 1, 3)      [b c]
///
/// Cost     O(1) for each instance: elements are not copied.
/// Errors   index_error unless 0 <= first <= last <= len(x), thrown by the next
///          call that waits.
template <lifted_sequence X, scalar A, scalar B>
auto slice(X const& x, A const& first, B const& last) {
  return flattening::sliced<flattening::fault_of::slice>(x, first, last);
}
/// The first n elements.
///
///     take([a b c d e], 2)      [a b]
///
/// Errors   index_error unless 0 <= n <= len(x), as slice.
template <lifted_sequence X, scalar N>
auto take(X const& x, N const& n) {
  return flattening::sliced<flattening::fault_of::take>(x, element_of<N>(0), n);
}
/// All but the first n elements.
///
///     drop([a b c d e], 2)      [c d e]
///
/// Errors   index_error unless 0 <= n <= len(x), as slice.
template <lifted_sequence X, scalar N>
auto drop(X const& x, N const& n) {
  return flattening::sliced<flattening::fault_of::drop>(x, n, len(x));
}

/// The elements in reverse order.
template <sequence_operand X>
auto reverse(X const& x) {
  auto const n = len(x);
  return each(indices(x), [&](auto const& i) { return at(x, n - 1 - i); });
}

/// The elements rotated by k places towards the end, those past the end at the front.
///
///     rotate([0 1 2 3 4], 2)       [3 4 0 1 2]
///     rotate([0 1 2 3 4], -1)      [1 2 3 4 0]
template <sequence_operand X, class K>
auto rotate(X const& x, K const& k) {
  auto const n = len(x);
  return each(indices(x), [&](auto const& i) { return at(x, (i - k % n + n) % n); });
}

}  // namespace ravel::inline v0
