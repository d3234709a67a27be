#pragma once

/// Linear recurrences on the host in one pass over memory: sums of higher order, tuples of them,
/// and recurrences with constant coefficients.
///
/// A thread first computes the result of a tile with a carry of zero, combines it with the carry
/// from the preceding tiles, and passes the sum on.  Then it runs the recurrence itself over the
/// tile, which is in cache.  Since all tiles have the same length, one power of the recurrence's
/// matrix takes a carry across a tile.

#include <ravel/core/cpu/chained_scan.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cpu/scan_strided.hpp>

namespace ravel::inline v0::cpu {
namespace detail {

/// Combines the carry before a tile with the result of the tile, which must be a full one.
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

/// The work of one thread on tiles of tuples; there are div_up(n, S) tuples.
template <class C, int S, class Load, class Visit, class Total>
struct carry_tiles {
  using state = ravel::detail::carried_of<C, S>;
  C of;
  ravel::detail::load_run<C, S, Load> load_all;
  ravel::detail::visit_run<C, S, Visit> visit_all;
  index_t width, tuples;
  Total give_total;

  /// Of four parts at once, as each result waits for the one before.
  state total(index_t t) const {
    constexpr int parts = 4;
    tile const here = nth_tile(t, width, tuples);
    auto const load = load_all.on(here);
    state c[parts]{};
    auto const add = [&](state& part, index_t i) {
      for (int s = 0; s < S; ++s) of.next(part.c[s], load.element(S * i + s));
    };
    index_t const whole = std::min(here.end, load.n / S);
    index_t const share = (whole - here.begin) / parts;
    for (index_t i = here.begin; i < here.begin + share; ++i) {
      for (int k = 0; k < parts; ++k) add(c[k], i + k * share);
    }
    join_tiles<C, S> const join{of, ravel::detail::power_of(of, share)};
    for (int k = 1; k < parts; ++k) c[0] = join(c[0], c[k]);
    for (index_t i = here.begin + parts * share; i < whole; ++i) add(c[0], i);
    for (index_t i = S * whole; i < std::min(S * here.end, load.n); ++i) {
      of.next(c[0].c[i - S * whole], load.element(i));
    }
    return c[0];
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
    if constexpr (S > 1) {  // each s is a constant, so the carry stays in registers
      index_t const rest = std::min(S * here.end, load.n) - S * whole;
      for (int s = 0; s < S; ++s) {
        if (s < rest) carry(S * whole + s, s);
      }
    }
    if constexpr (S == 1) {
      if (here.end == tuples) give_total(c);
    }
  }
};

/// Whether there are vector loops for sums of order Q.
template <class C, int S>
inline constexpr bool sums_in_vectors = false;
template <class T, int Q>
inline constexpr bool sums_in_vectors<ravel::detail::carried_sums<T, Q>, 1> =
    loops::known_of_strides<plus<T>>;

/// The number of threads up to which one alone is as fast: it computes no totals of tiles first.
template <class C, int S>
inline constexpr int alone_as_fast = sums_in_vectors<C, S>&& C::size == 2 ? 2 : 1;

/// The work of one thread on a sum of order Q, in vectors.
template <class T, int Q, class Load, class Visit, class Total>
struct sum_tiles {
  using C = ravel::detail::carried_sums<T, Q>;
  using state = ravel::detail::carried_of<C, 1>;
  scan_of_strides<plus<T>, 1, Q, Load, Visit> of;
  index_t width, n;
  Total give_total;

  state total(index_t t) const {
    T carried[Q] = {};
    of.total(nth_tile(t, width, n), carried);
    return as_state(carried);
  }
  auto visit(index_t t, state const& ahead, index_t next) const {
    T carried[Q];
    for (int q = 0; q < Q; ++q) carried[q] = static_cast<T>(ahead.c[0][q]);
    tile const here = nth_tile(t, width, n);
    of.scan(here, carried, nth_tile(next, width, n));
    state const through = as_state(carried);
    if (here.end == n) give_total(through);
    if constexpr (std::integral<T>) return through;
  }

