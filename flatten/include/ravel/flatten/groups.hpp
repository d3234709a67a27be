#pragma once

/// Groups: the runs of equal elements of each sequence, and values by their keys.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/key_order.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/order.hpp>
#include <ravel/flatten/pick.hpp>
#include <ravel/flatten/record.hpp>
#include <ravel/flatten/sequences.hpp>

#include <type_traits>

namespace ravel::inline v0 {
namespace flattening {

/// Whether each key differs from the preceding one of its sequence.
template <class T>
struct is_new_key {
  keys_of_type<T> keys;
  bool* out;
  RAVEL_HD void operator()(index_t i, index_t, index_t rank) const {
    out[i] = rank == 0 || keys_of_type<T>::compare(keys, i - 1, keys, i) != 0;
  }
};
/// Whether each element differs from the preceding one of its sequence.
template <class E>
struct differs_from_preceding {
  E e;
  bool* out;
  RAVEL_HD void operator()(index_t i, index_t, index_t rank) const {
    out[i] = rank == 0 || e(i) != e(i - 1);
  }
  void run(index_t i, index_t end, index_t s, index_t rank) const {
    for ((*this)(i, s, rank); ++i < end;) out[i] = e(i) != e(i - 1);
  }
};
template <class X>
auto begins_run(X const& x) {
  auto const c = resolve(x);
  auto const s = storage_in(c, x);
  auto const inner = open(s.d, c);
  auto const elements = elements_of(c, s);
  auto const out = hold<bool>(c->ex(), inner->n);
  if constexpr (is_cells<std::remove_const_t<decltype(elements)>>) {
    visit_elements(
        *c->on, *s.d,
        differs_from_preceding<std::remove_const_t<decltype(elements.e)>>{elements.e, out.data});
  } else {
    auto const keys = column(inner, elements);
    visit_elements(*c->on, *s.d, is_new_key<inner_t<X>>{keys_in(keys), out.data});
  }
  return lift_storage(c, close(inner, leaf_of(out.shared())));
}

template <plain_sequence X>
auto begins_run(X const& x) {
  return each(indices(x), x, [&](auto const& i, auto const& element) {
    auto const preceding = at(x, select(i > 0, i - 1, i));
    if constexpr (atom<inner_t<X>>) {
      return i == 0 || preceding != element;
    } else {
      return i == 0 || !equals(preceding, element);
    }
  });
}

/// The bounds of each run of equal elements.
auto runs_of(auto const& x) {
  auto const first = pack(indices(x), begins_run(x));
  auto const n = len(first);
  return tup(first, each(indices(first), [&](auto const& j) {
               return select(j + 1 < n, at(first, j + 1), len(x));
             }));
}

}  // namespace flattening

/// The lengths of the runs of equal elements.
///
///     run_lengths([1 1 1 3 3 2])      [3 2 1]
template <sequence_operand X>
auto run_lengths(X const& x) {
  auto const runs = flattening::runs_of(x);
  return snd(runs) - fst(runs);
}

/// Values grouped by their keys: a pair of each key and the sequence of its values.
///
///     collect([2 1 2], [a b c])                    [(1 [b]) (2 [a c])]
///     collect(["fox" "dog" "fox"], [1 2 3])        [("dog" [2]) ("fox" [1 3])]
///
/// Order    Keys ascend, in the order of sort, and values keep their order.
/// Cost     That of a sort of the keys.  Values, and keys that are sequences, are not copied.
/// Errors   shape_error if there are not as many values as keys.
template <sequence_operand K, sequence_operand V>
auto collect(K const& keys, V const& values) {
  auto const pairs = zip(keys, values);  // of the same length
  auto const order = sort_order(fst(pairs));
  auto const sorted = keep(gather(fst(pairs), order));
  auto const in_order = gather(snd(pairs), order);
  auto const runs = flattening::runs_of(sorted);
  return each(fst(runs), snd(runs), [&](auto const& first, auto const& last) {
    return tup(at(sorted, first), slice(in_order, first, last));
  });
}

}  // namespace ravel::inline v0
