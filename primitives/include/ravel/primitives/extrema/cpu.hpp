#pragma once

/// Extrema on the host, the table of forms and the forms: of integers in memory a reduction of values, and
/// then a search in the tile that has the best; else a loop over each tile.

#include <ravel/core/cpu/host.hpp>
#include <ravel/primitives/extrema/steps.hpp>
#include <ravel/primitives/find_first.hpp>

#include <array>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

using ravel::detail::greatest_wins, ravel::detail::last_greatest_wins, ravel::detail::least_wins,
    ravel::detail::placed_elements;

/// The monoid of the values of integers in memory.
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
template <class Call>
concept has_best_value = requires {
  typename best_value<decltype(Call::elements), decltype(Call::wins)>::type;
};
template <class T>
struct is_value {
  T const* elements;
  T value;
  bool operator()(index_t i) const { return elements[i] == value; }
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
  constexpr index_t width = reduce_width<T>;
  if (are_few_to_reduce<T>(ex, n)) return {0, 0, n};
  auto const best = ex.template scratch<T>(div_up(n, width));
  reduce_each_tile(ex, n, contiguous<T>{data}, M{}, best.data());
  index_t first = 0;
  for (index_t k = 1; k < best.size(); ++k) {
    if (wins(best[first], best[k])) first = k;
  }
  return nth_tile(first, width, n);
}

/// For each of `wins` the best of a tile, which is not empty.
template <class E, class... Wins>
auto best_of_tile(E const& x, tile t, Wins const&... wins) {
  using T = ravel::detail::placed<typename ravel::detail::load_placed<E>::T>;
  std::array<T, sizeof...(Wins)> best;
  best.fill(T(t.begin, x(t.begin)));
  for (index_t i = t.begin + 1; i < t.end; ++i) {
    decltype(auto) y = x(i);
    auto* kept = best.data();
    ((wins(kept->in(x), y) ? void(*kept = T(i, y)) : void(), ++kept), ...);
  }
  return best;
}
/// For each of `wins` the best of all elements.
template <class Ex, class E, class... Wins>
auto best_in_tiles(Ex const& ex, E const& x, Wins const&... wins) {
  using All = decltype(best_of_tile(x, tile{}, wins...));
  constexpr index_t width = reduce_width<typename ravel::detail::load_placed<E>::T>;
  index_t const n = x.size();
  auto const of_tiles = ex.template scratch<All>(div_up(n, width));
  ex.for_each_tile_of(width, n,
                      [&](worker, tile t) { of_tiles[t.id] = best_of_tile(x, t, wins...); });
  All all{};
  for (index_t t = 0; t < of_tiles.size(); ++t) {
    std::size_t k = 0;
    ((all[k] = ravel::detail::best_placed<E, Wins>{x, wins}(all[k], of_tiles[t][k]), ++k), ...);
  }
  return all;
}

}  // namespace detail

struct extremum_by_value {
  static constexpr auto name = "by_value";
  static constexpr auto why =
      "The least value is known sooner than its place, in vectors, and one tile of 64 KiB is "
      "searched for it.";
  template <class Call>
  static constexpr auto types = needs(need{detail::has_best_value<Call>,
                                           "integers in memory, by <"});
  template <class Ex, class T, class Wins, class Out>
  static void run(Ex const& ex,
                  extremum_call<detail::placed_elements<T, host_space>, Wins, Out> const& c) {
    using M = typename detail::best_value<detail::placed_elements<T, host_space>, Wins>::type;
    tile const t = detail::tile_of_best<M>(ex, c.elements.data, c.elements.n, c.wins);
    T const* const first = c.elements.data + t.begin;
    index_t const n = t.end - t.begin;
    T best;
    reduce_on(ex, n, contiguous<T>{first}, M{}, ravel::detail::seed_identity<M>{{}},
              ravel::detail::store_total<T>{&best});
    find_first_on(ex, n, detail::is_value<T>{first, best},
                  detail::store_place_from<Out>{t.begin, c.out});
  }
};

struct extremum_in_tiles {
  static constexpr auto name = "in_tiles";
  static constexpr auto why =
      "A loop keeps the best element of a tile in registers, and its branches are predicted: a "
      "reduction of positions selects one of two positions for each element, 6 ns of an EPYC.";
  template <class Ex, class E, class Wins, class Out>
  static void run(Ex const& ex, extremum_call<E, Wins, Out> const& c) {
    ravel::detail::store_best<E, Out>{c.elements,
                                      c.out}(detail::best_in_tiles(ex, c.elements, c.wins)[0]);
  }
  template <class Ex, class E, class Before, class Store>
  static void run(Ex const& ex, extrema_call<E, Before, Store> const& c) {
    auto const best = detail::best_in_tiles(ex, c.elements, detail::least_wins<Before>{c.before},
                                            detail::last_greatest_wins<Before>{c.before});
    ravel::detail::store_both_best<E, Store>{
        c.elements, c.store}(paired<decltype(best[0]), decltype(best[1])>{best[0], best[1]});
  }
};

}  // namespace cpu

template <>
struct form_table<extremum_family, cpu::host>
    : forms<cpu::extremum_by_value, cpu::extremum_in_tiles> {};

}  // namespace ravel::inline v0
