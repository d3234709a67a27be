#pragma once

/// Reduce, then scan: tile totals, their scan, then each tile, by the steps of any executor.

#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0::scan_algorithm {

/// The type of `reduce_then_scan`.
struct reduce_then_scan_t : detail::named_algorithm<detail::option::scan> {};

/// A total for each tile, the scan of the totals by the same algorithm, and then the scan of each
/// tile, starting from its exclusive prefix.  Only totals are written in between, so the input is
/// read twice and the output written once.
///
/// These are the steps that every executor has: scan_by_steps.
///
/// Cost     2 n work on a host, 10.9 n in lanes of warps; O(log n) steps.
///          2 ceil(log_b n) - 1 launches for tiles of b, at least one.  Moves 3 n.
/// Source   Dotsenko, Govindaraju, Sloan, Boyd, Manferdelli, "Fast Scan Algorithms on
///          Graphics Processors", ICS 2008; so named by Merrill and Grimshaw,
///          "Parallel Scan for Stream Architectures", CS2009-14, University of
///          Virginia, 2009.
inline constexpr reduce_then_scan_t reduce_then_scan{};

template <executor Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_by(reduce_then_scan_t, Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
             Total total) {
  run_call_by<scan_by_steps>(ex, describe_scan_on(n, load, visit, m, seed, total));
}

}  // namespace ravel::inline v0::scan_algorithm
