#pragma once

/// Ranges of numbers, the indices of a sequence, and copies of one value.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/lift.hpp>

#include <optional>

namespace ravel::inline v0 {
namespace flattening {

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
  bool const descends = is_less_number(step, 0);
  if (!(descends ? is_less_number(last, first) : is_less_number(first, last))) return 0;
  count const a = static_cast<count>(first), b = static_cast<count>(last);
  count const distance = descends ? a - b : b - a;
  count const stride = descends ? count{0} - static_cast<count>(step) : static_cast<count>(step);
  count const length = stride == 1 ? distance : (distance - 1) / stride + 1;
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

/// Whether the range has as many elements as `last` says.
bool counts_from_0(auto const&, auto const&) { return false; }
template <class T, class U>
bool counts_from_0(constant<T> const& first, constant<U> const& step) {
  return first.value == T(0) && step.value == U(1);
}
/// Sequences as long as others, whose offsets they share, if those are all in memory; else null.
template <class Ex, class B>
descriptor_ptr<Ex> rows_as_long_as(context_ptr<Ex> const& c, cells<B> const& length) {
  if constexpr (std::same_as<B, length_of>) {
    auto const& where = length.e.where;
    bool const by_offsets = where.begins && where.ends == where.begins + 1;
    if (by_offsets && where.at.is_identity() && c->n > 0) {
      auto const as_long = [&](std::shared_ptr<void const> const& owner) {
        return dense_rows<Ex>(c->n, -1, {owner, where.begins, c->n + 1});
      };
      if (length.keep.size() == 0) return as_long(nullptr);  // of the caller
      for (auto const& owner : length.keep) {
        if (owner.get() == where.begins) return as_long(owner);
      }
    }
  }
  return nullptr;
}
/// Sequences of as many elements as the ranges from first to last have; errors name the operation F.
template <fault_of F, class Ex, class A, class B, class S>
descriptor_ptr<Ex> rows_of_ranges(context_ptr<Ex> const& c, A const& first, cells<B> const& last,
                                  S const& step) {
  if (counts_from_0(first, step)) {
    if (auto const rows = rows_as_long_as(c, last)) return rows;
  }
  return rows_of_lengths<Ex>(name_of_numbers(F), *c->on, c->n,
                             range_length<A, B, S>{first, last.e, step, c->on->next_fault(F)});
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
  auto const inner = open(rows_of_ranges<F>(c, a.e, b, s.e), c);
  auto const start = lift_storage(c, a);
  auto const stride = lift_storage(c, s);
  auto const begin = lift_storage(c, begins_in(inner));
  inside<Ex> const scope(inner);
  auto const i = lift_storage(inner, cells<place>{});
  auto const numbers = apply_scalars(range_element{}, cast<T>(start), cast<T>(stride), i, begin);
  return lift_storage(c, close(inner, numbers.s));
}

/// Sequences of n elements, for `each` of a function that ignores them.
template <lifted_scalar N>
auto empty_places(N const& n) {
  using Ex = typename N::executor_type;
  using T = element_of<N>;
  auto const c = resolve(n);
  auto const d =
      rows_of_ranges<fault_of::dist>(c, constant<T>{0}, storage_in(c, n), constant<T>{1});
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
/// Cost     As of range; of len(x), where the elements of x are by offsets in memory, which they
///          share, only the wait.
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
  inside<Ex> const scope(inner);
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

}  // namespace ravel::inline v0
