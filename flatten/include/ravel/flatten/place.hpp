#pragma once

/// Place: writes elements to indices.

#include <ravel/core/atomic.hpp>
#include <ravel/flatten/combine.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/pick.hpp>
#include <ravel/primitives/segment_forms.hpp>

#include <tuple>

namespace ravel::inline v0 {
namespace flattening {

/// Writes each value to its place; of several one remains.
template <class E, class V, class T = typename V::value_type>
struct write_whole {
  E index;
  V value;
  starts begins;  // of the sequences that are written to
  fault fails;
  T* to;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const {
    index_t const k = static_cast<index_t>(index(i));
    index_t const length = begins[s + 1] - begins[s];
    if (k < 0 || k >= length) {
      fails(s, k, length);
    } else {
      store_whole(to + begins[s] + k, static_cast<T>(value(i)));
    }
  }
  void run(index_t i, index_t end, index_t s, index_t) const {
    index_t const begin = begins[s], length = begins[s + 1] - begin;
    for (; i < end; ++i) {
      index_t const k = static_cast<index_t>(index(i));
      if (k < 0 || k >= length) {
        fails(s, k, length);
      } else {
        store_whole(to + begin + k, static_cast<T>(value(i)));
      }
    }
  }
};
/// Writes at each place the number of a value that goes there.
template <class E>
using claim_place = write_whole<E, straight_place, index_t>;

/// A step over the instances of `values`, elements of sequences: visit(i, s, rank).
template <class Ex, class Visit>
void visit_opened(context_ptr<Ex> const& values, Visit visit) {
  if (values->n == 0) return;
  count_step("map of elements", values->n, text_of_type<Visit>());
  for_each_in_segments(values->ex(), values->n,
                       segments_by(values->ex(), values->begins, values->up->n), visit);
}

/// The number of the value for each of n places, the last if several go there; -1 if none does.
template <class Ex, class E>
held<index_t> claims(context_ptr<Ex> const& values, E const& index, starts_held const& begins,
                     index_t n, fault fails) {
  auto const& ex = values->ex();
  auto const claimed = hold<index_t>(ex, n);
  visit_indices(ex, n, evaluate<constant<index_t>, index_t>{{-1}, claimed.data});
  visit_opened(values, claim_place<E>{index, {}, begins.seen(), fails, claimed.data});
  return claimed;
}

/// Writes each value to its place, unless another has claimed that: all members of a record are
/// then of one value.
template <class E, class V>
struct write_claimed {
  using T = typename V::value_type;
  E index;
  V value;
  starts begins;
  index_t const* claimed;
  T* to;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const {
    index_t const k = static_cast<index_t>(index(i));
    if (k < 0 || k >= begins[s + 1] - begins[s]) return;
    if (claimed[begins[s] + k] == i) to[begins[s] + k] = value(i);
  }
};
struct is_claimed {
  index_t const* claimed;
  bool wanted;
  RAVEL_HD bool operator()(index_t i) const { return (claimed[i] >= 0) == wanted; }
};

/// The elements of x, instances of `dst`, with the values that have claimed places there.
template <class T, class Ex, class X, class V>
column_t<Ex, T> merged(context_ptr<Ex> const& dst, X const& x, held<index_t> const& claimed,
                       V const& values) {
  auto const& ex = dst->ex();
  auto const old = instances_where(dst, is_claimed{claimed.data, false});
  auto const written = instances_where(dst, is_claimed{claimed.data, true});
  owners ignored;
  auto const winners =
      way_of<Ex>(written)->after(ex, {claimed.data, 1}, owners{claimed.owner}, ignored);
  indices_held const winner{std::make_shared<owners const>(std::move(ignored)), winners.map,
                            written.n};
  return combined<T>(dst, dst->n,
                     std::tuple{source{moved(ex, x, way_of<Ex>(old)), old},
                                source{moved(ex, values, way_of<Ex>(winner)), written}});
}

/// x, the elements of d and instances of `dst`, with the values of the instances of `src` at the
/// places that they have claimed.
template <class Ex, class E, class I, class V>
cells<leaf<typename E::value_type>> write_where_claimed(context_ptr<Ex> const& dst,
                                                        descriptor<Ex> const& d, cells<E>& x,
                                                        context_ptr<Ex> const& src, I const& index,
                                                        cells<V> const& values,
                                                        index_t const* claimed) {
  auto const out = own_elements(*dst->on, d, x, dst->n);
  visit_opened(src, write_claimed<I, V>{index, values.e, dst->begins.seen(), claimed, out.data});
  return leaf_of(out.shared());
}
template <class Ex, class R, class... E, class I, class... V>
auto write_where_claimed(context_ptr<Ex> const& dst, descriptor<Ex> const& d, fields<R, E...>& x,
                         context_ptr<Ex> const& src, I const& index, fields<R, V...> const& values,
                         index_t const* claimed) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return column_t<Ex, R>{{write_where_claimed(dst, d, std::get<K>(x.members), src, index,
                                                std::get<K>(values.members), claimed)...}};
  }
  (std::index_sequence_for<E...>{});
}

