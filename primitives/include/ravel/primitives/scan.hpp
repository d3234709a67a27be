#pragma once

/// @file
/// Scan: the combination of everything before each element.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/mirrored.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan_visits.hpp>
#include <ravel/primitives/tuples.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0 {
namespace detail {

/// Each tile again, now knowing everything ahead of it.
template <class T, class Load, class Visit, class M, class Seed, class Total>
struct downsweep {
  Load load;
  Visit visit;
  T const* totals;
  index_t n;
  M m;
  Seed seed;
  Total total;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    T const ahead = t.id > 0 ? T(m(T(seed()), totals[t.id - 1])) : T(seed());
    T const through = team.scan(t, on_tile(load, t), on_tile(visit, t), m, ahead);
    if (t.end == n && team.leads()) total(through);
  }
};

/// What is left of a scan where there is nothing to scan.
template <class T, class Ex, class Seed, class Total>
void scan_none(Ex const& ex, Seed seed, Total total) {
  if constexpr (!std::same_as<Total, no_total>) {
    ex.for_each_tile(1, total_of_none<T, Seed, Total>{seed, total});
  }
}

/// Two receivers of one total.
template <class A, class B>
struct both_totals {
  A a;
  B b;
  template <class T>
  RAVEL_HD void operator()(T const& x) const {
    a(x);
    b(x);
  }
};

}  // namespace detail

/// Visits [0, n) knowing the combination of everything ahead.
///
/// For each i, calls visit(i, before, through) once, in any order, with
///
///     before  = seed() * load(0) * ... * load(i - 1)
///     through = before * load(i)
///
/// writing * for `m`, and total(x) once, with x the last `through` (seed() if
/// n is 0).  Each load(i) is called once or twice and must give the same value both
/// times; visit(i, ...) may overwrite what load(i) read, and nothing that
/// another load reads.  A map before the scan is a different `load`; a map after
/// it, a shift to exclusive, or a pack is a different `visit`.  A load or a
/// visit with a member on(tile) is replaced, in each tile, by what that returns.
///
/// Cost     O(n) work, O(log n) span.  Reads what `load` reads twice; on the
///          executors of core/cpu and core/cuda, which have forms of their own, once
///          from memory.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990,
///          with a tile where his tree has a leaf.
template <executor Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_on(Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed, Total total) {
  using T = carrier_t<M>;
  index_t const tiles = ex.tile_count(n);
  if (tiles == 0) return detail::scan_none<T>(ex, seed, total);
  auto const totals = ex.template scratch<T>(tiles > 1 ? tiles : 0);
  if (tiles > 1) {
    ex.for_each_tile(n, detail::upsweep<T, Load, M>{load, totals.data(), m});
    scan_on(ex, tiles, detail::read<T>{totals.data()}, detail::write_through<T>{totals.data()}, m,
            detail::seed_identity<M>{m}, detail::no_total{});
  }
  ex.for_each_tile(n, detail::downsweep<T, Load, Visit, M, Seed, Total>{load, visit, totals.data(),
                                                                        n, m, seed, total});
}

/// The same where any order has the same results.
template <executor Ex, class Load, class Visit, class M, class Seed, class Total>
requires groups_freely<M>
void scan_on(same_everywhere<Ex> const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
             Total total) {
  scan_on(ex.own(), n, load, visit, m, seed, total);
}

/// The same on a checked executor: there is nothing to verify.
template <executor Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_on(checked_executor<Ex> const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
             Total total) {
  scan_on(ex.own(), n, load, visit, m, seed, total);
}

namespace detail {

/// scan_on, by an algorithm; the named ones overload this.
template <class Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_by(the_executors_own, Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
             Total total) {
  scan_on(ex, n, load, visit, m, seed, total);
}

/// scan_by from the last element to the first.  `m` combines what was seen
/// before, on the right, with what comes now, on the left.
template <class By, class Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_backward_by(By by, Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                      Total total) {
  scan_by(by, ex, n, mirrored_load<Load>{load, n - 1}, mirrored_visit<Visit>{visit, n - 1}, m, seed,
          total);
}

/// The recurrence that carries C, of S-tuples of elements.
template <int S, class By, class Ex, class C, class Load, class Visit, class Seed, class Total>
void scan_runs(By by, Ex const& ex, index_t n, C of, Load load, Visit visit, Seed seed,
               Total total) {
  auto const runs = load_run<C, S, Load>{of, load, n};
  auto const results = visit_run<C, S, Visit>{visit, n};
  if constexpr (S == 1) {
    scan_by(by, ex, n, runs, results, join_runs<C, S>{of}, seed_run<C, S, Seed>{seed},
            total_of_runs<C>(total));
  } else {
    scan_by(by, ex, div_up(n, S), runs, results, join_runs<C, S>{of}, seed_run<C, S, Seed>{seed},
            no_total{});
  }
}

template <class M>
inline constexpr bool is_sum = std::same_as<std::remove_cv_t<M>, plus<carrier_t<M>>>;

/// A scan of order Q of S-tuples.
template <int Q, int S, class By, class Ex, class Load, class Visit, class M, class Seed,
          class Total>
void scan_shaped(By by, Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                 Total total) {
  using T = carrier_t<M>;
  if constexpr (Q == 1 && S == 1) {
    scan_by(by, ex, n, load, visit, m, seed, total);
  } else if (n == 0) {
    scan_none<T>(ex, seed, total);
  } else if constexpr (Q > 1) {
    scan_runs<S>(by, ex, n, carried_sums<T, Q>{}, load, visit, seed, total);
  } else {
    scan_by(by, ex, div_up(n, S), load_tuple<S, Load, M>{load, m, n},
            visit_tuple<S, Visit>{visit, n}, tuple_monoid<M, S>{m}, seed_tuple<S, T, Seed>{seed},
            no_total{});
  }
}

/// The scan that the options ask for.
template <class Ex, class Load, class Visit, class M, class Total, class... Options>
void scan_with(Ex const& ex, index_t n, Load load, Visit visit, M m, Total total,
               Options... options) {
  auto const scan = [&](auto from, auto to, auto combined) {
    scan_shaped<order_of<Options...>, tuples_of<Options...>>(
        algorithm_of(options...), ex, n, from, to, combined, seed_of<carrier_t<M>>(m, options...),
        total);
  };
  if constexpr (is_backward<Options...>) {
    scan(mirrored_load<Load>{load, n - 1}, mirrored_visit<Visit>{visit, n - 1}, flipped<M>{m});
  } else {
    scan(load, visit, m);
  }
}

}  // namespace detail

