#pragma once

/// Reshape: adds or removes a level of nesting, and appends sequences.

#include <ravel/core/function_ref.hpp>
#include <ravel/flatten/combine.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/lift.hpp>

#include <optional>
#include <tuple>

namespace ravel::inline v0 {
namespace flattening {

/// Where the elements of the sequences of one operand of an append begin, from
/// where those of the preceding operand do.
struct begin_of_next {
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

/// The beginnings of the elements of the elements of sequences.
struct start_of_starts {
  starts outer, inner;
  RAVEL_HD index_t operator()(index_t s) const { return inner[outer[s]]; }
};

/// Stores the beginning of each sequence, and fails if it is before that of the preceding one.
struct store_ascending {
  index_t* to;
  fault fails;
  RAVEL_HD void operator()(index_t i, index_t before, index_t through) const {
    if (through < before) fails(i, through - before, 0);
    to[i] = before;
  }
};

/// Whether the length of sequence s is not a multiple of k.
struct cut_short {
  starts begins;
  index_t k;
  RAVEL_HD bool operator()(index_t s) const { return (begins[s + 1] - begins[s]) % k != 0; }
};
/// The number of parts of k elements before sequence s.
struct parts_before {
  starts begins;
  index_t k;
  RAVEL_HD index_t operator()(index_t s) const { return begins[s] / k; }
};

/// Concatenates the sequences of several sources at each instance in one step.
template <class U, class Ex, class... S>
std::optional<ragged<Ex, cells<leaf<U>>>> joined(context_ptr<Ex> const& c, S const&... s) {
  constexpr index_t count = sizeof...(S);
  index_t k = 0;
  auto const pieces = described<U>(
      c, count * c->n, std::tuple<source<S>...>{source<S>{s, targets(c->n, k++, count)}...});
  if (!pieces) return {};
  measure(*c->on, *pieces->d);
  auto const d = [&] {
    if (c->n == 1) return uniform_rows<Ex>(1, pieces->d->total);
    auto const offsets = hold<index_t>(c->ex(), c->n + 1);
    visit_indices(c->ex(), c->n + 1,
                  evaluate<start_of_starts, index_t>{{{nullptr, count}, pieces->d->starts.seen()},
                                                     offsets.data});
    return dense_rows<Ex>(c->n, pieces->d->total, offsets.shared());
  }();
  return ragged<Ex, cells<leaf<U>>>{d, elements_of(c, *pieces)};
}

/// x, the elements of d, and after them those of `more`, `total` in all, of one instance.
template <class Ex, class E, class... S>
cells<leaf<typename E::value_type>> extended(machine<Ex> const& on, descriptor<Ex> const& d,
                                             index_t total, cells<E>& x,
                                             placed<Ex, cells<S>> const&... more) {
  auto const out = own_elements(on, d, x, total);
  (place_elements(on, more, out.data), ...);
  return leaf_of(out.shared());
}
template <class Ex, class R, class... E, class... S>
auto extended(machine<Ex> const& on, descriptor<Ex> const& d, index_t total, fields<R, E...>& x,
              placed<Ex, S> const&... more) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const member = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      return extended(on, d, total, std::get<K>(x.members), take_member<K>{}(more)...);
    };
    return column_t<Ex, R>{{member(std::integral_constant<std::size_t, I>{})...}};
  }
  (std::index_sequence_for<E...>{});
}
/// The same for sequences, in the memory of x if that has no other owner.
template <class Ex, class S, class... More>
auto appended_in_place(context_ptr<Ex> const& c, ragged<Ex, S>& x, More const&... more) {
  index_t const total = measure_all<Ex>(*c->on, {x.d.get(), more.d.get()...});
  index_t ahead = x.d->total;
  auto const after = [&](auto const& one) {
    index_t const begin = std::exchange(ahead, ahead + one.d->total);
    return placed{one, destination{{nullptr, 0}, {nullptr, 0, 1}, begin}, nullptr};
  };
  std::tuple<decltype(after(more))...> const placed_after{after(more)...};
  auto const child = ravel::detail::call_with(
      [&](auto const&... one) { return extended(*c->on, *x.d, total, x.child, one...); },
      placed_after);
  return ragged<Ex, std::remove_const_t<decltype(child)>>{uniform_rows<Ex>(1, total), child};
}

