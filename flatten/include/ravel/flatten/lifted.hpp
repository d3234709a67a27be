#pragma once

/// @file
/// Lifted values: what a variable of a nested program stands for, a value for each
/// instance of a context.

#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/context.hpp>
#include <ravel/flatten/expression.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::inline v0 {
namespace flattening {

// How the values of n instances are kept: cells, fields or rows.

/// An atom for each, computed by an expression when it is wanted.
template <class E>
struct cells {
  using element = typename E::value_type;
  E e;
  owners keep = {};
};

/// A record for each, as values of its members.
template <class Record, class... S>
struct fields {
  using element = Record;
  std::tuple<S...> members;
};

/// A sequence for each: elements [begins[i], ends[i]) of `base` elements.
///
/// Where they are dense, one behind the other from 0 to base, begins are the
/// offsets, one more than there are sequences, and ends the same from the second on.
template <class Ex>
struct descriptor {
  index_t n;
  index_t base;
  indices_held begins, ends;
  bool dense;

  // What has been found out: the elements of all instances of `within`, in order,
  // and which of the base they are.
  mutable context_ptr<Ex> inner = {};
  mutable way<Ex> elements = {};
  mutable std::vector<std::pair<way<Ex>, std::shared_ptr<descriptor const>>> moved_by = {};
};
template <class Ex>
using descriptor_ptr = std::shared_ptr<descriptor<Ex> const>;

template <class Ex, class S>
struct rows {
  using element = nested<typename S::element>;
  descriptor_ptr<Ex> d;
  S child;
};

/// How values of type `T` are kept once they are computed.
template <class Ex, class T>
struct column_of : std::type_identity<cells<leaf<T>>> {};
template <class Ex, class T>
struct column_of<Ex, nested<T>> : std::type_identity<rows<Ex, typename column_of<Ex, T>::type>> {};
template <class Ex, class R, class Indices>
struct columns_of_members;
template <class Ex, class R, std::size_t... I>
struct columns_of_members<Ex, R, std::index_sequence<I...>>
    : std::type_identity<
          fields<R, typename column_of<Ex, typename members_of<R>::template type<I>>::type...>> {};
template <class Ex, host_record R>
struct column_of<Ex, R> : columns_of_members<Ex, R, member_indices<R>> {};
template <class Ex, class T>
using column_t = typename column_of<Ex, T>::type;

template <class S>
inline constexpr bool is_cells = false;
template <class E>
inline constexpr bool is_cells<cells<E>> = true;
template <class S>
inline constexpr bool is_rows = false;
template <class Ex, class S>
inline constexpr bool is_rows<rows<Ex, S>> = true;
template <class S>
inline constexpr bool is_fields = false;
template <class R, class... S>
inline constexpr bool is_fields<fields<R, S...>> = true;

/// fields, with f applied to each member.
template <class R, class... S, class F>
auto map_members(fields<R, S...> const& x, F f) {
  return std::apply([&](auto const&... s) { return fields<R, decltype(f(s))...>{{f(s)...}}; },
                    x.members);
}

template <class T>
inline constexpr bool never = false;

template <class T>
struct nested_type;
template <class T>
struct nested_type<nested<T>> {
  using of = T;
};

}  // namespace flattening

/// A value for each instance of a context: what the parameters of the lambda of
/// `each` are, and whatever is made of them.
///
/// Ex is the executor that its elements are on, S says how they are kept; `value<Ex,
/// T>` is the lifted type of computed values of element type T, and `element_of<X>`
/// is that T of any lifted type X.
template <class Ex, class S>
struct lifted {
  using executor_type = Ex;
  S s;
  flattening::context_ptr<Ex> c;

  template <std::same_as<bool> B>
  explicit operator B() const {
    static_assert(
        flattening::never<B>,
        "a lifted bool cannot steer C++'s if, while, ?:, && or ||: use if_(c, [&] { ... }, "
        "[&] { ... }), select(c, a, b) or while_");
    return B();
  }
};

/// The lifted type of computed values of element type `T`.
///
///     value<cpu::threads, nested<nested<double>>> const rows = from(ex, vectors);
template <class Ex, class T>
using value = lifted<Ex, flattening::column_t<Ex, T>>;

namespace flattening {

template <class X>
inline constexpr bool is_lifted = false;
template <class Ex, class S>
inline constexpr bool is_lifted<lifted<Ex, S>> = true;

template <class X>
struct element_of_lifted;
template <class Ex, class S>
struct element_of_lifted<lifted<Ex, S>> : std::type_identity<typename S::element> {};
template <atom T>
struct element_of_lifted<T> : std::type_identity<T> {};

}  // namespace flattening

