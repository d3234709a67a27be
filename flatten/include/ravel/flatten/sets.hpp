#pragma once

/// Sets: the distinct elements of sequences, in ascending order, their unions and intersections, and
/// merges.

#include <ravel/core/radix_key.hpp>
#include <ravel/core/search.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/groups.hpp>
#include <ravel/flatten/order.hpp>
#include <ravel/flatten/pick.hpp>
#include <ravel/flatten/reshape.hpp>

#include <concepts>

namespace ravel::inline v0 {

/// The distinct elements, in ascending order.
///
///     unique([3 1 3 2 1])            [1 2 3]
///     unique(["fox" "dog" "fox"])    ["dog" "fox"]
///
/// Order    That of sort; a NaN is distinct from every element, within a key of several parts equal
///          to a NaN.
template <sequence_operand X>
auto unique(X const& x) {
  auto const sorted = sort(x);
  return pack(sorted, flattening::begins_run(sorted));
}

namespace flattening {

/// Keys that are sequences or records.
template <class T>
inline constexpr bool has_several_parts = is_nested<T>::value || host_record<T>;

template <class T>
RAVEL_HD bool is_ahead(T const& x, T const& y) {
  return radix_key<T>::bits(x) < radix_key<T>::bits(y);
}

/// 1 for an element that does not exceed the preceding one, else 0.
template <class T>
struct does_not_ascend {
  T const* elements;
  RAVEL_HD index_t operator()(index_t i) const {
    return i > 0 && !is_ahead(elements[i - 1], elements[i]) ? 1 : 0;
  }
};
/// Whether an element of a sequence does not exceed the preceding one, by their number so far.
struct is_no_set {
  extents where;
  index_t const* descents;
  RAVEL_HD bool operator()(index_t s) const {
    index_t const first = where.begin(s) + 1, last = where.end(s);
    return first < last && descents[first] != descents[last];
  }
};

/// Sequences in memory: slices of `elements`.
template <class Ex, class T>
using rows_in_memory = ragged<Ex, cells<leaf<T>>>;

/// Sequences in memory: slices of elements, uncopied if they are in memory, and are used by more
/// instances than one.
template <class Ex, class E, class T = typename E::value_type>
rows_in_memory<Ex, T> rows_in_memory_of(context_ptr<Ex> const& c, ragged<Ex, cells<E>> const& x) {
  if constexpr (is_leaf<E>::value) {
    measure(*c->on, *x.d);
    bool const is_shared = 0 <= x.d->base && x.d->base <= x.d->total;
    if (is_shared && x.child.e.at.is_identity()) return x;
  }
  auto const inner = open(x.d, c);
  return close(inner, leaf_of(in_order(inner, elements_of(c, x))));
}

/// The distinct elements of each sequence, in ascending order: x itself if they are so already.
template <class X>
auto as_sets(X const& x) {
  using T = inner_t<X>;
  static_assert(radix_sortable<T>,
                "sets: the elements are no numbers, and radix_key is not specialised for their "
                "type");
  auto const c = resolve(x);
  auto const rows = rows_in_memory_of(c, storage_in(c, x));
  auto const descents =
      offsets_of_lengths(c->ex(), rows.d->base, does_not_ascend<T>{rows.child.e.data});
  auto const given = lift_storage(c, rows);
  if (first_where(*c->on, c->n, is_no_set{rows.d->where(), descents.data}) == c->n) return given;
  return lift_storage(c, rows_in_memory_of(c, storage_in(c, unique(given))));
}

/// Two sets for each instance.
template <class T>
struct two_sets {
  T const *of_x, *of_y;
  extents x, y;

  /// The sets of one instance, as elements and their number.
  struct of_instance {
    T const *x, *y;
    index_t nx, ny;

    /// How many of the first r elements of the merged sets are of x, which is first among equals.
    RAVEL_HD index_t split(index_t r) const {
      return partition_point(r > ny ? r - ny : 0, r < nx ? r : nx,
                             [&](index_t p) { return !is_ahead(y[r - 1 - p], x[p]); });
    }
    /// Element p + q of the merged sets, after p of x and q of y, of which one becomes one more.
    RAVEL_HD T next(index_t& p, index_t& q) const {
      bool const is_of_x = q >= ny || (p < nx && !is_ahead(y[q], x[p]));
      T const element = is_of_x ? x[p] : y[q];
      (is_of_x ? p : q) += 1;
      return element;
    }
  };
  RAVEL_HD of_instance at(index_t s) const {
    return {of_x + x.begin(s), of_y + y.begin(s), x.length(s), y.length(s)};
  }
};

/// Element r of the union of all elements, and whether it equals none before.
template <class T>
struct merge_sets {
  two_sets<T> sets;
  T* out;
  bool* is_new;
  using of_instance = typename two_sets<T>::of_instance;