/// Whether the counts of instance i do not sum to its number of elements.
struct wrong_sum {
  starts elements;
  starts counts;
  index_t const* sums;  // sums of counts, by offset
  RAVEL_HD bool operator()(index_t i) const { return sums[counts[i + 1]] != elements[i + 1]; }
};

/// The elements of x cut into sequences of the given lengths.
template <class X, class L>
auto cut(X const& x, L const& lengths, char const* call, fault_of below_zero) {
  using Ex = typename X::executor_type;
  auto const c = resolve(x, lengths);
  auto const& ex = c->ex();
  auto const s = storage_in(c, x);
  auto const l = storage_in(c, lengths);
  auto const counts = open(l.d, c);
  auto const count = elements_of(c, l);
  using E = decltype(count.e);

  index_t const n = counts->n;
  auto const fails = c->on->next_fault(below_zero);
  auto const sums = offsets_of_lengths(ex, n, as_index<E>{count.e}, [fails](index_t* out) {
    return store_ascending{out, fails};
  });
  auto const& begins = open(s.d, c)->begins;
  index_t const bad =
      c->n == 1
          ? index_t{c->on->read(sums.data, n) == open(s.d, c)->n}
          : first_where(*c->on, c->n, wrong_sum{begins.seen(), counts->begins.seen(), sums.data});
  if (bad < c->n) {
    auto const start = [&](starts_held const& starts, index_t i) {
      return starts.is_uniform() ? i * starts.length : c->on->read(starts.offsets.data, i);
    };
    auto const sum_before = [&](index_t i) {
      return c->on->read(sums.data, start(counts->begins, i));
    };
    throw shape_error(sentence(
        call, ": the lengths add up to ", sum_before(bad + 1) - sum_before(bad), ", and there are ",
        start(begins, bad + 1) - start(begins, bad), " elements, at instance ", bad));
  }
  auto const cut = elements_of(c, s);
  auto const d = dense_rows<Ex>(n, open(s.d, c)->n, sums.shared());
  return lift_storage(c, close(counts, ragged<Ex, std::remove_const_t<decltype(cut)>>{d, cut}));
}

/// The type of the elements of a list: that of the first operand that is no number of the host.
template <class X, class... Rest>
struct listed : std::type_identity<element_of<X>> {};
template <atom X, class Next, class... Rest>
struct listed<X, Next, Rest...> : listed<Next, Rest...> {};

/// Whether a list of T takes X: a value of T, or a number of the host, which loses no fraction.
template <class T, class X>
inline constexpr bool is_listed_as = std::same_as<T, element_of<X>>;
template <class T, atom X>
requires std::is_arithmetic_v<T> && std::is_arithmetic_v<X>
inline constexpr bool is_listed_as<T, X> = std::floating_point<T> || std::integral<X>;

}  // namespace flattening

/// A sequence of the given values, at least one of which is lifted.
///
///     list(3, 1, 2)              [3 1 2]
///     list([3 1], [], [2])       [[3 1] [] [2]]
///
/// Shapes   Of one type; numbers of the host take the type of the lifted ones, as in list(len(x), 0).
/// Cost     The values are written once.
template <liftable X, liftable... Rest>
auto list(X const& x, Rest const&... rest) {
  using namespace flattening;
  using Ex = executor_of_t<X, Rest...>;
  using T = typename listed<X, Rest...>::type;
  static_assert((is_listed_as<T, X> && ... && is_listed_as<T, Rest>),
                "list: the values must be of one type");
  auto const c = resolve(x, rest...);
  constexpr index_t n = 1 + sizeof...(Rest);
  index_t k = 0;
  auto const from_value = [&]<class V>(V const& v) {
    using listed_value = std::conditional_t<atom<V>, T, V>;
    return source{storage_in(c, static_cast<listed_value const&>(v)), targets(c->n, k++, n)};
  };
  auto const sources = std::tuple{from_value(x), from_value(rest)...};
  return lift_storage(
      c, column_t<Ex, nested<T>>{uniform_rows<Ex>(c->n, n), combined<T>(c, n * c->n, sources)});
}

