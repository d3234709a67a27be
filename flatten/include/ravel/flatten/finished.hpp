#pragma once

/// Results of instances that finish at different times, as in a loop.
///
/// Each result is copied once, when its instance finishes, so that no other value of that round
/// has to be kept.  Scalars are written to their final places; sequences are
/// appended to memory that grows, with the row number of each.

#include <ravel/flatten/combine.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/move.hpp>
#include <ravel/flatten/open.hpp>

#include <tuple>

namespace ravel::inline v0::flattening {

/// n values in memory, to which more can be appended.
template <class Ex, class T>
struct growing {
  held<T> memory = {};  // its size is the capacity
  index_t n = 0;

  /// Extends the values by `more`, and returns where to write those.  Amortised O(more).
  T* extend(Ex const& ex, index_t more) {
    if (n + more > memory.n) {
      auto const larger = hold<T>(ex, std::max(n + more, 2 * memory.n));
      visit_indices(ex, n, evaluate<leaf<T>, T>{{memory.data, {}}, larger.data});
      memory = larger;
    }
    n += more;
    return memory.data + (n - more);
  }
};

/// W<Ex, T> for the type T of each member of a record, and f for each, with its number.
template <template <class, class> class W, class Ex, class R, class Indices = member_indices<R>>
struct for_members;
template <template <class, class> class W, class Ex, class R, std::size_t... I>
struct for_members<W, Ex, R, std::index_sequence<I...>> {
  std::tuple<W<Ex, typename members_of<R>::template type<I>>...> all;

  void visit(auto const& f) {
    (f(std::get<I>(all), std::integral_constant<std::size_t, I>{}), ...);
  }
  column_t<Ex, R> column(Ex const& ex) const { return {{std::get<I>(all).column(ex)...}}; }
};

/// The elements of sequences, in memory that grows.
template <class Ex, class T>
struct growing_elements {
  growing<Ex, T> values = {};

  /// Appends the elements of all sequences of x.
  template <class E>
  void append(context_ptr<Ex> const& c, ragged<Ex, cells<E>> const& x) {
    T* const out = values.extend(c->ex(), x.d->total);
    visit_elements(*c->on, *x.d, copy_element<E, T>{x.child.e, x.d->where(), out});
  }
  cells<leaf<T>> column(Ex const& ex) const {
    return leaf_of(values.memory.owner ? values.memory.shared() : hold<T>(ex, 0).shared());
  }
};
template <class Ex, host_record R>
struct growing_elements<Ex, R> {
  for_members<growing_elements, Ex, R> members = {};

  template <class... S>
  void append(context_ptr<Ex> const& c, ragged<Ex, fields<R, S...>> const& x) {
    members.visit([&](auto& member, auto number) {
      auto const& of_member = std::get<number>(x.child.members);
      member.append(c, ragged<Ex, std::remove_cvref_t<decltype(of_member)>>{x.d, of_member});
    });
  }
  column_t<Ex, R> column(Ex const& ex) const { return members.column(ex); }
};

struct appended_offset {
  using value_type = index_t;
  starts begins;
  index_t before;
  RAVEL_HD index_t operator()(index_t i) const { return before + begins[i + 1]; }
};

/// Sequences of T, contiguous: by offsets, or of one length as long as all have it.
template <class Ex, class T>
struct growing_rows {
  index_t n = 0, elements = 0;
  index_t length = 0;
  bool is_uniform = true;
  growing<Ex, index_t> offsets = {};
  growing_elements<Ex, T> values = {};

  template <class S>
  void append(context_ptr<Ex> const& c, ragged<Ex, S> const& x) {
    auto const& d = *x.d;
    if (d.n == 0) return;
    measure(*c->on, d);
    auto const& ex = c->ex();
    if (n == 0 && d.is_uniform()) length = d.uniform;
    if (is_uniform && !(d.is_uniform() && d.uniform == length)) {
      is_uniform = false;
      index_t* const out = offsets.extend(ex, n + 1);
      visit_indices(ex, n + 1, evaluate<offset_at, index_t>{{{nullptr, length}}, out});
    }
    if (!is_uniform) {
      index_t* const out = offsets.extend(ex, d.n);
      visit_indices(ex, d.n, evaluate<appended_offset, index_t>{{d.starts.seen(), elements}, out});
    }
    values.append(c, x);
    n += d.n;
    elements += d.total;
  }
  column_t<Ex, nested<T>> column(Ex const& ex) const {
    return {rows_by<Ex>(n, elements, {offsets.memory.shared(), length}), values.column(ex)};
  }
};
template <class Ex, class T>
struct growing_elements<Ex, nested<T>> {
  growing_rows<Ex, T> rows = {};

  template <class S>
  void append(context_ptr<Ex> const& c, ragged<Ex, S> const& x) {
    rows.append(c, elements_of(c, x));
  }
  column_t<Ex, nested<T>> column(Ex const& ex) const { return rows.column(ex); }
};

/// Values of type T of n instances, added in parts.
template <class Ex, class T>
struct finished {
  held<T> values = {};

  void begin(Ex const& ex, index_t n) { values = hold<T>(ex, n); }
  /// Adds the results x of the instances at `places`.  c is any context.
  template <class E>
  void add(context_ptr<Ex> const& c, cells<E> const& x, targets const& places) {
    visit_indices(c->ex(), places.n, put<E, T>{x.e, places.of(), values.data});
  }
  /// The column, once all instances are added.
  cells<leaf<T>> column(Ex const&) const { return leaf_of(values.shared()); }
};
template <class Ex, host_record R>
struct finished<Ex, R> {
  for_members<finished, Ex, R> members = {};

  void begin(Ex const& ex, index_t n) {
    members.visit([&](auto& member, auto) { member.begin(ex, n); });
  }
  template <class... S>
  void add(context_ptr<Ex> const& c, fields<R, S...> const& x, targets const& places) {
    members.visit([&](auto& member, auto i) { member.add(c, std::get<i>(x.members), places); });
  }
  column_t<Ex, R> column(Ex const& ex) const { return members.column(ex); }
};

struct number_from {
  using value_type = index_t;
  index_t first;
  RAVEL_HD index_t operator()(index_t i) const { return first + i; }
};
template <class Ex, class T>
struct finished<Ex, nested<T>> {
  growing_rows<Ex, T> rows = {};
  held<index_t> number = {};  // the row of each instance

  void begin(Ex const& ex, index_t n) { number = hold<index_t>(ex, n); }
  template <class S>
  void add(context_ptr<Ex> const& c, ragged<Ex, S> const& x, targets const& places) {
    visit_indices(c->ex(), places.n, put<number_from, index_t>{{rows.n}, places.of(), number.data});
    rows.append(c, x);
  }
  column_t<Ex, nested<T>> column(Ex const& ex) const {
    return moved(ex, rows.column(ex), way_of<Ex>(number.shared()));
  }
};

}  // namespace ravel::inline v0::flattening
