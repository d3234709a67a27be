#pragma once

/// Sequences by index: length, elements, slices.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/range.hpp>

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

/// The number, among those of all instances, of the element that each instance takes of its sequence; -1, and a
/// fault, if it has no such element.
template <class E>
struct number_taken {
  extents where;
  E index;
  fault fails;

  RAVEL_HD index_t operator()(index_t i) const {
    auto const [first, last] = where(i);
    index_t const length = last - first, k = static_cast<index_t>(index(i));
    if (0 <= k && k < length) return first + k;
    fails(i, k, length);
    return -1;
  }
};

template <class E>
struct fetch_bounds {
  number_taken<E> taken;
  extents elements;
  index_t *new_begins, *new_ends;

  /// Returns the length of the row.
  RAVEL_HD index_t operator()(index_t i) const {
    index_t const k = taken(i);
    auto const [first, last] = k >= 0 ? elements(k) : extents::bounds{0, 0};
    new_begins[i] = first;
    new_ends[i] = last;
    return last - first;
  }
};

/// The same on a device.  A block that fetches all, as there are few, also scans their lengths.
template <class E>
struct fetch_bounds_by_blocks {
  static constexpr bool divisible = true;
  static constexpr index_t few = 256;
  fetch_bounds<E> fetch;
  index_t* offsets;  // of few rows
  publish_total total;

  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    if (offsets == nullptr) return team.for_each(t, [&](index_t i) { fetch(i); });
    auto const store = [&](index_t i, index_t before, index_t) { offsets[i] = before; };
    index_t const sum = team.scan(t, fetch, store, plus<index_t>{}, index_t{0});
    if (team.leads()) total(sum);
  }
};

/// The same on the host, for rows of one sequence by indices in memory.  Its loop is short, so that the processor
/// waits for the bounds of many rows at once.
template <class T>
struct fetch_bounds_of_one {
  T const* index;
  index_t length;
  index_t const *begins, *ends;
  fault fails;
  index_t *new_begins, *new_ends;

  void operator()(index_t i) const {
    index_t const k = static_cast<index_t>(index[i]);
    bool const inside = 0 <= k && k < length;
    if (!inside) [[unlikely]]
      fails(i, k, length);
    new_begins[i] = inside ? begins[k] : 0;
    new_ends[i] = inside ? ends[k] : 0;
  }
};

/// The same for rows of one length, of which the host then knows the lengths.
template <class E>
struct fetch_row {
  number_taken<E> taken;
  spot rows;
  index_t* to;

  RAVEL_HD void operator()(index_t i) const {
    index_t const k = taken(i);
    to[i] = k >= 0 ? rows(k) : 0;
  }
};

template <class Ex, class E, class I>
auto element_at(context_ptr<Ex> const&, cells<E> const& x, indexing<I> const& i) {
  owners keep = x.keep;
  keep.add(i.keep);
  return cells<fetch<E, I>>{{x.e, i.where, i.index, {}, i.fails}, std::move(keep)};
}
template <class Ex, class S, class I>
ragged<Ex, S> element_at(context_ptr<Ex> const& c, ragged<Ex, S> const& x, indexing<I> const& i) {
  auto const& ex = c->ex();
  // Element k, for a known k, of lists of one length: strided bounds, without new ones.
  auto const k = known_number(i.index);
  bool const is_list = i.where.begins == nullptr && i.where.at.is_identity();
  if (c->n > 0 && k && 0 <= *k && *k < i.where.uniform && is_list && !x.d->is_uniform() &&
      x.d->at.is_identity()) {
    return {std::make_shared<descriptor<Ex> const>(descriptor<Ex>{
                c->n, x.d->base, x.d->begins.slice(*k, x.d->n - *k),
                x.d->ends.slice(*k, x.d->n - *k), false, spot{nullptr, i.where.uniform}}),
            x.child};
  }
  number_taken<I> const taken{i.where, i.index, i.fails};
  if (x.d->is_uniform() && x.d->base >= x.d->uniform) {
    auto const row = hold<index_t>(ex, c->n);
    visit_indices(ex, c->n, fetch_row<I>{taken, x.d->at, row.data});
    return {std::make_shared<descriptor<Ex> const>(descriptor<Ex>{
                c->n, x.d->base, {}, {}, false, {row.data}, owners(row.owner), x.d->uniform}),
            x.child};
  }
  auto const begins = hold<index_t>(ex, c->n);
  auto const ends = hold<index_t>(ex, c->n);
  ragged<Ex, S> const rows{std::make_shared<descriptor<Ex> const>(descriptor<Ex>{
                               c->n, x.d->base, begins.shared(), ends.shared(), false}),
                           x.child};
  if constexpr (cpu::host_executor<Ex> && is_leaf<I>::value) {
    bool const is_of_one = i.where.at.same_for_all() && x.d->at.is_identity();
    if (c->n > 0 && is_of_one && i.index.at.is_identity() && !x.d->is_uniform()) {
      count_step("map", c->n, text_of_type<fetch_bounds<I>>());
      auto const bounds = i.where(0);
      for_each_index(ex, c->n,
                     fetch_bounds_of_one<typename I::value_type>{
                         i.index.data, bounds.end - bounds.begin, x.d->begins.data + bounds.begin,
                         x.d->ends.data + bounds.begin, i.fails, begins.data, ends.data});
      return rows;
    }
  }
  fetch_bounds<I> const fetch{taken, x.d->where(), begins.data, ends.data};
  if constexpr (writes_to_host<Ex>) {
    using by_blocks = fetch_bounds_by_blocks<I>;
    if (c->n == 0) return rows;
    count_step("map", c->n, text_of_type<fetch_bounds<I>>());
    if (c->n > by_blocks::few) {
      ex.for_each_tile(c->n, by_blocks{fetch, nullptr, {}});
    } else {
      auto const offsets = hold<index_t>(ex, c->n + 1);
      rows.d->starts.offsets = offsets.shared();
      ex.for_each_tile(c->n,
                       by_blocks{fetch, offsets.data, c->on->total_to(offsets.data + c->n, c->n)});
    }
  } else {
    visit_indices(ex, c->n, fetch);
  }
  return rows;
}
template <class Ex, class R, class... S, class I>
auto element_at(context_ptr<Ex> const& c, fields<R, S...> const& x, indexing<I> const& i) {
  return map_members(x, [&](auto const& s) { return element_at(c, s, i); });
}

template <fault_of What, class A, class B>
struct slice_bounds {
  extents where;
  A from;
  B to;
  fault fails;
  index_t *new_begins, *new_ends;

  RAVEL_HD void operator()(index_t i) const {
    auto const [first, last] = where(i);
    index_t const n = last - first;
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
  index_t const known = c->n == 1 ? flattening::known_total(*s.d) : -1;
  auto const where = known < 0 ? s.d->where() : flattening::extents{nullptr, nullptr, known, {}};
  return flattening::lifted_cells(c, flattening::length_of{where}, flattening::owners_of(s.d));
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
  auto const lookup = flattening::indexing<decltype(index.e)>{
      s.d->where(), index.e, c->on->next_fault(flattening::fault_of::at), std::move(keep)};
  auto const found = flattening::element_at(c, s.child, lookup);
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
