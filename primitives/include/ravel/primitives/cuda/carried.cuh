#pragma once

/// Scans that carry several values on a device: sums of higher order, tuples, and recurrences with
/// constant coefficients.  Long contiguous sequences are streamed; all others are single-pass scans
/// of runs (cuda/scan.cuh).

#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/scan_types.hpp>
#include <ravel/primitives/cuda/stream_high_orders.cuh>
#include <ravel/primitives/cuda/stream_orders.cuh>
#include <ravel/primitives/cuda/stream_runs.cuh>
#include <ravel/primitives/cuda/stream_tuples.cuh>
#include <ravel/primitives/tuples.hpp>

namespace ravel::inline v0::gpu {

namespace detail {

/// Unwraps the receiver of the total of elements from that of the total of runs.
inline ravel::detail::no_total of_elements(ravel::detail::no_total total) { return total; }
template <class C, class Total>
auto of_elements(ravel::detail::total_of_run<C, Total> const& total) {
  return total.total;
}

}  // namespace detail

template <class Call>
void launch_form(scan_tuples_streamed, executor const& ex, Call const& c) {
  using scan = detail::carried_scan<Call>;
  constexpr int tuples = Call::shape.tuples;
  constexpr auto shape = scan_policy::streamed_carrying(sizeof(typename scan::plain::from),
                                                        tuples * sizeof(typename scan::value));
  detail::stream_tuples<tuples, shape>(
      ex, c.load.n, typename scan::plain(c.load.load, c.visit.visit), c.m.m, c.seed);
}

template <class Call>
void launch_form(scan_high_orders_streamed, executor const& ex, Call const& c) {
  using scan = detail::carried_scan<Call>;
  detail::stream_high_orders<Call::shape.order, typename scan::value,
                             scan_policy::streamed_high_orders>(
      ex, c.load.n, typename scan::plain(c.load.load, c.visit.visit), c.seed.seed,
      detail::of_elements(c.total));
}

template <class Call>
void launch_form(scan_orders_streamed, executor const& ex, Call const& c) {
  using scan = detail::carried_scan<Call>;
  constexpr auto shape = scan_policy::streamed_orders(sizeof(typename scan::plain::from),
                                                      detail::carried_bytes<Call>());
  detail::stream_orders<Call::shape.order, Call::shape.tuples, typename scan::value, shape>(
      ex, c.load.n, typename scan::plain(c.load.load, c.visit.visit), c.seed.seed,
      detail::of_elements(c.total));
}

}  // namespace ravel::inline v0::gpu
