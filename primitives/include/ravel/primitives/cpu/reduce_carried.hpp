#pragma once

/// Reduce on the host of what carries several values: tuples, sums of higher order, and recurrences.
///
/// A sum of order q of n elements is q numbers, and a recurrence of order k maps its last k results by a matrix.
/// Instead of the product of such a matrix for each element, a tile has one, and the numbers of a tile
/// are those of the loop from zeros.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cpu/carried.hpp>
#include <ravel/primitives/cpu/scan_strided.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan_visits.hpp>
#include <ravel/primitives/tuples.hpp>

namespace ravel::inline v0::cpu {
namespace detail {

/// The total of each tile, by total_of(tile), and then theirs.
template <class Ex, class Call, class TotalOf>
void reduce_tiles(Ex const& ex, Call const& c, TotalOf const& total_of) {
  using T = typename Call::value_type;
  auto const totals = ex.template scratch<T>(Ex::tile_count(c.n));
  ex.for_each_tile(c.n, [&](worker, tile t) { totals[t.id] = total_of(t); });
  contiguous<T> const in_order{totals.data()};
  c.total(worker::reduce({0, 0, totals.size()}, in_order, c.m, T(c.seed())));
}

template <class Load, class M>
inline constexpr bool are_tuples = false;
template <int S, class Load, class M>
inline constexpr bool
    are_tuples<ravel::detail::load_tuple<S, Load, M>, ravel::detail::tuple_monoid<M, S>> =
        loops::known<M>;

template <class Load>
inline constexpr bool are_runs = false;
template <class C, int S, class Load>
inline constexpr bool are_runs<ravel::detail::load_run<C, S, Load>> = true;

template <int S, class Load, class M>
auto total_of_tile(ravel::detail::load_tuple<S, Load, M> const& load, tile t) {
  ravel::detail::tuple_of<carrier_t<M>, S> totals = ravel::detail::tuple_monoid<M, S>{}.identity();
  tile const here = ravel::detail::elements_of<S>(t, load.n);
  total_of_tuples<M, S>(ravel::detail::on_tile(load.load, here), here, totals.x);
  return totals;
}

/// The work of one thread that has no results but totals.
template <class C, int S, class Load>
auto totals_of_tiles(ravel::detail::load_run<C, S, Load> const& load) {
  using nowhere = write_through<typename C::element>;
  index_t const tuples = div_up(load.n, S);
  if constexpr (sums_in_vectors<C, S>) {
    return sums(tile_width, tuples, load.load, nowhere{}, ravel::detail::no_total{}, load.of);
  } else {
    return carry_tiles<C, S, Load, nowhere, ravel::detail::no_total>{
        load.of, load, {{}, load.n}, tile_width, tuples, {}};
  }
}

}  // namespace detail

struct reduce_tuples {
  static constexpr auto name = "tuples_of_numbers";
  static constexpr auto why = "In vector registers: each lane has elements of one place.";
  template <class Call>
  static constexpr auto types = needs(need{
      detail::are_tuples<decltype(Call::load), decltype(Call::m)>,
      "tuples of numbers with plus, a minimum, a maximum or a bit operation"});
  static void run(auto const& ex, auto const& c) {
    detail::reduce_tiles(ex, c, [&](tile t) { return detail::total_of_tile(c.load, t); });
  }
};

struct reduce_recurrence {
  static constexpr auto name = "recurrence_in_tiles";
  static constexpr auto why =
      "The loop over each tile from zeros, and one power of the coefficients for a tile.";
  template <class Call>
  static constexpr auto types = needs(need{
      detail::are_runs<decltype(Call::load)>,
      "sums of an order, or a recurrence with constant coefficients"});
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    auto const work = detail::totals_of_tiles(c.load);
    auto const whole = ravel::detail::power_of(c.load.of, tile_width);
    detail::reduce_tiles(ex, c, [&](tile t) {
      index_t const n = t.end - t.begin;
      return typename Call::value_type{
          work.total(t.id), n == tile_width ? whole : ravel::detail::power_of(c.load.of, n)};
    });
  }
};

}  // namespace ravel::inline v0::cpu