/// As scan_on, from the last element to the first:
///
///     before  = load(i + 1) * ... * load(n - 1) * seed()
///     through = load(i) * before
template <executor Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_backward_on(Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                      Total total) {
  detail::scan_backward_by(detail::the_executors_own{}, ex, n, load, visit, flipped<M>{m}, seed,
                           total);
}

/// Combines everything up to and including each element:
///
///     out[i] = init * in[0] * ... * in[i]              writing * for `m`
///     out[i] = in[i] * ... * in[n - 1] * init          with the option `backward`
///
///     in     3  1  2  4  1  5
///     out    3  4  6 10 11 16                          with plus
///     out   16 13 12 10  6  5                          with plus, backward
///
/// where init is the identity of `m`, or what the option `from` says.  With the
/// option `total_to` the combination of everything is written too.  An option of
/// scan_algorithm:: (scan_algorithm.hpp) has it done by that algorithm.
///
/// With the option `of_tuples<s>` every s-th element is scanned by itself, s times; with
/// `of_order<q>` sums are what q scans give, one after the other, of which the call
/// is the last:
///
///     out[i] = out[i - s] * in[i]                      of_tuples<s>
///     in     1  2  3  4  5  6
///     out    1  2  4  6  9 12                          of_tuples<2>
///     out    1  4 10 20 35 56                          of_order<2>
///     out    1  2  5  8 14 20                          of_order<2>, of_tuples<2>
///
/// Shapes   in[n], out[n], in the memory of `ex`.  `out` may be `in`, and may
///          overlap nothing else.  n may be 0.  Orders and tuples up to 8; orders
///          with plus alone, on a type that also multiplies; n need not be a
///          multiple of s.
/// Order    `m` is applied left to right and need not be commutative.  The
///          grouping is fixed by n and the executor's tile width; not by the number of
///          threads, nor by how wide a processor's vectors are.  So a result in floating
///          point repeats exactly on the same executor, and differs between executors
///          by rounding: cpu::sequential groups from the left throughout, cpu::threads
///          by tiles where n is some of them.  Sums are in the type of the monoid:
///          plus{} is on the elements of `out`, so bytes may be summed to ints.
///          Sums of any order wrap around exactly in integers.  In floating point,
///          tiles are joined by binomials, whose rounding the results have beside
///          that of as many scans; what follows an infinity may be NaN.
/// Cost     O(n) work, O(log n) span.  Moves 2 n elements; by the steps, which
///          other executors take, 3 n, besides a total for each tile.  Of order q it
///          is O(q n) work, and still 2 n moved.
/// Errors   contract_error if the sizes differ.  Issued, not awaited: a device
///          fault is thrown as cuda_error by the next wait().
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990; for
///          orders and tuples Maleki, Yang and Burtscher, "Higher-Order and Tuple-Based
///          Massively-Parallel Prefix Sums", PLDI 2016.
/// See also algorithms/delta.hpp, whose decoding this is.
template <executor Ex, class In, class Out, class M = plus<>, class... Options>
void inclusive_scan(Ex const& ex, In const& in, Out&& out, M m = {}, Options... options) {
  static_assert(sequence_on<In const&, Ex>,
                "inclusive_scan: in is not a contiguous sequence in the executor's memory");
  static_assert(
      writable_on<Out, Ex>,
      "inclusive_scan: out is not a writable contiguous sequence in the executor's memory");
  static_assert(detail::are_scan_options<false, Options...>,
                "inclusive_scan: the options are from(...), backward, total_to(...), of_order<q>, "
                "of_tuples<s> and one of scan_algorithm::, each once");
  static_assert(
      detail::total_is_one<Options...>,
      "inclusive_scan: of tuples there is a total each, and total_to(...) has room for one");
  static_assert(detail::algorithm_runs_on<Ex, Options...>,
                "inclusive_scan: this scan_algorithm is for gpu::executor alone");
  static_assert(detail::options_on<Ex, Options...>,
                "inclusive_scan: from(...) or total_to(...) is not in the executor's memory");
  auto const monoid = monoid_on<element_t<Out>>(m);
  static_assert(some_monoid<decltype(monoid)>,
                "inclusive_scan: m is not a monoid: it needs m(x, y) and m.identity()");
  static_assert(detail::order_of<Options...> == 1 || detail::is_sum<decltype(monoid)>,
                "inclusive_scan: an order is of sums: m is not plus");

  auto const from = view_of(in);
  auto const to = view_of(out);
  expects(to.size() == from.size(), "inclusive_scan: out has ", to.size(), " elements, and in has ",
          from.size());
  detail::scan_with(detail::own(ex), from.size(), detail::read<element_t<In const&>>{from.data()},
                    detail::write_through<element_t<Out>>{to.data()}, monoid,
                    detail::total_of(options...), options...);
}

