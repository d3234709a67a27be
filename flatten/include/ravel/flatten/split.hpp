#pragma once

/// Split: partitions the elements of every sequence by flags, or by a digit of each element.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/open.hpp>
#include <ravel/flatten/pick.hpp>
#include <ravel/flatten/reshape.hpp>
#include <ravel/primitives/split_within.hpp>

namespace ravel::inline v0 {
namespace flattening {

/// Reports that the digit of an element is out of range.
RAVEL_SELDOM inline void fail_digit(fault fails, index_t sequence, int digit, int ways) {
  fails(sequence, digit, ways);
}

/// Partitions the elements of sequences, read in place, by digits that a function computes from
/// each element and values of its sequence.
template <int Ways, class Indices, class T, class F, class... V>
struct order_by_digit;
template <int Ways, std::size_t... I, class T, class F, class... V>
struct order_by_digit<Ways, std::index_sequence<I...>, T, F, V...> : operand<I, V>... {
  T const* from;
  extents where;
  F f;
  fault fails;
  T* to;

  struct sequence : operand<I, typename V::value_type>... {
    index_t number;
    index_t ahead;  // first element of the sequence, less its number
  };
  RAVEL_HD sequence of_segment(index_t s, index_t begin) const {
    return {operand<I, typename V::value_type>{static_cast<operand<I, V> const&>(*this).e(s)}..., s,
            where.begin(s) - begin};
  }
  RAVEL_HD T load(sequence const& seq, index_t i) const { return from[seq.ahead + i]; }
  RAVEL_HD int digit(sequence const& seq, T const& x) const {
    auto const d =
        static_cast<int>(f(x, static_cast<operand<I, typename V::value_type> const&>(seq).e...));
    if (0 <= d && d < Ways) return d;
    fail_digit(fails, seq.number, d, Ways);
    return 0;
  }
  RAVEL_HD void store(T const& x, int, index_t place) const { to[place] = x; }
};

}  // namespace flattening

/// The elements that are not flagged, and those that are.
///
///     split([a b c d], [1 0 0 1])      [[b c] [a d]]
///
/// Cost     Two packs, which on the host are faster than a split by a digit, unless
///          sequences are short.
/// Errors   shape_error if there are not as many flags as elements.
template <lifted_sequence X, lifted_sequence B>
auto split(X const& x, B const& flags) {
  return list(pack(x, !flags), pack(x, flags));
}

/// The elements e of x by digit(e, values...): a sequence of `Ways` sequences, those of digit 0, of
/// digit 1, and so on, each in order.
///
///     struct side_of {
///       template <class T>
///       RAVEL_HD int operator()(T x, T pivot) const { return (pivot <= x) + (pivot < x); }
///     };
///     split<3>([3 1 4 1 5], side_of{}, 3)      [[1 1] [3] [4 5]]
///
/// The values are scalars of each sequence, or the same for all.  `digit` is copied into kernels:
/// for a device it must be a named struct, as for lift.
///
/// Shapes   Elements are scalars.  Ways is from 1 to 256.
/// Cost     One step over the elements of all instances, read in place, and Ways numbers for each
///          instance.  Computed elements are materialised first.
/// Errors   domain_error, with the first such instance, if a digit is not in [0, Ways); thrown by
///          the next call that waits.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990: the split of a
///          segmented vector in two.
template <int Ways, lifted_sequence X, class F, scalar... V>
auto split(X const& x, F const& digit, V const&... values) {
  static_assert(1 <= Ways && Ways <= 256, "split: the ways are from 1 to 256");
  using namespace flattening;
  using Ex = typename X::executor_type;
  using T = typename nested_type<element_of<X>>::of;
  auto const c = resolve(x, values...);
  auto const stored = storage_in(c, x);
  static_assert(is_cells<std::remove_const_t<decltype(stored.child)>>,
                "split: the elements must be scalars");
  static_assert(std::is_invocable_r_v<int, F const&, T const&, element_of<V> const&...>,
                "split: digit is no function of an element and the values, with an int");
  using column = column_t<Ex, nested<nested<T>>>;
  if (c->n == 0) return lift_storage(c, empty_column<Ex, nested<nested<T>>>(c->ex()));
  auto const s = written_down(c, stored);
  measure(*c->on, *s.d);
  auto const out = hold<T>(c->ex(), s.d->total);
  auto const offsets = hold<index_t>(c->ex(), Ways * c->n + 1);
  [&](auto const&... v) {
    using order = order_by_digit<Ways, std::index_sequence_for<V...>, T, F,
                                 std::remove_cvref_t<decltype(v.e)>...>;
    count_step("split by digit", s.d->total + Ways * c->n, text_of_type<F>());
    split_within_on<Ways>(c->ex(), s.d->total, segments_by(c->ex(), s.d->starts, c->n),
                          order{{v.e}...,
                                s.child.e.data,
                                s.d->where(),
                                digit,
                                c->on->next_fault(fault_of::split),
                                out.data},
                          detail::store_begins_within<Ways, index_t>{offsets.data});
  }(storage_in(c, values)...);
  return lift_storage(c, column{uniform_rows<Ex>(c->n, Ways),
                                {dense_rows<Ex>(Ways * c->n, s.d->total, offsets.shared()),
                                 leaf_of(out.shared())}});
}

}  // namespace ravel::inline v0
