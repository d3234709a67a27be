#pragma once

/// The places of the least and the greatest element on any executor: a reduction of positions.

#include <ravel/primitives/extrema/call.hpp>
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
  decltype(auto) in(auto const& elements) const { return elements(at); }
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

template <class E, class Out>
struct store_best {
  E of;
  Out* to;
  template <class Best>
  RAVEL_HD void operator()(Best const& best) const {
    *to = static_cast<Out>(best.at < 0 ? of.size() : best.at);
  }
};

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

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0 {

struct extremum_by_positions {
  static constexpr auto name = "by_positions";
  static constexpr auto why = "Any executor, elements and order: a reduction of positions.";
  template <class Ex, class E, class Wins, class Out>
  static void run(Ex const& ex, extremum_call<E, Wins, Out> const& c) {
    using M = detail::best_placed<E, Wins>;
    M const m{c.elements, c.wins};
    reduce_on(ex, c.elements.most(), detail::load_placed<E>{c.elements}, m,
              detail::seed_identity<M>{m}, detail::store_best<E, Out>{c.elements, c.out});
  }
  template <class Ex, class E, class Before, class Store>
  static void run(Ex const& ex, extrema_call<E, Before, Store> const& c) {
    pair_of const m{
        detail::best_placed<E, detail::least_wins<Before>>{c.elements, {c.before}},
        detail::best_placed<E, detail::last_greatest_wins<Before>>{c.elements, {c.before}}};
    reduce_on(ex, c.elements.most(), detail::twice<detail::load_placed<E>>{{c.elements}}, m,
              detail::seed_identity<std::remove_const_t<decltype(m)>>{m},
              detail::store_both_best<E, Store>{c.elements, c.store});
  }
};

/// The family of extrema.
struct extremum_family : call_family<extremum_by_positions> {};

template <class E, class Wins>
inline constexpr bool commutes<detail::best_placed<E, Wins>> = true;
}  // namespace ravel::inline v0