/// Combines everything before each element:
///
///     out[i] = init * in[0] * ... * in[i - 1]          writing * for `m`
///     out[i] = in[i + 1] * ... * in[n - 1] * init      with the option `backward`
///
///     in     3  1  2  4  1  5
///     out    0  3  4  6 10 11                          with plus
///     out    0  3  4  6 10 11 16                       if out has one element more
///     out   13 12 10  6  5  0                          with plus, backward
///     out   16 13 12 10  6  5  0                       and one element more
///
/// where init is the identity of `m`, or what the option `from` says.  An `out`
/// of n + 1 elements takes the total at its far end, which makes offsets of
/// lengths in one call.  With the option `total_to` the total is written there.
/// Orders and tuples are as for inclusive_scan: of order q, the last of q scans is
/// exclusive.
///
/// Shapes   in[n], out[n] or out[n + 1], in the memory of `ex`.  `out` of n
///          elements may be `in`, and may overlap nothing else.  n may be 0.  Of
///          tuples, out[n].
/// Order    As for inclusive_scan.
/// Cost     As for inclusive_scan.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990.
template <executor Ex, class In, class Out, class M = plus<>, class... Options>
void exclusive_scan(Ex const& ex, In const& in, Out&& out, M m = {}, Options... options) {
  static_assert(sequence_on<In const&, Ex>,
                "exclusive_scan: in is not a contiguous sequence in the executor's memory");
  static_assert(
      writable_on<Out, Ex>,
      "exclusive_scan: out is not a writable contiguous sequence in the executor's memory");
  static_assert(detail::are_scan_options<false, Options...>,
                "exclusive_scan: the options are from(...), backward, total_to(...), of_order<q>, "
                "of_tuples<s> and one of scan_algorithm::, each once");
  static_assert(
      detail::total_is_one<Options...>,
      "exclusive_scan: of tuples there is a total each, and total_to(...) has room for one");
  static_assert(detail::algorithm_runs_on<Ex, Options...>,
                "exclusive_scan: this scan_algorithm is for gpu::executor alone");
  static_assert(detail::options_on<Ex, Options...>,
                "exclusive_scan: from(...) or total_to(...) is not in the executor's memory");
  using U = element_t<Out>;
  auto const monoid = monoid_on<U>(m);
  static_assert(some_monoid<decltype(monoid)>,
                "exclusive_scan: m is not a monoid: it needs m(x, y) and m.identity()");
  static_assert(detail::order_of<Options...> == 1 || detail::is_sum<decltype(monoid)>,
                "exclusive_scan: an order is of sums: m is not plus");

  auto const from = view_of(in);
  auto const to = view_of(out);
  index_t const n = from.size();
  bool constexpr has_far_end = detail::tuples_of<Options...> == 1;
  expects(to.size() == n || (has_far_end && to.size() == n + 1), "exclusive_scan: out has ",
          to.size(), " elements, and in has ", n);
  detail::read<element_t<In const&>> const load{from.data()};
  auto const total = detail::total_of(options...);

  if (to.size() == n) {
    detail::scan_with(detail::own(ex), n, load, detail::write_before<U>{to.data()}, monoid, total,
                      options...);
  } else if constexpr (has_far_end) {
    bool constexpr back = detail::is_backward<Options...>;
    detail::store_total<U> const far_end{to.data() + (back ? 0 : n)};
    detail::scan_with(
        detail::own(ex), n, load, detail::write_before<U>{to.data() + (back ? 1 : 0)}, monoid,
        detail::both_totals<detail::store_total<U>, decltype(total)>{far_end, total}, options...);
  }
}

}  // namespace ravel::inline v0

#include <ravel/primitives/cpu/carried.hpp>  // what is carried from tile to tile, and not runs
#include <ravel/primitives/cpu/scan.hpp>     // past memory once, in vector registers
#ifdef __CUDACC__
#  include <ravel/primitives/cuda/scan.cuh>  // one pass: moves 2 n elements where the steps move 3 n
#endif
