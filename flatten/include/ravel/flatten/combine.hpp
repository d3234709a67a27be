#pragma once

/// @file
/// Values of several contexts put together as those of one: what ends a
/// conditional, a loop, and an append.

#include <ravel/flatten/lifted.hpp>
#include <ravel/primitives/balance.hpp>

#include <tuple>
#include <type_traits>
#include <vector>

namespace ravel::inline v0::flattening {

/// Values, and the instance of the result that each is for.
template <class S>
struct source {
  S s;
  indices_held to;
};
template <class S>
source(S, indices_held) -> source<S>;

/// f of each source: of one, of several of a type, or of a tuple of all these.
template <class S, class F>
void for_each_source(source<S> const& one, F const& f) {
  f(one);
}
template <class S, class F>
void for_each_source(std::vector<S> const& several, F const& f) {
  for (auto const& one : several) for_each_source(one, f);
}
template <class... S, class F>
void for_each_source(std::tuple<S...> const& several, F const& f) {
  std::apply([&](auto const&... some) { (for_each_source(some, f), ...); }, several);
}

/// The sources that f makes of these.
template <class S, class F>
auto map_sources(source<S> const& one, F const& f) {
  return f(one);
}
template <class S, class F>
auto map_sources(std::vector<S> const& several, F const& f) {
  std::vector<decltype(map_sources(several.front(), f))> result;
  result.reserve(several.size());
  for (auto const& one : several) result.push_back(map_sources(one, f));
  return result;
}
template <class... S, class F>
auto map_sources(std::tuple<S...> const& several, F const& f) {
  return std::apply([&](auto const&... some) { return std::make_tuple(map_sources(some, f)...); },
                    several);
}

template <class E, class T>
struct put {
  E e;
  index_t const* to;
  T* out;
  RAVEL_HD void operator()(index_t i) const { out[to[i]] = static_cast<T>(e(i)); }
};
struct put_length {
  span_of length;
  index_t const* to;
  index_t* out;
  RAVEL_HD void operator()(index_t i) const { out[to[i]] = length(i); }
};
struct place_of_element {
  index_t const* to;       // or null, for the same sequences
  index_t const* offsets;  // of the result
  index_t* out;
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    out[i] = offsets[to == nullptr ? s : to[s]] + rank;
  }
};

/// Where the elements of one source's sequences go among those of the result.
template <class Ex>
indices_held places_of_elements(context_ptr<Ex> const& inner, indices_held const& to,
                                indices_held const& offsets) {
  auto const& ex = inner->ex();
  auto const places = hold<index_t>(ex, inner->n);
  if (inner->n > 0) {
    count_step(inner->n);
    for_each_in_segments(ex, inner->n, by_offsets(seen_by(ex, inner->offsets)),
                         place_of_element{to.data, offsets.data, places.data});
  }
  return places.shared();
}

template <std::size_t I>
struct take_member {
  template <class S>
  auto operator()(source<S> const& from) const {
    return source{std::get<I>(from.s.members), from.to};
  }
};

/// The n values of type T that all sources together have: each instance is in one.
///
/// Cost     Every value of the sources is written once, whatever else lies where
///          they lie.
template <class T, class Ex, class Sources>
column_t<Ex, T> combined(context_ptr<Ex> const& c, index_t n, Sources const& sources) {
  auto const& ex = c->ex();
  if constexpr (is_nested<T>::value) {
    auto const lengths = hold<index_t>(ex, n);
    for_each_source(sources, [&](auto const& from) {
      visit_indices(ex, from.to.n,
                    put_length{span_of{from.s.d->begins.data, from.s.d->ends.data}, from.to.data,
                               lengths.data});
    });
    auto const d = rows_of_lengths<Ex>(*c->on, n, leaf<index_t>{lengths.data, {}});
    auto const children = map_sources(sources, [&](auto const& from) {
      auto const o = open(from.s.d, c);
      return source{moved(ex, from.s.child, o.elements),
                    places_of_elements(o.inner, from.to, d->begins)};
    });
    return [&]<class U>(std::type_identity<nested<U>>) {
      return column_t<Ex, T>{d, combined<U>(c, d->base, children)};
    }(std::type_identity<T>{});
  } else if constexpr (host_record<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return column_t<Ex, T>{{combined<typename members_of<T>::template type<I>>(
          c, n, map_sources(sources, take_member<I>{}))...}};
    }
    (member_indices<T>{});
  } else {
    auto const out = hold<T>(ex, n);
    for_each_source(sources, [&]<class E>(source<cells<E>> const& from) {
      visit_indices(ex, from.to.n, put<E, T>{from.s.e, from.to.data, out.data});
    });
    return leaf_of(out.shared());
  }
}

}  // namespace ravel::inline v0::flattening
