#pragma once

/// Sequences and records as keys, such as words: their equality, their lexicographic order, and
/// numbers for them in that order.

#include <ravel/flatten/each.hpp>
#include <ravel/flatten/extrema.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/functions.hpp>
#include <ravel/flatten/groups.hpp>
#include <ravel/flatten/key_order.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/order.hpp>
#include <ravel/flatten/place.hpp>
#include <ravel/flatten/record.hpp>
#include <ravel/flatten/scans.hpp>
#include <ravel/flatten/sequences.hpp>

#include <concepts>

namespace ravel::inline v0 {
namespace flattening {

template <class X>
concept sequence_of_atoms = sequence_operand<X> && atom<inner_t<X>>;

/// How the keys of an instance compare: negative, 0 or positive.
template <class T>
struct order_of_keys {
  using value_type = int;
  static constexpr int weight = 24;  // computed once
  keys_of_type<T> x, y;
  RAVEL_HD int operator()(index_t i) const { return keys_of_type<T>::compare(x, i, y, i); }
};
/// compare(order, 0) of the order of x and y.
template <lifted_value X, lifted_value Y, class By>
auto compared(X const& x, Y const& y, By compare) {
  using T = element_of<X>;
  auto const c = resolve(x, y);
  auto const a = column(c, storage_in(c, x));
  auto const b = column(c, storage_in(c, y));
  run_deferred_steps();
  cells<order_of_keys<T>> const order{{keys_in(a), keys_in(b)}};
  return lift(compare)(lift_storage(c, computed(c->ex(), order, c->n)), 0);
}

}  // namespace flattening

/// Whether two values are equal: sequences or records, as numbers are by ==.
///
///     equals("ab", "ab")      true                equals([1 2], [1 2 3])      false
///
/// Cost     Of sequences of numbers one reduction over the elements of the shorter at each instance,
///          which are copied.  Of others a step in which one thread compares both values of an
///          instance, up to the first difference; in these a NaN equals a NaN.
template <operand X, operand Y>
auto equals(X const& x, Y const& y) {
  using namespace flattening;
  if constexpr (sequence_of_atoms<X>) {
    auto const n = keep(min(len(x), len(y)));
    auto const are_equal =
        each(take(x, n), take(y, n), [](auto const& a, auto const& b) { return a == b; });
    return len(x) == len(y) && all(are_equal);
  } else {
    static_assert(std::same_as<element_of<X>, element_of<Y>>,
                  "equals: the values are of different types");
    return compared(x, y, is_equal{});
  }
}

/// Whether x is before y: the order by which sort has sequences and records.
///
///     precedes("ab", "b")      true               precedes("ab", "a")      false
///
/// Cost     As of equals.
template <operand X, operand Y>
auto precedes(X const& x, Y const& y) {
  using namespace flattening;
  if constexpr (sequence_of_atoms<X>) {
    using T = order_in_sequence<inner_t<X>>;
    auto const n = keep(min(len(x), len(y)));
    auto const differ =
        each(take(x, n), take(y, n), [](auto const& a, auto const& b) { return a != b; });
    auto const first = keep(find(differ, [](auto const& d) { return d; }));
    return select(first < 0, len(x) < len(y), cast<T>(at(x, first)) < cast<T>(at(y, first)));
  } else {
    static_assert(std::same_as<element_of<X>, element_of<Y>>,
                  "precedes: the values are of different types");
    return compared(x, y, is_less{});
  }
}

/// A number for each element of x, in the order of sort: equal elements have the same, and a greater
/// one the next.
///
///     dense_rank(["b" "" "ab" "b"])      [2 0 1 2]
///     dense_rank([30 10 20 10])          [2 0 1 0]
///
/// Cost     That of sort_order, and four steps.
template <sequence_operand X>
auto dense_rank(X const& x) {
  auto const order = sort_order(x);
  auto const is_new = flattening::begins_run(gather(x, order));
  auto const steps = each(indices(is_new), is_new, [](auto const& i, auto const& differs) {
    return cast<index_t>(i > 0 && differs);
  });
  return permute(inclusive_scan(steps), order);
}

}  // namespace ravel::inline v0
