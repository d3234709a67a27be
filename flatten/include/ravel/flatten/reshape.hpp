#pragma once

/// @file
/// Reshape: a level of nesting less or more, and sequences put together.

#include <ravel/flatten/combine.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/primitives/gather.hpp>

#include <array>
#include <concepts>
#include <tuple>
#include <type_traits>

namespace ravel::inline v0 {
namespace flattening {

struct place_in_list {
  index_t lists_of, k;
  RAVEL_HD index_t operator()(index_t i) const { return i * lists_of + k; }
};

/// Where the elements of the sequences of one operand of an append begin, given
/// where those of the one before do.
struct behind {
  index_t const* begins;
  extents where;
  RAVEL_HD index_t operator()(index_t i) const { return begins[i] + where.length(i); }
};

template <int N>
struct sum_of_lengths {
  extents where[N];
  RAVEL_HD index_t operator()(index_t i) const {
    index_t sum = 0;
    for (int k = 0; k < N; ++k) sum += where[k].length(i);
    return sum;
  }
};

template <class E>
struct below_zero {
  E e;
  RAVEL_HD bool operator()(index_t i) const { return e(i) < 0; }
};

/// Whether the counts of instance i do not add up to its elements.
struct wrong_sum {
  index_t const* elements;  // offsets of them
  index_t const* counts;    // offsets of the counts
  index_t const* sums;      // and of what the counts count
  RAVEL_HD bool operator()(index_t i) const { return sums[counts[i + 1]] != elements[i + 1]; }
};

}  // namespace flattening

/// A sequence of the given values.
///
///     list(3, 1, 2)              [3 1 2]            where one of them is lifted
///     list([3 1], [], [2])       [[3 1] [] [2]]
///
/// Cost     The values are written once.
template <liftable X, liftable... Rest>
auto list(X const& x, Rest const&... rest) {
  using T = element_of<X>;
  static_assert((std::same_as<T, element_of<Rest>> && ...), "list: the values must be of one type");
  using namespace flattening;
  using Ex = executor_of_t<X, Rest...>;
  auto const c = resolve(x, rest...);
  auto const& ex = c->ex();
  constexpr index_t n = 1 + sizeof...(Rest);
  index_t k = 0;
  auto const from_value = [&](auto const& v) {
    return source{storage_in(c, v), targets(c->n, k++, n)};
  };
  auto const offsets = hold<index_t>(ex, c->n + 1);
  visit_indices(ex, c->n + 1, evaluate<place_in_list, index_t>{{n, 0}, offsets.data});
  auto const d = dense_rows<Ex>(c->n, n * c->n, offsets.shared());
  auto const sources = std::tuple{from_value(x), from_value(rest)...};
  return lift_storage(c, column_t<Ex, nested<T>>{d, combined<T>(c, n * c->n, sources)});
}

/// All elements of x, then those of y, and so on.
///
///     append([2 3 5], [], [8 10])      [2 3 5 8 10]
///
/// Cost     Every element is written once.
template <lifted_sequence X, lifted_sequence... Rest>
auto append(X const& x, Rest const&... rest) {
  static_assert((std::same_as<element_of<X>, element_of<Rest>> && ...),
                "append: the sequences must be of one type");
  using namespace flattening;
  using Ex = typename X::executor_type;
  auto const c = resolve(x, rest...);
  auto const& ex = c->ex();
  return [&](auto const&... s) {
    constexpr int n = sizeof...(s);
    index_t const total = measure_all<Ex>(*c->on, {s.d.get()...});
    auto const offsets = offsets_of_lengths(ex, c->n, sum_of_lengths<n>{{s.d->where()...}});
    auto const d = dense_rows<Ex>(c->n, total, offsets.shared());
    indices_held begins = d->begins;
    int left = n;
    auto const source_of = [&](auto const& one) {
      auto result = placed{one, leaf<index_t>{begins.data, {}}, begins.owner};
      if (--left > 0) {
        auto const next = hold<index_t>(ex, c->n);
        visit_indices(ex, c->n,
                      evaluate<behind, index_t>{{begins.data, one.d->where()}, next.data});
        begins = next.shared();
      }
      return result;
    };
    auto const sources = std::tuple<decltype(source_of(s))...>{source_of(s)...};
    using T =
        typename std::tuple_element_t<0, std::tuple<std::remove_cvref_t<decltype(s)>...>>::element;
    return [&]<class U>(std::type_identity<nested<U>>) {
      return lift_storage(c, column_t<Ex, T>{d, combined_elements<U>(c, d->base, sources)});
    }(std::type_identity<T>{});
  }(storage_in(c, x), storage_in(c, rest)...);
}

/// The elements of the elements: a level less.
///
///     flatten([[2 1] [7 3 0] [] [4]])      [2 1 7 3 0 4]
///
/// Cost     O(1) an instance where x is dense, as all that was computed is.  Of
///          slices and sequences picked from others the elements are first opened.
/// See also unflatten.
template <lifted_sequence X>
auto flatten(X const& x) {
  static_assert(flattening::is_nested<typename flattening::nested_type<element_of<X>>::of>::value,
                "flatten: the elements must be sequences");
  using namespace flattening;
  auto const c = resolve(x);
  auto const& ex = c->ex();
  auto const s = storage_in(c, x);
  auto const outer = open(s.d, c);
  auto const inner_rows = elements_of(c, s);
  auto const inner = open(inner_rows.d, outer);
  auto const elements = elements_of(outer, inner_rows);

  auto const offsets = hold<index_t>(ex, c->n + 1);
  count_step("gather", c->n + 1);
  ravel::gather(ex, seen_by(ex, inner->offsets), seen_by(ex, outer->offsets), seen_by(ex, offsets));
  using Ex = typename X::executor_type;
  auto const d = dense_rows<Ex>(c->n, inner->n, offsets.shared());
  return lift_storage(c, ragged<Ex, std::remove_const_t<decltype(elements)>>{d, elements});
}

/// each and then flatten: f makes a sequence of each element, and they are put
/// together.
///
///     flat_each([2 0 3], iota)      [0 1 0 1 2]
template <lifted_sequence X, class F>
auto flat_each(X const& x, F&& f) {
  return flatten(each(x, f));
}

/// The elements of x cut into sequences of the given lengths: a level more.
///
///     unflatten([2 1 7 3 0 4], [2 3 0 1])      [[2 1] [7 3 0] [] [4]]
///
/// NESL's partition.
///
/// Cost     A scan over the lengths, and a wait.
/// Errors   shape_error if the lengths of an instance do not add up to the
///          elements of x there, or one is below 0.
template <lifted_sequence X, lifted_sequence L>
auto unflatten(X const& x, L const& lengths) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  static_assert(std::integral<typename nested_type<element_of<L>>::of>,
                "unflatten: the lengths must be integers");
  auto const c = resolve(x, lengths);
  auto const& ex = c->ex();
  auto const s = storage_in(c, x);
  auto const l = storage_in(c, lengths);
  auto const counts = open(l.d, c);
  auto const count = elements_of(c, l);
  using E = decltype(count.e);

  index_t const n = counts->n;
  index_t const negative = first_where(*c->on, n, below_zero<E>{count.e});
  if (negative < n) throw shape_error("unflatten: a length is below 0");
  auto const sums = offsets_of_lengths(ex, n, as_index<E>{count.e});
  auto const& all = open(s.d, c)->offsets;
  index_t const bad =
      first_where(*c->on, c->n, wrong_sum{all.data, counts->offsets.data, sums.data});
  if (bad < c->n) {
    auto const sum = [&](index_t const* of, index_t const* at) {
      index_t const first = at ? c->on->read(at, bad) : bad;
      index_t const last = at ? c->on->read(at, bad + 1) : bad + 1;
      return c->on->read(of, last) - c->on->read(of, first);
    };
    throw shape_error(sentence("unflatten: the lengths add up to ",
                               sum(sums.data, counts->offsets.data), ", and there are ",
                               sum(all.data, nullptr), " elements, at instance ", bad));
  }
  auto const cut = elements_of(c, s);
  auto const d = dense_rows<Ex>(n, open(s.d, c)->n, sums.shared());
  return lift_storage(c, close(counts, ragged<Ex, std::remove_const_t<decltype(cut)>>{d, cut}));
}

}  // namespace ravel::inline v0