  RAVEL_HD void write(of_instance const& pair, index_t i, index_t& p, index_t& q) const {
    index_t const of_x = p, of_y = q;
    T const next = pair.next(p, q);
    out[i] = next;
    is_new[i] = !((of_x > 0 && pair.x[of_x - 1] == next) || (of_y > 0 && pair.y[of_y - 1] == next));
  }
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const { run(i, i + 1, s, rank); }
  RAVEL_HD void run(index_t i, index_t end, index_t s, index_t rank) const {
    auto const pair = sets.at(s);
    index_t p = pair.split(rank), q = rank - p;
    for (; i < end; ++i) write(pair, i, p, q);
  }
};
/// Element r of all elements in ascending order.
template <class T>
struct merge_elements {
  two_sets<T> sets;
  T* out;

  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const { run(i, i + 1, s, rank); }
  RAVEL_HD void run(index_t i, index_t end, index_t s, index_t rank) const {
    auto const pair = sets.at(s);
    index_t p = pair.split(rank), q = rank - p;
    for (; i < end; ++i) out[i] = pair.next(p, q);
  }
};
struct length_of_both {
  extents x, y;
  RAVEL_HD index_t operator()(index_t s) const { return x.length(s) + y.length(s); }
};

/// The elements of the smaller set, and whether the other one contains them.
template <class T>
struct look_up_in_sets {
  two_sets<T> sets;
  T* out;
  bool* is_common;

  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const { run(i, i + 1, s, rank); }
  RAVEL_HD void run(index_t i, index_t end, index_t s, index_t rank) const {
    auto const pair = sets.at(s);
    bool const is_x = pair.nx <= pair.ny;
    T const* const small = (is_x ? pair.x : pair.y) - i + rank;
    T const* const large = is_x ? pair.y : pair.x;
    index_t const n = is_x ? pair.ny : pair.nx;
    index_t p = 0;
    for (index_t step = n; i < end; ++i, step = 1) {
      T const x = small[i];
      // Galloping from the last place found; the first step is over all.
      index_t last = p;
      while (last < n && is_ahead(large[last], x)) {
        p = last + 1;
        last += step;
        step *= 2;
      }
      p = partition_point(p, last < n ? last : n, [&](index_t k) { return is_ahead(large[k], x); });
      out[i] = x;
      is_common[i] = p < n && large[p] == x;
    }
  }
};
struct length_of_shorter {
  extents x, y;
  RAVEL_HD index_t operator()(index_t s) const {
    index_t const nx = x.length(s), ny = y.length(s);
    return nx < ny ? nx : ny;
  }
};

/// The elements that a step of Visit over `length` elements of each instance's sets selects.
template <template <class> class Visit, class Length, class X, class Y>
auto of_both_sets(char const* call, X const& x, Y const& y) {
  using Ex = typename X::executor_type;
  using T = inner_t<X>;
  static_assert(std::same_as<T, inner_t<Y>>, "sets: the elements are of different types");
  auto const c = resolve(x, y);
  auto const& ex = c->ex();
  auto const a = storage_in(c, as_sets(x));
  auto const b = storage_in(c, as_sets(y));
  auto const d = rows_of_lengths<Ex>(call, *c->on, c->n, Length{a.d->where(), b.d->where()});
  auto const inner = open(d, c);
  auto const out = hold<T>(ex, inner->n);
  auto const is_wanted = hold<bool>(ex, inner->n);
  visit_elements(
      *c->on, *d,
      Visit<T>{
          {a.child.e.data, b.child.e.data, a.d->where(), b.d->where()}, out.data, is_wanted.data});
  return lift_storage(c, packed(inner, leaf_of(out.shared()), leaf<bool>{is_wanted.data, {}}));
}

}  // namespace flattening

/// The distinct elements of both, in ascending order.
///
///     union_([3 1 3], [2 1])      [1 2 3]
///
/// Cost     A merge of both, and of each that does not ascend already first unique; of sequences and
///          records that of unique of both.
template <lifted_sequence X, lifted_sequence Y>
auto union_(X const& x, Y const& y) {
  using namespace flattening;
  if constexpr (has_several_parts<inner_t<X>>) {
    return unique(append(x, y));
  } else {
    return of_both_sets<merge_sets, length_of_both>("union_", x, y);
  }
}

/// The elements of both, which must ascend, in ascending order.
///
///     merge([1 3 3], [2 3])      [1 2 3 3 3]
///
/// Cost     A merge; of sequences and records a sort.
/// See also union_, which keeps one of equal elements, and sorts.
template <lifted_sequence X, lifted_sequence Y>
auto merge(X const& x, Y const& y) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  using T = inner_t<X>;
  if constexpr (has_several_parts<T>) {
    return sort(append(x, y));
  } else {
    static_assert(radix_sortable<T> && std::same_as<T, inner_t<Y>>,
                  "merge: the elements must be numbers of one type");
    auto const c = resolve(x, y);
    auto const a = rows_in_memory_of(c, storage_in(c, x));
    auto const b = rows_in_memory_of(c, storage_in(c, y));
    auto const d =
        rows_of_lengths<Ex>("merge", *c->on, c->n, length_of_both{a.d->where(), b.d->where()});
    auto const inner = open(d, c);
    auto const out = hold<T>(c->ex(), inner->n);
    visit_elements(
        *c->on, *d,
        merge_elements<T>{{a.child.e.data, b.child.e.data, a.d->where(), b.d->where()}, out.data});
    return lift_storage(c, close(inner, leaf_of(out.shared())));
  }
}

/// The distinct elements common to both, in ascending order.
///
///     intersect([3 1 3 2], [3 2 5])      [2 3]
///
/// Cost     Of each that does not ascend already first unique; then O(k log m) for each instance,
///          where the shorter of its sequences has k elements, and the longer m.  Sequences that
///          instances share, as rows of a graph, are not copied.  Of sequences and records that of
///          unique of each, and a sort of both.
template <lifted_sequence X, lifted_sequence Y>
auto intersect(X const& x, Y const& y) {
  using namespace flattening;
  if constexpr (has_several_parts<inner_t<X>>) {
    auto const merged = sort(append(unique(x), unique(y)));
    return pack(merged, !begins_run(merged));
  } else {
    return of_both_sets<look_up_in_sets, length_of_shorter>("intersect", x, y);
  }
}

}  // namespace ravel::inline v0