/// All elements of x, then those of y, and so on.
///
///     append([2 3 5], [], [8 10])      [2 3 5 8 10]
///
/// A first operand that is moved is used up, as by `write`.  If x is one sequence, and its memory has
/// no other owner, the others are written after its elements, as far as there is room.
///
/// Cost     Every element is written once; for atoms in memory in one step for all operands.  Of
///          `append(std::move(x), y)` in a loop, those of y, and of x O(1) times in all rounds.
template <lifted_sequence X, lifted_sequence... Rest>
auto append(X&& x, Rest const&... rest) {
  static_assert((std::same_as<element_of<X>, element_of<Rest>> && ...),
                "append: the sequences must be of one type");
  using namespace flattening;
  using Ex = executor_of_t<X>;
  auto const c = resolve(x, rest...);
  auto const& ex = c->ex();
  using T = element_of<X>;
  using U = typename nested_type<T>::of;
  if constexpr (is_moved<X> && is_of_scalars<column_t<Ex, U>>) {
    if (c->n == 1) {
      return [&](auto first, auto const&... more) {
        end_moved(std::forward<X>(x));
        return lift_storage(c, column_t<Ex, T>(appended_in_place(c, first, more...)));
      }(storage_in(c, x), storage_in(c, rest)...);
    }
  }
  return [&](auto const&... s) {
    end_moved(std::forward<X>(x));
    constexpr int n = sizeof...(s);
    bool const is_uniform = (s.d->is_uniform() && ...);
    if constexpr ((in_memory<U, source<std::remove_cvref_t<decltype(s)>>> && ...)) {
      if (!is_uniform && c->n > 0) {
        if (auto const result = joined<U>(c, s...)) return lift_storage(c, *result);
      }
    }
    auto const d = [&] {
      if (is_uniform) return uniform_rows<Ex>(c->n, (s.d->uniform + ...));
      index_t const total = measure_all<Ex>(*c->on, {s.d.get()...});
      if (c->n == 1) return uniform_rows<Ex>(1, total);
      auto const offsets = offsets_of_lengths(ex, c->n, sum_of_lengths<n>{{s.d->where()...}});
      return dense_rows<Ex>(c->n, total, offsets.shared());
    }();
    indices_held begins = d->begins;
    index_t ahead = 0;
    int remaining = n;
    auto const source_of = [&](auto const& one) {
      constexpr targets::target itself{nullptr, 0, 1};
      auto result =
          placed{one, destination{{begins.data, d->uniform}, itself, ahead}, begins.owner};
      if (d->is_uniform()) {
        ahead += is_uniform ? one.d->uniform : one.d->total;
      } else if (--remaining > 0) {
        auto const next = hold<index_t>(ex, c->n);
        visit_indices(ex, c->n,
                      evaluate<begin_of_next, index_t>{{begins.data, one.d->where()}, next.data});
        begins = next.shared();
      }
      return result;
    };
    auto const sources = std::tuple<decltype(source_of(s))...>{source_of(s)...};
    return lift_storage(c, column_t<Ex, T>{d, combined_elements<U>(c, d->base, sources)});
  }(storage_in(c, x), storage_in(c, rest)...);
}

