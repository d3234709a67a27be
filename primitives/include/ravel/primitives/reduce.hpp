#pragma once

/// @file
/// Reduce: the combination of all elements.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>

namespace ravel::inline v0 {
namespace detail {

/// One total for each tile.
template <class T, class Load, class M>
struct upsweep {
  Load load;
  T* totals;
  M m;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    T const total = team.reduce(t, on_tile(load, t), m, T(m.identity()));
    if (team.leads()) totals[t.id] = total;
  }
};

/// The total of the only tile.
template <class T, class Load, class M, class Seed, class Total>
struct finish {
  Load load;
  M m;
  Seed seed;
  Total total;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    T const all = team.reduce(t, on_tile(load, t), m, T(seed()));
    if (team.leads()) total(all);
  }
};

/// The total of no elements.
template <class T, class Seed, class Total>
struct total_of_none {
  Seed seed;
  Total total;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile) const {
    if (team.leads()) total(T(seed()));
  }
};

}  // namespace detail

/// Calls total(seed() * load(0) * ... * load(n - 1)), once, writing * for `m`.
///
/// Order    Left to right; `m` need not be commutative.  The grouping is fixed
///          by n and the executor's tile width.
/// Cost     O(n) work, O(log n) span.  Calls each load(i) once.
template <executor Ex, class Load, class M, class Seed, class Total>
void reduce_on(Ex const& ex, index_t n, Load load, M m, Seed seed, Total total) {
  using T = carrier_t<M>;
  index_t const tiles = ex.tile_count(n);
  if (tiles == 0) {
    ex.for_each_tile(1, detail::total_of_none<T, Seed, Total>{seed, total});
  } else if (tiles == 1) {
    ex.for_each_tile(n, detail::finish<T, Load, M, Seed, Total>{load, m, seed, total});
  } else {
    auto const totals = ex.template scratch<T>(tiles);
    ex.for_each_tile(n, detail::upsweep<T, Load, M>{load, totals.data(), m});
    reduce_on(ex, tiles, contiguous<T>{totals.data()}, m, seed, total);
  }
}

/// The same for monoids whose grouping does not change the result.
template <executor Ex, class Load, class M, class Seed, class Total>
requires groups_freely<M>
void reduce_on(same_everywhere<Ex> const& ex, index_t n, Load load, M m, Seed seed, Total total) {
  reduce_on(ex.own(), n, load, m, seed, total);
}

/// The same on a checked executor: there is nothing to verify.
template <executor Ex, class Load, class M, class Seed, class Total>
void reduce_on(checked_executor<Ex> const& ex, index_t n, Load load, M m, Seed seed, Total total) {
  reduce_on(ex.own(), n, load, m, seed, total);
}

/// Combines all elements of `in`:
///
///     out[0] = init * in[0] * ... * in[n - 1]          writing * for `m`
///
///     in     3  1  2  4  1  5
///     out    16                                        with plus
///
/// where init is the identity of `m`, or the value of the option `from`.
///
/// Shapes   in[n], out[1], in the memory of `ex`.  n may be 0.
/// Order    `m` is applied left to right and need not be commutative.  The
///          grouping is fixed by n and the executor's tile width, so a result in
///          floating point repeats exactly on the same executor.
/// Cost     O(n) work, O(log n) span.  Moves n sizeof(element) bytes.
/// Errors   contract_error if `out` is not one element.
/// See also reduce_sync, which waits and returns the result.
template <executor Ex, class In, class Out, class M = plus<>, class... Options>
requires(sequence<Out>) void reduce(Ex const& ex, In const& in, Out&& out, M m = {},
                                    Options... options) {
  static_assert(sequence_on<In const&, Ex>,
                "reduce: in is not a contiguous sequence in the executor's memory");
  static_assert(writable_on<Out, Ex>,
                "reduce: out is not a writable contiguous sequence in the executor's memory");
  static_assert(detail::are_options<detail::takes<detail::option::from>, Options...>,
                "reduce: the only option is from(...), once");
  static_assert(detail::options_on<Ex, Options...>,
                "reduce: from(...) is not in the executor's memory");
  auto const monoid = monoid_on<element_t<Out>>(m);
  static_assert(some_monoid<decltype(monoid)>,
                "reduce: m is not a monoid: it needs m(x, y) and m.identity()");
  using T = carrier_t<decltype(monoid)>;

  auto const from = view_of(in);
  auto const to = view_of(out);
  expects(to.size() == 1, "reduce: out has ", to.size(), " elements and must have one");
  reduce_on(ex, from.size(), contiguous<element_t<In const&>>{from.data()}, monoid,
            detail::seed_of<T>(monoid, options...), detail::store_total<element_t<Out>>{to.data()});
}

/// The combination of all elements of `in`, on the host.  Waits for it.
///
///     int const sum = reduce_sync(ex, in);
///     int const most = reduce_sync(ex, in, maximum{});
template <executor Ex, class In, class M = plus<>, class... Options>
auto reduce_sync(Ex const& ex, In const& in, M m = {}, Options... options) {
  static_assert(sequence_on<In const&, Ex>,
                "reduce_sync: in is not a contiguous sequence in the executor's memory");
  using T = carrier_t<decltype(monoid_on<element_t<In const&>>(m))>;
  return detail::one_sync<T>(ex, [&](auto const& there) { reduce(ex, in, there, m, options...); });
}

}  // namespace ravel::inline v0

#include <ravel/primitives/cpu/reduce.hpp>  // in vector registers
