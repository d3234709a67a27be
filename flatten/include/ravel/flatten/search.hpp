#pragma once

/// Search: the place of a key in each sorted sequence.

#include <ravel/core/search.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/key_order.hpp>

#include <concepts>

namespace ravel::inline v0 {
namespace flattening {

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

template <bool OrEqual, class X, scalar K>
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

/// The number of elements of a sorted sequence of keys that are before a key, or, OrEqual, not after.
template <class T, bool OrEqual>
struct search_for_key {
  using value_type = index_t;
  static constexpr int weight =
      max_weight_together + 1;  // a thread of a device searches for one at a time
  extents where;
  keys_of_type<T> elements, keys;

  RAVEL_HD index_t operator()(index_t i) const {
    index_t first = where.begin(i), last = where.end(i);
    while (first < last) {
      index_t const middle = first + (last - first) / 2;
      bool const is_ahead = keys_of_type<T>::compare(elements, middle, keys, i) < (OrEqual ? 1 : 0);
      (is_ahead ? first : last) = is_ahead ? middle + 1 : middle;
    }
    return first - where.begin(i);
  }
};
template <bool OrEqual, class X, class K>
requires(!scalar<K>) auto search_in(X const& x, K const& key) {
  using T = inner_t<X>;
  static_assert(std::same_as<T, element_of<K>>,
                "a search is for a key of the type of the elements");
  auto const c = resolve(x, key);
  auto const s = column(c, storage_in(c, x));
  auto const k = column(c, storage_in(c, key));
  cells<search_for_key<T, OrEqual>> const place{{s.d->where(), keys_in(s.child), keys_in(k)}};
  run_deferred_steps();
  return lift_storage(c, computed(c->ex(), place, c->n));
}

}  // namespace flattening

/// The number of elements of a sorted sequence that are less than the key.
///
///     lower_bound([1 3 3 5], 3)      1
///
/// Cost     O(log len(x)) comparisons for each instance, of scalars fused into the step that uses the
///          result, of sequences and records a step.
template <lifted_sequence X, liftable K>
auto lower_bound(X const& x, K const& key) {
  return flattening::search_in<false>(x, key);
}
/// The number of elements of a sorted sequence that are not greater than the key.
///
///     upper_bound([1 3 3 5], 3)      3
template <lifted_sequence X, liftable K>
auto upper_bound(X const& x, K const& key) {
  return flattening::search_in<true>(x, key);
}

}  // namespace ravel::inline v0