 private:
  static state as_state(T const* carried) {
    state result;
    for (int q = 0; q < Q; ++q) result.c[0][q] = static_cast<typename C::value>(carried[q]);
    return result;
  }
};

template <class T, int Q, class Load, class Visit, class Total>
auto sums(index_t width, index_t n, Load const& load, Visit const& visit, Total const& total,
          ravel::detail::carried_sums<T, Q>) {
  bool const streaming = streams<T>(source(load), visit, n);
  return sum_tiles<T, Q, Load, Visit, Total>{{load, visit, streaming}, width, n, total};
}

/// Out of line, so that the path for few elements inlines into the caller.  Arguments fit in
/// registers, because on that path loads from memory would matter.
template <int S, class Ex, class C, class Load, class Visit, class Total>
[[gnu::noinline]] void scan_many_runs(Ex const& ex, index_t n, Load load_element,
                                      Visit visit_element, C carry,
                                      ravel::detail::carried_of<C, S> first, Total total) {
  using T = typename C::value;
  ravel::detail::load_run<C, S, Load> const load{carry, load_element, n};
  ravel::detail::visit_run<C, S, Visit> const visit{visit_element, n};
  index_t const tuples = div_up(n, S);
  constexpr index_t width = std::max<index_t>(131072 / (S * sizeof(T)), 1024);
  // The choice must depend on n alone where grouping matters, since several threads group operands
  // differently.
  constexpr index_t tiles_of_one = sums_in_vectors<C, S> ? 8 : 4;
  bool const alone = std::same_as<Ex, sequential> || tuples < tiles_of_one * width ||
                     (std::integral<T> && threads_of(ex) <= alone_as_fast<C, S>);
  auto const scan = [&](auto const& work) {
    if (alone) {
      work.visit(0, first, 1);
      fence_results(n);
    } else {
      chained_scan(ex, div_up(tuples, width), first,
                   join_tiles<C, S>{carry, ravel::detail::power_of(carry, width)}, work,
                   sums_in_vectors<C, S> ? at_least(tuples) : nanoseconds{S * tuples});
    }
  };
  index_t const wide = alone ? tuples : width;
  if constexpr (sums_in_vectors<C, S>) {
    scan(sums(wide, tuples, load.load, visit.visit, total, carry));
  } else {
    scan(carry_tiles<C, S, Load, Visit, Total>{carry, load, visit, wide, tuples, total});
  }
}

/// Scans all elements as one tile.
template <class C, int S, class Load, class Visit, class Seed, class Total>
[[gnu::always_inline]] inline void scan_few_runs(index_t tuples,
                                                 ravel::detail::load_run<C, S, Load> const& load,
                                                 ravel::detail::visit_run<C, S, Visit> const& visit,
                                                 ravel::detail::join_runs<C, S> const& m,
                                                 Seed const& seed, Total const& total) {
  carry_tiles<C, S, Load, Visit, Total>{m.of, load, visit, tuples, tuples, total}.visit(0, seed(),
                                                                                        1);
}

template <class Call>
inline constexpr need of_runs{Call::shape.order > 0,
                              "sums of an order, or a recurrence with constant coefficients"};

}  // namespace detail

struct scan_few_of_runs {
  static constexpr auto name = "few_of_recurrence";
  static constexpr auto why =
      "The loop itself: up to 127 elements, or tuples, are as fast without what tiles need.";
  template <class Call>
  static constexpr auto types = needs(detail::of_runs<Call>);
  [[gnu::always_inline]] static constexpr auto now(auto const& c, host const&) {
    return needs(need{detail::are_one_tile(c.n, 127), "1 to 127 elements, or tuples of them"});
  }
  [[gnu::always_inline]] static void run(auto const&, auto const& c) {
    detail::scan_few_runs(c.n, c.load, c.visit, c.m, c.seed, c.total);
  }
};

struct scan_recurrence {
  static constexpr auto name = "recurrence_in_tiles";
  static constexpr auto why =
      "A thread runs the loop over a tile from zeros, passes on the carry of the tile, which it "
      "computes from the preceding one by a power of the coefficients, and runs the loop again "
      "from "
      "the cache.  Sums of orders of numbers are scanned in vectors.";
  template <class Call>
  static constexpr auto types = needs(detail::of_runs<Call>);
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const& ex, Call const& c) {
    // Copies, without which g++ writes the arguments to memory before the test of the number of
    // elements.
    auto const load = c.load.load;
    auto const visit = c.visit.visit;
    detail::scan_many_runs<Call::shape.tuples>(ex, c.load.n, load, visit, c.m.of, c.seed(),
                                               c.total);
  }
};

}  // namespace ravel::inline v0::cpu