/// x, the elements of d and instances of `dst`, with the values of the instances of `src` at their
/// places.
template <class Ex, class S, class I, class V>
auto overwritten(context_ptr<Ex> const& dst, descriptor<Ex> const& d, S& x,
                 context_ptr<Ex> const& src, I const& index, V const& values, fault fails) {
  using T = typename S::element;
  auto const begins = dst->begins.seen();
  if constexpr (written_whole<T>) {
    auto const out = own_elements(*dst->on, d, x, dst->n);
    visit_opened(src, write_whole<I, decltype(values.e)>{index, values.e, begins, fails, out.data});
    return leaf_of(out.shared());
  } else {
    auto const claimed = hold<index_t>(dst->ex(), dst->n);  // read only where a value claims
    visit_opened(src, claim_place<I>{index, {}, begins, fails, claimed.data});
    return write_where_claimed(dst, d, x, src, index, values, claimed.data);
  }
}

struct expect_claimed {
  index_t* claimed;
  fault fails;
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    if (claimed[i] < 0) {
      fails(s, rank, 0);
      claimed[i] = i;
    }
  }
  void run(index_t i, index_t end, index_t s, index_t rank) const {
    for (index_t const first = i - rank; i < end; ++i) (*this)(i, s, i - first);
  }
};

template <class I>
void expect_index_sequence() {
  static_assert(std::integral<typename nested_type<element_of<I>>::of>,
                "the indices must be integers");
}

}  // namespace flattening

/// Moves x[i] to index indices[i].
///
///     permute("nesl", [2 1 3 0])      "lens"
///
/// Cost     One scatter of indices; the step that uses the elements loads them.
/// Errors   shape_error if there are not as many indices as elements; domain_error
///          if they are not a permutation, thrown by the next call that waits.
template <lifted_sequence X, lifted_sequence I>
auto permute(X const& x, I const& indices) {
  using namespace flattening;
  expect_index_sequence<I>();
  using Ex = typename X::executor_type;
  auto const c = resolve(x, indices);
  auto const& ex = c->ex();
  auto const s = storage_in(c, x);
  auto const i = storage_in(c, indices);
  expect_same_shape(*c->on, fault_of::lengths_of_permute, s.d, i.d);
  auto const inner = open(i.d, c);
  auto const fails = c->on->next_fault(fault_of::permute);
  auto const claimed = claims(inner, elements_of(c, i).e, inner->begins, inner->n, fails);
  if (inner->n > 0) {
    count_step("check", inner->n, text_of_type<expect_claimed>());
    for_each_in_segments(ex, inner->n, segments_by(ex, inner->begins, c->n),
                         expect_claimed{claimed.data, fails});
  }
  return lift_storage(c, close(inner, moved(ex, elements_of(c, s), way_of<Ex>(claimed.shared()))));
}

/// x, with element indices[j] replaced by values[j].
///
///     write([0 0 0 0 0], [4 2], [-2 5])      [0 0 5 0 -2]
///
/// Of several values for one element one is written, unspecified which.
///
/// An operand that is moved is used up, and updated in place if its memory has no other owner: in a
/// loop, `write(std::move(x), indices, values)` of a part of the state that the body takes by
/// value.  A later use of x is a context_error.
///
/// Cost     A scatter of the values, of records and of atoms of more than 8 bytes after one of
///          their numbers; and a copy of x, unless it is updated in place.
///          Sequences of sequences are copied in any case.
/// Errors   shape_error if there are not as many indices as values; index_error if
///          an index is out of range, thrown by the next call that waits.
template <lifted_sequence X, lifted_sequence I, lifted_sequence V>
auto write(X&& x, I const& indices, V const& values) {
  using namespace flattening;
  expect_index_sequence<I>();
  static_assert(std::same_as<element_of<X>, element_of<V>>,
                "write: the values are not of the type of the elements");
  using Ex = executor_of_t<X>;
  using T = typename nested_type<element_of<X>>::of;
  auto const c = resolve(x, indices, values);
  auto s = storage_in(c, x);
  auto const i = storage_in(c, indices);
  auto const v = storage_in(c, values);
  end_moved(std::forward<X>(x));
  expect_same_shape(*c->on, fault_of::lengths_of_write, i.d, v.d);
  auto const dst = open(s.d, c);
  auto const src = open(i.d, c);
  auto const index = elements_of(c, i);
  auto const fails = c->on->next_fault(fault_of::write);
  if constexpr (is_of_scalars<column_t<Ex, T>>) {
    return lift_storage(
        c, close(dst, overwritten(dst, *s.d, s.child, src, index.e, elements_of(c, v), fails)));
  } else {
    auto const claimed = claims(src, index.e, dst->begins, dst->n, fails);
    return lift_storage(c,
                        close(dst, merged<T>(dst, elements_of(c, s), claimed, elements_of(c, v))));
  }
}

}  // namespace ravel::inline v0
