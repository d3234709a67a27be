#pragma once

/// The description of a scan: inclusive_scan, exclusive_scan and scan_on, and the effect of their
/// options on it.
///
/// The input and the action on results are function objects, load(i) and visit(i, before,
/// through), in normal form (primitives/normal_load.hpp and normal_scan_visit.hpp).

#include <ravel/core/table.hpp>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/normal_load.hpp>
#include <ravel/primitives/normal_scan_visit.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan_visits.hpp>
#include <ravel/primitives/tuples.hpp>

namespace ravel::inline v0 {

struct scan_family;

/// The shape of a scan, from the types of its load and visit.
struct scan_shape {
  bool backward = false;  ///< load and visit are mirrors, and m is flipped
  int order = 0;          ///< of sums or of a recurrence: the number of values carried
  int tuples = 1;         ///< n counts tuples of this many elements
};

namespace detail {

template <class Load, class Visit>
inline constexpr scan_shape shape_of_scan{};
template <class Load, class Visit>
inline constexpr scan_shape shape_of_scan<mirrored<Load>, mirrored_visit<Visit>>{true};
template <int S, class Load, class M, class Visit>
inline constexpr scan_shape shape_of_scan<load_tuple<S, Load, M>, visit_tuple<S, Visit>>{
    shape_of_scan<Load, Visit>.backward, 0, S};
template <class C, int S, class Load, class Visit>
inline constexpr scan_shape shape_of_scan<load_run<C, S, Load>, visit_run<C, S, Visit>>{
    shape_of_scan<Load, Visit>.backward, C::size, S};

}  // namespace detail

// ---- the calls ----------------------------------------------------------------------------------

/// For each i of [0, n) calls visit(i, before, through), where
///
///     before  = seed() * load(0) * ... * load(i - 1)           writing * for `m`
///     through = before * load(i)
///
/// and total(x) once with the last `through`, seed() if n is 0.
template <class Load, class Visit, class M, class Seed, class Total>
struct scan_call {
  using family = scan_family;
  using value_type = carrier_t<M>;
  static constexpr scan_shape shape = detail::shape_of_scan<Load, Visit>;
  index_t n;
  Load load;
  Visit visit;
  M m;
  Seed seed;
  Total total;
};

namespace detail {

template <class Load, class Visit, class M, class Seed, class Total>
[[gnu::always_inline]] inline auto make_scan_call(index_t n, Load const& load, Visit const& visit,
                                                  M m, Seed seed, Total total) {
  return scan_call<Load, Visit, M, Seed, Total>{n, load, visit, m, seed, total};
}

}  // namespace detail

/// The call of scan_on with the same arguments.
template <class Load, class Visit, class M, class Seed, class Total = detail::no_total>
[[gnu::always_inline]] inline auto describe_scan_on(index_t n, Load const& load, Visit const& visit,
                                                    M m, Seed seed, Total total = {}) {
  return detail::make_scan_call(n, detail::normal_load(load), detail::normal_scan_visit(visit), m,
                                seed, total);
}

namespace detail {

/// The recurrence with carry C over S-tuples of elements, as a scan of the effects of runs.
template <int S, class C, class Load, class Visit, class Seed, class Total>
auto describe_carried(index_t n, C carry, Load load, Visit visit, Seed seed, Total total) {
  load_run<C, S, Load> const runs{carry, load, n};
  visit_run<C, S, Visit> const results{visit, n};
  seed_run<C, S, Seed> const first{seed};
  if constexpr (S == 1) {
    return make_scan_call(n, runs, results, join_runs<C, S>{carry}, first, total_of_runs<C>(total));
  } else {
    return make_scan_call(div_up(n, S), runs, results, join_runs<C, S>{carry}, first, no_total{});
  }
}

/// A call of order Q and of S-tuples, for operands in normal form.  The call is made in place: g++
/// copies one through memory, which takes longer than a scan of eight elements.
template <int Q, int S, class Load, class Visit, class M, class Seed, class Total>
[[gnu::always_inline]] inline auto describe_shaped(index_t n, Load const& load, Visit const& visit,
                                                   M m, Seed seed, Total total) {
  using T = carrier_t<M>;
  if constexpr (Q > 1) {
    return describe_carried<S>(n, carried_sums<T, Q>{}, load, visit, seed, total);
  } else if constexpr (S > 1) {
    return make_scan_call(div_up(n, S), load_tuple<S, Load, M>{load, m, n},
                          visit_tuple<S, Visit>{visit, n}, tuple_monoid<M, S>{m},
                          seed_tuple<S, T, Seed>{seed}, no_total{});
  } else {
    return make_scan_call(n, load, visit, m, seed, total);
  }
}

/// From the last element to the first.  The left operand of `m` is what was scanned before, the
/// right one the current element.
template <int Q = 1, int S = 1, class Load, class Visit, class M, class Seed, class Total>
[[gnu::always_inline]] inline auto describe_mirrored_scan(index_t n, Load const& load,
                                                          Visit const& visit, M m, Seed seed,
                                                          Total total) {
  using From = mirrored<normal_load_t<Load>>;
  using To = mirrored_visit<decltype(normal_scan_visit(visit))>;
  return describe_shaped<Q, S>(n, normal_load(From{normal_load(load), n - 1}),
                               normal_scan_visit(To{normal_scan_visit(visit), n - 1}), m, seed,
                               total);
}

/// A scan with options, by a monoid on the type of its results.
template <class Load, class Visit, class M, class Total, class... Options>
[[gnu::always_inline]] inline auto describe_scan_with(index_t n, Load const& load,
                                                      Visit const& visit, M m, Total total,
                                                      Options const&... options) {
  constexpr int order = order_of<Options...>, tuples = tuples_of<Options...>;
  auto const seed = seed_of<carrier_t<M>>(m, options...);
  if constexpr (is_backward<Options...>) {
    return describe_mirrored_scan<order, tuples>(n, load, visit, flipped<M>{m}, seed, total);
  } else {
    return describe_shaped<order, tuples>(n, normal_load(load), normal_scan_visit(visit), m, seed,
                                          total);
  }
}

template <bool Before, class In, class Out, class M, class... Options>
[[gnu::always_inline]] inline auto describe_scan(In const& in, Out&& out, M m,
                                                 Options const&... options) {
  auto const monoid = monoid_on<result_t<sink_t<Out>, source_t<In>>>(m);
  return describe_scan_with(operand_size(in), source_of(in),
                            result_into<Before, sink_t<Out>>{sink_of(out)}, monoid,
                            total_of(options...), options...);
}

}  // namespace detail

/// The call of inclusive_scan with the same arguments.
template <class In, class Out, class M = plus<>, class... Options>
[[gnu::always_inline]] inline auto describe_inclusive_scan(In const& in, Out&& out, M m = {},
                                                           Options const&... options) {
  return detail::describe_scan<false>(in, out, m, options...);
}

/// The call of exclusive_scan with the same arguments, for an `out` with the size of `in`.
template <class In, class Out, class M = plus<>, class... Options>
[[gnu::always_inline]] inline auto describe_exclusive_scan(In const& in, Out&& out, M m = {},
                                                           Options const&... options) {
  return detail::describe_scan<true>(in, out, m, options...);
}

}  // namespace ravel::inline v0
