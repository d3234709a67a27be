#pragma once

/// @file
/// Scans that carry several values, on a device: sums of orders, tuples, and recurrences with
/// constant coefficients.  Long plain sequences are streamed; everything else is a scan
/// of runs, in one pass too (cuda/scan.cuh).

#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cuda/plain_scan.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/stream_high_orders.cuh>
#include <ravel/primitives/cuda/stream_orders.cuh>
#include <ravel/primitives/cuda/stream_runs.cuh>
#include <ravel/primitives/cuda/stream_tuples.cuh>
#include <ravel/primitives/tuples.hpp>

#include <cstddef>

namespace ravel::inline v0::gpu {

namespace detail {

/// What is to be told the total of elements, of what is told that of runs.
inline ravel::detail::no_total of_elements(ravel::detail::no_total total) { return total; }
template <class C, class Total>
auto of_elements(ravel::detail::total_of_run<C, Total> const& total) {
  return total.total;
}

}  // namespace detail

/// Of tuples.
template <int S, class Load, class M, class Visit, class T, class Seed>
void scan_in_one_pass(executor const& ex, index_t tuples,
                      ravel::detail::load_tuple<S, Load, M> load,
                      ravel::detail::visit_tuple<S, Visit> visit,
                      ravel::detail::tuple_monoid<M, S> m,
                      ravel::detail::seed_tuple<S, T, Seed> seed, ravel::detail::no_total total) {
  using plain = detail::plain_scan<Load, Visit>;
  if constexpr (plain::is) {
    constexpr auto shape =
        scan_policy::streamed_carrying(sizeof(typename plain::from), S * sizeof(carrier_t<M>));
    if (detail::stream_tuples<S, shape>(ex, load.n, plain(load.load, visit.visit), m.m, seed))
      return;
  }
  detail::scan_by_blocks(ex, tuples, load, visit, m, seed, total);
}

/// Of sums of an order.
template <int S, int Q, class T, class Load, class Visit, class Seed, class Total>
void scan_in_one_pass(executor const& ex, index_t tuples,
                      ravel::detail::load_run<ravel::detail::carried_sums<T, Q>, S, Load> load,
                      ravel::detail::visit_run<ravel::detail::carried_sums<T, Q>, S, Visit> visit,
                      ravel::detail::join_runs<ravel::detail::carried_sums<T, Q>, S> m,
                      ravel::detail::seed_run<ravel::detail::carried_sums<T, Q>, S, Seed> seed,
                      Total total) {
  using plain = detail::plain_scan<Load, Visit>;
  if constexpr (plain::is) {
    plain const between(load.load, visit.visit);
    auto const to_total = detail::of_elements(total);
    constexpr std::size_t carried = Q * S * sizeof(ravel::detail::wrapping_t<T>);
    if constexpr (S == 1 && scan_policy::is_high_order(carried)) {
      constexpr auto shape = scan_policy::streamed_high_orders;
      if (detail::stream_high_orders<Q, T, shape>(ex, load.n, between, seed.seed, to_total)) return;
    } else {
      constexpr auto shape = scan_policy::streamed_orders(sizeof(typename plain::from), carried);
      if (detail::stream_orders<Q, S, T, shape>(ex, load.n, between, seed.seed, to_total)) return;
    }
  }
  detail::scan_by_blocks(ex, tuples, load, visit, m, seed, total);
}

/// Of results of a recurrence.
template <int K, class T, class Load, class Visit, class Seed>
void scan_in_one_pass(
    executor const& ex, index_t n,
    ravel::detail::load_run<ravel::detail::carried_results<T, K>, 1, Load> load,
    ravel::detail::visit_run<ravel::detail::carried_results<T, K>, 1, Visit> visit,
    ravel::detail::join_runs<ravel::detail::carried_results<T, K>, 1> m,
    ravel::detail::seed_run<ravel::detail::carried_results<T, K>, 1, Seed> seed,
    ravel::detail::no_total total) {
  using plain = detail::plain_scan<Load, Visit>;
  if constexpr (plain::is) {
    constexpr auto shape = scan_policy::streamed_runs(sizeof(typename plain::from), K);
    if (detail::stream_runs<shape>(ex, n, plain(load.load, visit.visit), m.of, seed.seed)) return;
  }
  detail::scan_by_blocks(ex, n, load, visit, m, seed, total);
}

}  // namespace ravel::inline v0::gpu