/// `X` is lifted: a scalar, a record or a sequence for each instance.
template <class X>
concept lifted_value = flattening::is_lifted<std::remove_cvref_t<X>>;
/// The type of what X has for each instance.
template <class X>
using element_of = typename flattening::element_of_lifted<std::remove_cvref_t<X>>::type;
/// `X` is a lifted sequence.
template <class X>
concept lifted_sequence = lifted_value<X> && flattening::is_nested<element_of<X>>::value;
/// `X` is a lifted record.
template <class X>
concept lifted_record = lifted_value<X> && flattening::host_record<element_of<X>>;
/// `X` is a lifted scalar.
template <class X>
concept lifted_scalar = lifted_value<X> && !lifted_sequence<X> && !lifted_record<X>;
/// `X` is a lifted scalar, or a value of the host, which is the same for all instances.
template <class X>
concept scalar = lifted_scalar<X> || atom<std::remove_cvref_t<X>>;
/// `X` may be the result of a lambda of a nested program.
template <class X>
concept liftable = lifted_value<X> || atom<std::remove_cvref_t<X>>;

namespace flattening {

/// The executor of the first operand that is lifted.
template <class... X>
struct executor_of {
  static_assert(never<std::tuple<X...>>,
                "an operation of a nested program needs an operand that is lifted: `from(ex, x)` "
                "lifts a value of the host");
};
template <class X, class... Rest>
struct executor_of<X, Rest...> : executor_of<Rest...> {};
template <class Ex, class S, class... Rest>
struct executor_of<lifted<Ex, S>, Rest...> : std::type_identity<Ex> {};
template <class... X>
using executor_of_t = typename executor_of<std::remove_cvref_t<X>...>::type;

template <class Ex, class X, class... Rest>
context_ptr<Ex> const& first_context(X const& x, Rest const&... rest) {
  if constexpr (lifted_value<X>) {
    return x.c;
  } else {
    return first_context<Ex>(rest...);
  }
}

[[noreturn]] inline void throw_escaped() {
  throw context_error(
      "a lifted value is used outside of the lambda that it was a parameter of, or was made in");
}

/// Where the program is.  Outside of any lambda that is the root of the operands.
template <class... X>
auto ambient(X const&... x) {
  using Ex = executor_of_t<X...>;
  if (!entered<Ex>.empty()) return entered<Ex>.back();
  return above(first_context<Ex>(x...), 0);
}

/// The level of the context of x, which must be `here` or above it.
template <class Ex, class X>
int level_of(context_ptr<Ex> const& here, X const& x) {
  if constexpr (lifted_value<X>) {
    static_assert(std::same_as<typename X::executor_type, Ex>,
                  "the operands of an operation are on executors of different types");
    if (x.c->level == 0) return 0;
    if (x.c->level > here->level || above(here, x.c->level) != x.c) throw_escaped();
    return x.c->level;
  } else {
    return 0;
  }
}

/// Where an operation runs: as far out as its operands allow and the instances
/// that are active cover, so that it is done once for all that share it, and fails
/// only for an instance that would.
template <class... X>
auto resolve(X const&... x) {
  auto here = ambient(x...);
  int const deepest = std::max({level_of(here, x)...});
  if (deepest == 0 && here->n > 0) return above(here, 0);
  while (here->level > deepest && here->covers()) here = here->up;
  return here;
}

// Moving values to other instances.

template <class Ex, class E>
cells<E> moved(Ex const& ex, cells<E> const& x, way<Ex> const& by) {
  if (!by) return x;
  cells<E> y{x.e, x.keep};
  y.e = x.e.moved([&](spot at) { return by->after(ex, at, x.keep, y.keep); });
  return y;
}

struct move_bounds {
  index_t const *begins, *ends;
  spot at;
  index_t *new_begins, *new_ends;
  RAVEL_HD void operator()(index_t i) const {
    index_t const k = at(i);
    new_begins[i] = begins[k];
    new_ends[i] = ends[k];
  }
};

template <class Ex>
descriptor_ptr<Ex> moved(Ex const& ex, descriptor_ptr<Ex> const& d, way<Ex> const& by) {
  if (!by) return d;
  for (auto const& [known, result] : d->moved_by) {
    if (known == by) return result;
  }
  auto const begins = hold<index_t>(ex, by->n);
  auto const ends = hold<index_t>(ex, by->n);
  visit_indices(ex, by->n,
                move_bounds{d->begins.data, d->ends.data, by->at, begins.data, ends.data});
  auto const result = std::make_shared<descriptor<Ex> const>(
      descriptor<Ex>{by->n, d->base, begins.shared(), ends.shared(), false});
  d->moved_by.emplace_back(by, result);
  return result;
}

template <class Ex, class S>
rows<Ex, S> moved(Ex const& ex, rows<Ex, S> const& x, way<Ex> const& by) {
  return {moved(ex, x.d, by), x.child};
}
template <class Ex, class R, class... S>
fields<R, S...> moved(Ex const& ex, fields<R, S...> const& x, way<Ex> const& by) {
  return map_members(x, [&](auto const& s) { return moved(ex, s, by); });
}

/// How x is kept, for the instances of `there`, which its context is or is above.
template <class Ex, class S>
S storage_in(context_ptr<Ex> const& there, lifted<Ex, S> const& x) {
  return moved(there->ex(), x.s, there->to(above(there, x.c->level).get()));
}
template <class Ex, atom T>
cells<constant<T>> storage_in(context_ptr<Ex> const&, T const& x) {
  return {{x}, {}};
}

// Sequences.

/// Descriptor of dense sequences, by their n + 1 offsets.
template <class Ex>
descriptor_ptr<Ex> dense_rows(index_t n, index_t total, indices_held const& offsets) {
  return std::make_shared<descriptor<Ex> const>(
      descriptor<Ex>{n, total, offsets.slice(0, n + 1), offsets.slice(1, n), true});
}

struct zero_index {
  RAVEL_HD index_t operator()() const { return 0; }
};
struct store_before {
  index_t* to;
  RAVEL_HD void operator()(index_t i, index_t before, index_t) const { to[i] = before; }
};

/// The offsets of n sequences of length(i) each, and after them their sum.
template <class Ex, class E>
held<index_t> offsets_of_lengths(Ex const& ex, index_t n, E length) {
  auto const offsets = hold<index_t>(ex, n + 1);
  if (n == 0) {
    visit_indices(ex, 1, evaluate<constant<index_t>, index_t>{{0}, offsets.data});
  } else {
    count_step(n);
    scan_on(ex, n, length, store_before{offsets.data}, plus<index_t>{}, zero_index{},
            store_index{offsets.data + n});
  }
  return offsets;
}

/// Dense sequences of length(i) each.  Waits for the sum of the lengths.
template <class Ex, class E>
descriptor_ptr<Ex> rows_of_lengths(machine<Ex> const& on, index_t n, E length) {
  auto const offsets = offsets_of_lengths(on.ex, n, length);
  return dense_rows<Ex>(n, n == 0 ? 0 : on.read(offsets.data, n), offsets.shared());
}

template <class E>
struct as_index {
  E e;
  RAVEL_HD index_t operator()(index_t i) const { return static_cast<index_t>(e(i)); }
};

/// ends[i] - begins[i]
struct span_of {
  index_t const *begins, *ends;
  RAVEL_HD index_t operator()(index_t i) const { return ends[i] - begins[i]; }
};

struct write_element_place {
  index_t* to;
  index_t const* begins;
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const { to[i] = begins[s] + rank; }
};

/// The elements of all instances of `c`, whose sequences d describes.
template <class Ex>
struct opening {
  context_ptr<Ex> inner;
  way<Ex> elements;
};
template <class Ex>
opening<Ex> open(descriptor_ptr<Ex> const& d, context_ptr<Ex> const& c) {
  if (d->inner && d->inner->up == c) return {d->inner, d->elements};
  auto const& ex = c->ex();
  if (d->dense) {
    d->inner = opened_in(c, d->base, d->begins);
  } else {
    auto const offsets = offsets_of_lengths(ex, d->n, span_of{d->begins.data, d->ends.data});
    index_t const total = d->n == 0 ? 0 : c->on->read(offsets.data, d->n);
    auto const at = hold<index_t>(ex, total);
    if (total > 0) {
      count_step(total);
      for_each_in_segments(ex, total, by_offsets(seen_by(ex, offsets)),
                           write_element_place{at.data, d->begins.data});
    }
    d->inner = opened_in(c, total, offsets.shared());
    d->elements = way_of<Ex>(at.shared());
  }
  return {d->inner, d->elements};
}

/// Sequences of what there is for each instance of `opened`.
template <class Ex, class S>
rows<Ex, S> close(context_ptr<Ex> const& inner, S const& s) {
  auto const d = dense_rows<Ex>(inner->up->n, inner->n, inner->offsets);
  d->inner = inner;
  return {d, s};
}

// Computing.

/// The expression's value at each of n instances, in memory.
template <class Ex, class E>
cells<leaf<typename E::value_type>> computed(Ex const& ex, cells<E> const& x, index_t n) {
  using T = typename E::value_type;
  auto const out = hold<T>(ex, n);
  visit_indices(ex, n, evaluate<E, T>{x.e, out.data});
  owners keep;
  keep.add(out.owner);
  return {{out.data, {}}, std::move(keep)};
}

/// x as a column: itself if it is one, and computed if it is not.
template <class Ex, class E>
auto column(context_ptr<Ex> const& c, cells<E> const& x) {
  if constexpr (is_leaf<E>::value) {
    return x;
  } else {
    return computed(c->ex(), x, c->n);
  }
}
template <class Ex, class S>
auto column(context_ptr<Ex> const& c, rows<Ex, S> const& x) {
  if constexpr (std::same_as<S, column_t<Ex, typename S::element>>) {
    return x;
  } else {
    auto const o = open(x.d, c);
    return close(o.inner, column(o.inner, moved(c->ex(), x.child, o.elements)));
  }
}
template <class Ex, class R, class... S>
auto column(context_ptr<Ex> const& c, fields<R, S...> const& x) {
  return map_members(x, [&](auto const& s) { return column(c, s); });
}

/// An expression of more leaves than this is computed at once.
inline constexpr int max_weight = 16;

/// A lifted scalar of what e computes.
template <class Ex, class E>
auto lifted_cells(context_ptr<Ex> const& c, E const& e, owners keep) {
  cells<E> x{e, std::move(keep)};
  if constexpr (E::weight > max_weight) {
    auto y = computed(c->ex(), x, c->n);
    return lifted<Ex, decltype(y)>{std::move(y), c};
  } else {
    return lifted<Ex, cells<E>>{std::move(x), c};
  }
}

template <class Ex, class S>
lifted<Ex, S> lift_storage(context_ptr<Ex> const& c, S const& s) {
  return {s, c};
}

template <class... E>
owners owners_of(cells<E> const&... x) {
  owners all;
  (all.add(x.keep), ...);
  return all;
}

/// f of scalars, for each instance.
template <class F, class... X>
auto apply_scalars(F f, X const&... x) {
  auto const c = resolve(x...);
  return [&](auto const&... s) {
    return lifted_cells(c, apply_to_each(f, s.e...), owners_of(s...));
  }(storage_in(c, x)...);
}

/// A leaf of what is held.
template <class T>
cells<leaf<T>> leaf_of(held<T const> const& x) {
  owners keep;
  keep.add(x.owner);
  return {{x.data, {}}, std::move(keep)};
}
inline cells<leaf<index_t>> begins_of(auto const& d) { return leaf_of(d->begins); }
inline cells<leaf<index_t>> ends_of(auto const& d) { return leaf_of(d->ends); }

/// No values at all, of type T: what a context without instances has.
template <class Ex, class T>
column_t<Ex, T> empty_column(Ex const& ex) {
  if constexpr (is_nested<T>::value) {
    auto const offsets = offsets_of_lengths(ex, 0, constant<index_t>{0});
    auto const d = dense_rows<Ex>(0, 0, offsets.shared());
    return [&]<class U>(std::type_identity<nested<U>>) {
      return column_t<Ex, T>{d, empty_column<Ex, U>(ex)};
    }(std::type_identity<T>{});
  } else if constexpr (host_record<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return column_t<Ex, T>{{empty_column<Ex, typename members_of<T>::template type<I>>(ex)...}};
    }
    (member_indices<T>{});
  } else {
    return leaf_of(hold<T>(ex, 0).shared());
  }
}

}  // namespace flattening

/// Computes x now, where it would be computed by each step that uses it.
///
///     auto const d = keep(sqrt_of(x * x + y * y));       // used twice below
///
/// An expression of scalars is otherwise computed inside each step that takes it,
/// which costs no memory, and is the best for what is used once.
template <class Ex, class S>
auto keep(lifted<Ex, S> const& x) {
  flattening::level_of(flattening::ambient(x), x);
  return flattening::lift_storage(x.c, flattening::column(x.c, x.s));
}

}  // namespace ravel::inline v0