/// Concatenates the elements of x: a level less.
///
///     flatten([[2 1] [7 3 0] [] [4]])      [2 1 7 3 0 4]
///
/// Cost     O(1) for each instance if x is dense, as all computed sequences are.  For
///          slices and selections of sequences the elements are opened first.
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

  using Ex = typename X::executor_type;
  auto const d = [&] {
    if (c->n == 1) return uniform_rows<Ex>(1, inner->n);
    if (outer->begins.is_uniform() && inner->begins.is_uniform()) {
      return uniform_rows<Ex>(c->n, outer->begins.length * inner->begins.length);
    }
    auto const offsets = hold<index_t>(ex, c->n + 1);
    visit_indices(ex, c->n + 1,
                  evaluate<start_of_starts, index_t>{{outer->begins.seen(), inner->begins.seen()},
                                                     offsets.data});
    return dense_rows<Ex>(c->n, inner->n, offsets.shared());
  }();
  return lift_storage(c, ragged<Ex, std::remove_const_t<decltype(elements)>>{d, elements});
}

/// each followed by flatten: f makes a sequence of each element, and these are
/// concatenated.
///
///     flat_each([2 0 3], iota)                  [0 1 0 1 2]
///     flat_each([7 8 9], [2 0 1], dist)         [7 7 9]
template <sequence_operand X, class F>
auto flat_each(X&& x, F&& f) {
  return flatten(each(std::forward<X>(x), f));
}
template <sequence_operand X, sequence_operand Y, class F>
auto flat_each(X&& x, Y&& y, F&& f) {
  return flatten(each(std::forward<X>(x), std::forward<Y>(y), f));
}
template <sequence_operand X, sequence_operand Y, sequence_operand Z, class F>
auto flat_each(X&& x, Y&& y, Z&& z, F&& f) {
  return flatten(each(std::forward<X>(x), std::forward<Y>(y), std::forward<Z>(z), f));
}

/// The elements of x cut into sequences of the given lengths: a level more.
///
///     unflatten([2 1 7 3 0 4], [2 3 0 1])      [[2 1] [7 3 0] [] [4]]
///
/// NESL's partition.
///
/// Cost     A scan over the lengths, and a wait.
/// Errors   shape_error if the lengths of an instance do not sum to the
///          length of x there, or if one is negative, with its index among those of all instances.
template <lifted_sequence X, lifted_sequence L>
auto unflatten(X const& x, L const& lengths) {
  static_assert(std::integral<typename flattening::nested_type<element_of<L>>::of>,
                "unflatten: the lengths must be integers");
  return flattening::cut(x, lengths, "unflatten", flattening::fault_of::unflatten);
}

/// The elements of x cut into sequences of k elements, in order: a level more.
///
///     unflatten([2 1 7 3 0 4], 2)      [[2 1] [7 3] [0 4]]
///
/// Cost     A check of the lengths, unless x is known to have one length.  The
///          beginnings of sequences, and the sequence of each element, are computed and not stored.
/// Errors   shape_error unless k > 0 divides the length of x at each instance.
template <lifted_sequence X, std::integral K>
auto unflatten(X const& x, K const& each_of) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  auto const k = static_cast<index_t>(each_of);
  if (k < 1) throw shape_error(sentence("unflatten: there are no sequences of ", k, " elements"));
  auto const c = resolve(x);
  auto const s = storage_in(c, x);
  auto const inner = open(s.d, c);
  auto const d = [&] {
    starts_held const& begins = inner->begins;
    index_t const bad = !begins.is_uniform()
                            ? first_where(*c->on, c->n, cut_short{begins.seen(), k})
                        : begins.length % k == 0 ? c->n
                                                 : 0;
    if (bad < c->n) {
      throw shape_error(
          sentence("unflatten: the elements make no sequences of ", k, ", at instance ", bad));
    }
    if (begins.is_uniform()) return uniform_rows<Ex>(c->n, begins.length / k);
    auto const offsets = hold<index_t>(c->ex(), c->n + 1);
    visit_indices(c->ex(), c->n + 1,
                  evaluate<parts_before, index_t>{{begins.seen(), k}, offsets.data});
    return dense_rows<Ex>(c->n, inner->n / k, offsets.shared());
  }();
  auto const cut = elements_of(c, s);
  using S = ragged<Ex, std::remove_const_t<decltype(cut)>>;
  return lift_storage(c, ragged<Ex, S>{d, S{uniform_rows<Ex>(inner->n / k, k), cut}});
}

}  // namespace ravel::inline v0
