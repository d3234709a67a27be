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

/// Whether two sequences of numbers are equal, or the first is before the second, by a loop up to the first
/// difference, of one thread of the host.
template <bool Equal, class T, class U>
struct compare_by_loop {
  using value_type = bool;
  static constexpr int weight = 24;  // computed once
  extents x, y;
  T const* of_x;
  U const* of_y;
  RAVEL_HD bool operator()(index_t i) const {
    auto const [p, last_p] = x(i);
    auto const [q, last_q] = y(i);
    index_t const n = last_p - p, m = last_q - q;
    if (Equal && n != m) return false;
    index_t k = 0;
    while (k < n && k < m && is_equal{}(of_x[p + k], of_y[q + k])) ++k;
    if constexpr (Equal) return k == n;
    if (k == n || k == m) return n < m;
    using order = order_in_sequence<T>;
    return is_less{}(static_cast<order>(of_x[p + k]), static_cast<order>(of_y[q + k]));
  }
};
/// compare_by_loop of many instances; else `otherwise()`, of steps over elements, which all threads share.
template <bool Equal, class X, class Y, class Otherwise>
auto compared_by_loops(X const& x, Y const& y, Otherwise const& otherwise) {
  if constexpr (are_on_host<X, Y>) {
    auto const c = resolve(x, y);
    if (c->n >= 4 * index_t{cpu::detail::threads_of(c->ex())}) {
      auto const a = written_down(c, storage_in(c, x));
      auto const b = written_down(c, storage_in(c, y));
      run_deferred_steps();
      cells<compare_by_loop<Equal, inner_t<X>, inner_t<Y>>> const order{
          {a.d->where(), b.d->where(), a.child.e.data, b.child.e.data}, {}};
      return lift_storage(c, computed(c->ex(), order, c->n));
    }
    return keep(otherwise());
  } else {
    return otherwise();
  }
}

}  // namespace flattening

/// Whether two values are equal: sequences or records, as numbers are by ==.
///
///     equals("ab", "ab")      true                equals([1 2], [1 2 3])      false
///
/// Cost     A step in which one thread compares both values of an instance, up to the first difference.
///          Of sequences of numbers on a device, and of fewer than four instances for each thread of the
///          host, one reduction over the elements of the shorter at each instance, which are copied.
///          In records and in sequences of sequences a NaN equals a NaN.
template <operand X, operand Y>
auto equals(X const& x, Y const& y) {
  using namespace flattening;
  if constexpr (sequence_of_atoms<X>) {
    return compared_by_loops<true>(x, y, [&] {
      auto const n = keep(min(len(x), len(y)));
      auto const are_equal =
          each(take(x, n), take(y, n), [](auto const& a, auto const& b) { return a == b; });
      return len(x) == len(y) && all(are_equal);
    });
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
    return compared_by_loops<false>(x, y, [&] {
      using T = order_in_sequence<inner_t<X>>;
      auto const n = keep(min(len(x), len(y)));
      auto const differ =
          each(take(x, n), take(y, n), [](auto const& a, auto const& b) { return a != b; });
      auto const first = keep(find(differ, [](auto const& d) { return d; }));
      return select(first < 0, len(x) < len(y), cast<T>(at(x, first)) < cast<T>(at(y, first)));
    });
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
