#pragma once

/// @file
/// Linear recurrences on the host, past memory once: sums of orders, tuples of them, and
/// recurrences with constant coefficients.
///
/// A thread makes of a tile what zeros become there, hands on what that makes of what is
/// ahead, and then runs the recurrence itself, from the cache: no run of a single element is
/// ever joined with another, and the tiles are all as long, so that one power of A joins them.

#include <ravel/core/cpu/relay.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/scan.hpp>

#include <algorithm>
#include <concepts>

namespace ravel::inline v0::cpu {
namespace detail {

/// What is ahead of a tile, and the tile, which is whole.
template <class C, int S>
struct join_tiles {
  C of;
  typename C::power power;
  using state = ravel::detail::carried_of<C, S>;

  state operator()(state ahead, state const& of_tile) const {
    for (int s = 0; s < S; ++s) {
      of.apply(power, ahead.c[s]);
      for (int k = 0; k < C::size; ++k) ahead.c[s][k] += of_tile.c[s][k];
    }
    return ahead;
  }
};

/// A thread's part.  Tiles are of tuples, of which there are div_up(n, S).
template <class C, int S, class Load, class Visit, class Total>
struct carry_tiles {
  using state = ravel::detail::carried_of<C, S>;
  C of;
  ravel::detail::load_run<C, S, Load> load_all;
  ravel::detail::visit_run<C, S, Visit> visit_all;
  index_t width, tuples;
  Total give_total;

  state total(index_t t) const {
    tile const here = nth_tile(t, width, tuples);
    auto const load = load_all.on(here);
    state c{};
    for (index_t i = here.begin; i < here.end; ++i) {
      for (int s = 0; s < S; ++s) of.next(c.c[s], load.element(S * i + s));
    }
    return c;
  }

  void visit(index_t t, state c, index_t) const {
    tile const here = nth_tile(t, width, tuples);
    auto const load = load_all.on(here);
    auto const visit = visit_all.on(here);
    auto const carry = [&](index_t i, int s) {
      auto const before = C::result(c.c[s]);
      of.next(c.c[s], load.element(i));
      visit.visit(i, before, C::result(c.c[s]));
    };
    index_t const whole = std::min(here.end, load.n / S);
    for (index_t i = here.begin; i < whole; ++i) {
      for (int s = 0; s < S; ++s) carry(S * i + s, s);
    }
    for (index_t i = S * whole; i < std::min(S * here.end, load.n); ++i) {
      carry(i, static_cast<int>(i - S * whole));
    }
    if constexpr (S == 1) {
      if (here.end == tuples) give_total(c);
    }
  }
};

}  // namespace detail

/// As ravel::scan_on, of runs.
template <host_executor Ex, class C, int S, class Load, class Visit, class Seed, class Total>
void scan_on(Ex const& ex, index_t tuples, ravel::detail::load_run<C, S, Load> load,
             ravel::detail::visit_run<C, S, Visit> visit, ravel::detail::join_runs<C, S> m,
             Seed seed, Total total) {
  using T = typename C::value;
  using state = ravel::detail::carried_of<C, S>;
  constexpr index_t width = std::max<index_t>(131072 / (S * sizeof(T)), 1024);
  bool const alone = std::same_as<Ex, sequential> || tuples < 4 * width ||
                     (std::integral<T> && detail::threads_of(ex) == 1);
  state const first = seed();
  detail::carry_tiles<C, S, Load, Visit, Total> const work{
      m.of, load, visit, alone ? tuples : width, tuples, total};
  if (alone) {
    work.visit(0, first, 1);
  } else {
    relay(ex, div_up(tuples, width), first,
          detail::join_tiles<C, S>{m.of, ravel::detail::power_of(m.of, width)}, work);
  }
}

}  // namespace ravel::inline v0::cpu
