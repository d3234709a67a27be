#pragma once

/// @file
/// Order: sorts, searches and groups each sequence separately.

#include <ravel/core/radix_key.hpp>
#include <ravel/core/search.hpp>
#include <ravel/flatten/choose.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/pick.hpp>
#include <ravel/flatten/place.hpp>
#include <ravel/flatten/radix.hpp>
#include <ravel/flatten/record.hpp>
#include <ravel/flatten/sequences.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace flattening {

template <class E>
struct key_at {
  E e;
  RAVEL_HD auto operator()(index_t i) const {
    return radix_key<typename E::value_type>::bits(e(i));
  }
};

/// Sorts by the last member first: passes are stable, so that earlier members take precedence.
template <class Ex, class E>
void sort_by_elements(ordering<Ex>& order, context_ptr<Ex> const& inner, cells<E> const& x) {
  using T = typename E::value_type;
  static_assert(
      radix_sortable<T>,
      "sort: the elements are no numbers, and radix_key is not specialised for their type");
  auto const keys = column(inner, x);
  order.sort_by(key_at<leaf<T>>{keys.e}, radix_width<T>);
}
template <class Ex, class R, class... S>
void sort_by_elements(ordering<Ex>& order, context_ptr<Ex> const& inner, fields<R, S...> const& x) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (sort_by_elements(order, inner, std::get<sizeof...(S) - 1 - I>(x.members)), ...);
  }
  (std::index_sequence_for<S...>{});
}

/// The index, within its sequence, of the element that is at place i of the order.
struct rank_in_order {
  index_t const* order;
  index_t* out;
  starts begins;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const { out[i] = order[i] - begins[s]; }
};

/// The first element of [begin, end) that is not less than (or, OrEqual, that exceeds) the key.
template <class E, class K, bool OrEqual>
struct search_for {
  using value_type = index_t;
  static constexpr int weight = E::weight + K::weight + 2;
  E elements;
  extents where;
  K key;

  template <class Report>
  struct before {
    E const& elements;
    typename K::value_type const& key;
    Report report;
    RAVEL_HD bool operator()(index_t i) const {
      if constexpr (OrEqual) {
        return !(key < value_of(elements, i, report));
      } else {
        return value_of(elements, i, report) < key;
      }
    }
  };
  template <class Report>
  RAVEL_HD index_t value(index_t i, Report report) const {
    index_t const first = where.begin(i);
    auto const wanted = value_of(key, i, report);
    return partition_point(first, where.end(i), before<Report>{elements, wanted, report}) - first;
  }
  RAVEL_HD index_t operator()(index_t i) const { return value(i, raise_failure{}); }
  template <class F>
  search_for moved(F const& f) const {
    return {elements, where.moved(f), key.moved(f)};
  }
};

template <class E, class K, bool OrEqual>
inline constexpr bool can_fail<search_for<E, K, OrEqual>> = can_fail<E> || can_fail<K>;

template <bool OrEqual, class X, class K>
auto search_in(X const& x, K const& key) {
  auto const c = resolve(x, key);
  auto const s = storage_in(c, x);
  auto const k = storage_in(c, key);
  static_assert(is_cells<decltype(s.child)>, "a search is in a sequence of scalars");
  auto keep = owners_of(s.d);
  keep.add(owners_of(s.child, k));
  using E = search_for<decltype(s.child.e), decltype(k.e), OrEqual>;
  return lifted_cells(c, E{s.child.e, s.d->where(), k.e}, std::move(keep));
}

}  // namespace flattening

/// The indices that sort x, stably:
///
///     sort_order([30 10 20 10])      [1 3 2 0]
///
/// Shapes   Numbers, or records of them in lexicographic order.
/// Order    Stable.  That of radix_key: numbers by value, every NaN last.
/// Cost     A pass over all elements for each 8 bits of the key, and for each 8 bits of the number
///          of sequences, for any lengths.
/// Source   Zagha and Blelloch, "Radix Sort for Vector Multiprocessors",
///          Supercomputing 1991.
template <lifted_sequence X>
auto sort_order(X const& x) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  auto const c = resolve(x);
  auto const& ex = c->ex();
  auto const s = storage_in(c, x);
  auto const inner = open(s.d, c);
  auto const elements = elements_of(c, s);
  static_assert(!is_rows<std::remove_const_t<decltype(elements)>>,
                "sort: the elements are sequences, which have no order of their own");
  ordering<Ex> order(ex, inner->n);
  sort_by_elements(order, inner, elements);
  auto const out = hold<index_t>(ex, inner->n);
  if (inner->n > 0) {
    if (c->n > 1) {
      count_step("segment ids", inner->n);
      segment_ids_of(ex, segments_by(ex, inner->begins, c->n), seen_by(ex, out));
      order.sort_by(unsigned_at{out.data}, bits_of_numbers_to(c->n - 1));
    }
    count_step("map of elements", inner->n, text_of_type<rank_in_order>());
    for_each_in_segments(ex, inner->n, segments_by(ex, inner->begins, c->n),
                         rank_in_order{order.here.data, out.data, inner->begins.seen()});
  }
  return lift_storage(c, close(inner, leaf_of(out.shared())));
}

