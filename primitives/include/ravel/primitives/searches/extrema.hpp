#pragma once

/// The places of the least and the greatest element: by a reduction of positions, or, of integers in
/// memory of the host, of values, and then a search in the tile that has the best.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/searches/places.hpp>

#include <cstring>

namespace ravel::inline v0::detail {

template <class T>
concept kept = std::is_trivially_copyable_v<T> && std::default_initializable<T>;

/// A position, or none, and its element if that can be kept in registers; others are read again.
template <class T>
struct placed {
  index_t at = -1;
  placed() = default;
  RAVEL_HD placed(index_t i, T const&) : at(i) {}
  template <class E>
  decltype(auto) in(E const& elements) const {
    return elements(at);
  }
};
template <kept T>
struct placed<T> {
  index_t at = -1;
  T value{};
  placed() = default;
  RAVEL_HD placed(index_t i, T const& x) : at(i), value(x) {}
  template <class E>
  RAVEL_HD T const& in(E const&) const {
    return value;
  }
};
/// In a word: nvcc keeps objects with padding in memory.
template <kept T>
requires(sizeof(T) < sizeof(std::uint64_t)) struct placed<T> {
  index_t at = -1;
  std::uint64_t word = 0;
  placed() = default;
  RAVEL_HD placed(index_t i, T const& x) : at(i) { std::memcpy(&word, &x, sizeof(T)); }
  template <class E>
  RAVEL_HD T in(E const&) const {
    T x;
    std::memcpy(static_cast<void*>(&x), &word, sizeof(T));
    return x;
  }
};
template <class E>
struct load_placed {
  using T = std::remove_cvref_t<decltype(std::declval<E const&>()(index_t{}))>;
  E from;
  RAVEL_HD placed<T> operator()(index_t i) const {
    if constexpr (E::counted) {
      if (i >= from.size()) return {};
    }
    return {i, from(i)};
  }
  RAVEL_HD placed<T> of(index_t i, T const& x) const { return {i, x}; }
  RAVEL_HD T const* elements() const requires requires(E const& e) { e.data; }
  { return from.data; }
};

/// The monoid of positions of which a later one wins if `wins` says so of both elements.
template <class E, class Wins>
struct best_placed {
  using T = placed<typename load_placed<E>::T>;
  E of;
  Wins wins;
  RAVEL_HD T identity() const { return {}; }
  RAVEL_MAY_CALL_HOST
  RAVEL_HD T operator()(T const& x, T const& y) const {
    bool const swapped = y.at < x.at;
    T const late = swapped ? x : y;
    T best = swapped ? y : x;  // copies: nvcc chooses between references by their addresses
    if (best.at < 0 || wins(best.in(of), late.in(of))) best = late;
    return best;
  }
};

/// The first of the least.
template <class Before>
using least_wins = in_wrong_order<Before>;
/// The first of the greatest.
template <class Before>
struct greatest_wins {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return before(x, y);
  }
};
/// The last of the greatest.
template <class Before>
struct last_greatest_wins {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return !before(y, x);
  }
};

/// Integers in memory of the host: their least value is known sooner than its place, in vectors, and one
/// tile of 64 KiB is searched for it.
template <class E, class Wins>
struct best_value;
template <class T>
concept integers = std::integral<T> && !std::same_as<T, bool>;
template <integers T>
struct best_value<placed_elements<T, host_space>, least_wins<less>>
    : std::type_identity<minimum<T>> {};
template <integers T>
struct best_value<placed_elements<T, host_space>, greatest_wins<less>>
    : std::type_identity<maximum<T>> {};
template <class T>
struct is_value {
  T const* elements;
  T value;
  bool operator()(index_t i) const { return elements[i] == value; }
};

template <class E, class Out>
struct store_best {
  E of;
  Out* to;
  template <class T>
  RAVEL_HD void operator()(T const& best) const {
    *to = static_cast<Out>(best.at < 0 ? of.size() : best.at);
  }
};

/// Stores a place that was found from `begin` on.
template <class Out>
struct store_place_from {
  index_t begin;
  Out* to;
  void operator()(index_t i) const { *to = static_cast<Out>(begin + i); }
};
/// The first tile of a reduction that has the best of all values, or all elements if they are few.
template <class M, class Ex, class T, class Wins>
tile tile_of_best(Ex const& ex, T const* data, index_t n, Wins const& wins) {
  constexpr index_t width = cpu::detail::reduce_width<T>;
  if (cpu::detail::are_few_to_reduce<T>(ex, n)) return {0, 0, n};
  auto const best = ex.template scratch<T>(div_up(n, width));
  cpu::detail::reduce_each_tile(ex, n, contiguous<T>{data}, M{}, best.data());
  index_t first = 0;
  for (index_t k = 1; k < best.size(); ++k) {
    if (wins(best[first], best[k])) first = k;
  }
  return nth_tile(first, width, n);
}

template <class Ex, class E, class Wins, class Out>
void find_best(Ex const& ex, E const& x, Wins wins, Out* out) {
  if constexpr (requires { typename best_value<E, Wins>::type; } && cpu::host_executor<Ex>) {
    using M = typename best_value<E, Wins>::type;
    using T = carrier_t<M>;
    tile const t = tile_of_best<M>(ex, x.data, x.n, wins);
    T const* const first = x.data + t.begin;
    index_t const n = t.end - t.begin;
    T best;
    reduce_on(ex, n, contiguous<T>{first}, M{}, seed_identity<M>{{}}, store_total<T>{&best});
    find_first_on(ex, n, is_value<T>{first, best}, store_place_from<Out>{t.begin, out});
  } else {
    best_placed<E, Wins> const m{x, wins};
    reduce_on(ex, x.most(), load_placed<E>{x}, m, seed_identity<best_placed<E, Wins>>{m},
              store_best<E, Out>{x, out});
  }
}

template <class Load>
struct twice {
  Load load;
  RAVEL_HD auto operator()(index_t i) const {
    auto const x = load(i);
    return paired<decltype(load(i)), decltype(load(i))>{x, x};
  }
};
/// store(first, second), the places of the first of the least and of the last of the greatest.
template <class E, class Store>
struct store_both_best {
  E of;
  Store store;
  template <class A, class B>
  RAVEL_HD void operator()(paired<A, B> const& best) const {
    index_t const n = of.size();
    store(best.first.at < 0 ? n : best.first.at, best.second.at < 0 ? n : best.second.at);
  }
};
template <class Ex, class E, class Before, class Store>
void find_both_best(Ex const& ex, E const& x, Before before, Store store) {
  pair_of const m{best_placed<E, least_wins<Before>>{x, {before}},
                  best_placed<E, last_greatest_wins<Before>>{x, {before}}};
  reduce_on(ex, x.most(), twice<load_placed<E>>{{x}}, m,
            seed_identity<std::remove_const_t<decltype(m)>>{m},
            store_both_best<E, Store>{x, store});
}

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0 {
template <class E, class Wins>
inline constexpr bool commutes<detail::best_placed<E, Wins>> = true;
}  // namespace ravel::inline v0
