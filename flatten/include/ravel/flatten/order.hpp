#pragma once

/// @file
/// Order: sorts, searches and groups each sequence separately.

#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/search.hpp>
#include <ravel/flatten/choose.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/pick.hpp>
#include <ravel/flatten/place.hpp>
#include <ravel/flatten/record.hpp>
#include <ravel/flatten/sequences.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace flattening {

/// Where the elements are in memory, in order: in `room`, unless they are in memory already.
template <class Ex, class E, class T>
held<T const> keys_in_memory(context_ptr<Ex> const& inner, cells<E> const& x, held<T> const& room) {
  if constexpr (is_leaf<E>::value) {
    run_deferred_steps();
    if (x.e.at.is_identity()) return {nullptr, x.e.data, inner->n};
  }
  visit_indices(inner->ex(), inner->n, evaluate<E, T>{x.e, room.data});
  return room.shared();
}

template <class E>
void expect_sortable() {
  static_assert(
      radix_sortable<typename E::value_type>,
      "sort: the elements are no numbers, and radix_key is not specialised for their type");
}

struct store_rank {
  index_t* to;
  RAVEL_HD void operator()(index_t i, index_t, index_t rank) const { to[i] = rank; }
  void run(index_t i, index_t end, index_t, index_t rank) const {
    for (; i < end; ++i, ++rank) to[i] = rank;
  }
};
/// The keys of sequences in an order of each.
template <class E, class T>
struct evaluate_in_order {
  E e;
  index_t const* order;
  starts begins;
  T* out;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const {
    out[i] = e(begins[s] + order[i]);
  }
};

/// The order of the elements of each sequence: that of their indices, until it is sorted by keys.
template <class Ex>
class ordering {
  context_ptr<Ex> const& inner_;
  held<index_t> order_;
  bool is_sorted_ = false;

  auto segments() const { return segments_by(inner_->ex(), inner_->begins, inner_->up->n); }
  template <class Visit>
  void visit(Visit visit) const {
    count_step("map of elements", inner_->n, text_of_type<Visit>());
    for_each_in_segments(inner_->ex(), inner_->n, segments(), visit);
  }

 public:
  explicit ordering(context_ptr<Ex> const& inner)
      : inner_(inner), order_(hold<index_t>(inner->ex(), inner->n)) {
    if (inner->n > 0) visit(store_rank{order_.data});
  }
  held<index_t> const& order() const { return order_; }

  template <class E>
  void sort_by(cells<E> const& x) {
    expect_sortable<E>();
    using T = typename E::value_type;
    if (inner_->n == 0) return;
    auto const& ex = inner_->ex();
    auto const sorted = hold<T>(ex, inner_->n);
    auto keys = sorted.shared();
    if (std::exchange(is_sorted_, true)) {
      visit(evaluate_in_order<E, T>{x.e, order_.data, inner_->begins.seen(), sorted.data});
    } else {
      keys = keys_in_memory(inner_, x, sorted);
    }
    count_step("segmented sort", inner_->n, text_of_type<E>());
    segmented_sort_pairs(ex, seen_by(ex, keys), seen_by(ex, order_), segments(),
                         seen_by(ex, sorted), seen_by(ex, order_));
  }
  /// Sorts by the last member first: sorts are stable, so that earlier members take precedence.
  template <class R, class... S>
  void sort_by(fields<R, S...> const& x) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (sort_by(std::get<sizeof...(S) - 1 - I>(x.members)), ...);
    }
    (std::index_sequence_for<S...>{});
  }
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
/// Cost     That of segmented_sort_pairs, for any lengths; of records, once for each member.
template <lifted_sequence X>
auto sort_order(X const& x) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  auto const c = resolve(x);
  auto const s = storage_in(c, x);
  auto const inner = open(s.d, c);
  auto const elements = elements_of(c, s);
  static_assert(!is_rows<std::remove_const_t<decltype(elements)>>,
                "sort: the elements are sequences, which have no order of their own");
  ordering<Ex> by(inner);
  by.sort_by(elements);
  return lift_storage(c, close(inner, leaf_of(by.order().shared())));
}

namespace flattening {

/// The sorted elements of each sequence.
template <class Ex, class E>
auto sorted_elements(context_ptr<Ex> const& inner, cells<E> const& x) {
  expect_sortable<E>();
  using T = typename E::value_type;
  auto const& ex = inner->ex();
  auto const out = hold<T>(ex, inner->n);
  if (inner->n > 0) {
    auto const keys = keys_in_memory(inner, x, out);
    count_step("segmented sort", inner->n, text_of_type<E>());
    segmented_sort(ex, seen_by(ex, keys), segments_by(ex, inner->begins, inner->up->n),
                   seen_by(ex, out));
  }
  return leaf_of(out.shared());
}

}  // namespace flattening

/// The elements in ascending order, stably.
///
///     sort([30 10 20 10])      [10 10 20 30]
///
/// Cost     That of segmented_sort.  Records are not moved: the step that uses them loads them.
///
/// All else is as for sort_order.
template <lifted_sequence X>
auto sort(X const& x) {
  using namespace flattening;
  auto const c = resolve(x);
  auto const s = storage_in(c, x);
  if constexpr (is_cells<std::remove_const_t<decltype(s.child)>>) {
    auto const inner = open(s.d, c);
    return lift_storage(c, close(inner, sorted_elements(inner, elements_of(c, s))));
  } else {
    return gather(x, sort_order(x));
  }
}

/// The place of each element in the sorted sequence.
///
///     rank([30 10 20 10])      [3 0 2 1]
template <sequence_operand X>
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
  static_assert(is_cells<std::remove_const_t<decltype(s.child)>>,
                "collect, unique, run_lengths: the elements must be scalars");
  auto const inner = open(s.d, c);
  auto const elements = elements_of(c, s);
  auto const out = hold<bool>(c->ex(), inner->n);
  visit_elements(
      *c->on, *s.d,
      differs_from_preceding<std::remove_const_t<decltype(elements.e)>>{elements.e, out.data});
  return lift_storage(c, close(inner, leaf_of(out.shared())));
}

template <plain_sequence X>
auto begins_run(X const& x) {
  return each(indices(x), x, [&](auto const& i, auto const& element) {
    return i == 0 || at(x, i - 1) != element;
  });
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
template <sequence_operand X>
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
template <sequence_operand K, sequence_operand V>
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

}  // namespace ravel::inline v0