/// The elements in ascending order, stably.
///
///     sort([30 10 20 10])      [10 10 20 30]
///
/// All else is as for sort_order.
template <lifted_sequence X>
auto sort(X const& x) {
  return gather(x, sort_order(x));
}

/// The place of each element in the sorted sequence.
///
///     rank([30 10 20 10])      [3 0 2 1]
template <lifted_sequence X>
auto rank(X const& x) {
  auto const order = sort_order(x);
  return permute(indices(order), order);
}

/// The number of elements of a sorted sequence that are less than the key.
///
///     lower_bound([1 3 3 5], 3)      1
///
/// Cost     O(log len(x)) for each instance, fused into the step that uses the result.
template <lifted_sequence X, scalar K>
auto lower_bound(X const& x, K const& key) {
  return flattening::search_in<false>(x, key);
}
/// The number of elements of a sorted sequence that are not greater than the key.
///
///     upper_bound([1 3 3 5], 3)      3
template <lifted_sequence X, scalar K>
auto upper_bound(X const& x, K const& key) {
  return flattening::search_in<true>(x, key);
}

namespace flattening {

/// Whether each element of a sequence differs from the preceding one.
template <class X>
auto begins_run(X const& x) {
  return each(indices(x),
              [&](auto const& i) { return select(i == 0, true, at(x, i) != at(x, i - 1)); });
}

/// The bounds of each run of equal elements.
template <class X>
auto runs_of(X const& x) {
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
template <lifted_sequence X>
auto run_lengths(X const& x) {
  auto const runs = flattening::runs_of(x);
  return snd(runs) - fst(runs);
}

/// Values grouped by their keys: a pair of each key and the sequence of its values.
///
///     collect([2 1 2], [a b c])      [(1 [b]) (2 [a c])]
///
/// Order    Keys ascend, and values keep their order.
/// Cost     That of a sort of the keys.  Values are not copied.
/// Errors   shape_error if there are not as many values as keys.
template <lifted_sequence K, lifted_sequence V>
auto collect(K const& keys, V const& values) {
  auto const both = zip(keys, values);  // of the same length
  auto const order = sort_order(fst(both));
  auto const sorted = keep(gather(fst(both), order));
  auto const in_order = gather(snd(both), order);
  auto const runs = flattening::runs_of(sorted);
  return each(fst(runs), snd(runs), [&](auto const& first, auto const& last) {
    return tup(at(sorted, first), slice(in_order, first, last));
  });
}

/// The distinct elements, in ascending order.
///
///     unique([3 1 3 2 1])      [1 2 3]
template <lifted_sequence X>
auto unique(X const& x) {
  auto const sorted = keep(sort(x));
  return pack(sorted, flattening::begins_run(sorted));
}

/// The distinct elements of both, in ascending order.
///
///     union_([3 1 3], [2 1])      [1 2 3]
///
/// Cost     As sort, of both together.
template <lifted_sequence X, lifted_sequence Y>
auto union_(X const& x, Y const& y) {
  return unique(append(x, y));
}

/// The distinct elements common to both, in ascending order.
///
///     intersect([3 1 3 2], [3 2 5])      [2 3]
///
/// Cost     As sort, of each and then of both together.
template <lifted_sequence X, lifted_sequence Y>
auto intersect(X const& x, Y const& y) {
  auto const both = keep(sort(append(unique(x), unique(y))));
  auto const is_twice = each(indices(both), [&](auto const& i) {
    return select(i == 0, false, at(both, i) == at(both, i - 1));
  });
  return pack(both, is_twice);
}

}  // namespace ravel::inline v0
