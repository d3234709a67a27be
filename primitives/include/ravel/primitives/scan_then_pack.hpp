#pragma once

/// Scan then pack: keeps some of the results of a scan, contiguously.

#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_then_pack/call.hpp>
#include <ravel/primitives/scan_then_pack/cpu.hpp>
#include <ravel/primitives/scan_then_pack/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/scan_then_pack.cuh>  // defines what scan_then_pack/cuda.hpp declares
#endif

namespace ravel::inline v0 {
/// Scans, applies `step` to the results, and visits those that it keeps with their positions.
///
/// With before and through as for scan_on, and made[i] = step(i, before, through), a
/// `maybe`, calls visit(place, x) for each i where made[i] is some x, once, in any
/// order, with
///
///     place = #{j < i : made[j] is something}
///
/// and total(#{j : made[j] is something}) once.
///
///     load      3  1  2  4  1  5
///     through   3  4  6 10 11 16         with plus
///     kept      .  0  1  2  .  3         step: nothing for an odd sum, half of an even one
///     visits       2  3  5     8
///
/// A step that also uses element i may provide step.of(i, load.elements()[i], before, through), for
/// a load with elements: a device then reads the element once.
///
/// On the host a total with a member state(x) also receives the last inclusive prefix, unless n is
/// 0.
///
/// Each load(i) is called up to three times, and must give the same value each time.
/// Nothing that a visit writes may be read by a load.
///
/// Order    As for scan_on; `step` may be called once or twice for each i.
/// Cost     O(n) work, O(log n) span.  Reads the input of `load` twice and writes and reads the
///          results; on the executors of core/cpu and core/cuda, which have their own forms, reads
///          the input once from memory, and nothing else.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, for
///          each of the two scans.
template <executor Ex, class Load, class M, class Seed, class Step, class Visit,
          class Total = detail::no_total>
void scan_then_pack_on(Ex const& ex, index_t n, Load load, M m, Seed seed, Step step, Visit visit,
                       Total total = {}) {
  run_call(detail::own(ex), describe_scan_then_pack_on(n, load, m, seed, step, visit, total));
}

}  // namespace ravel::inline v0
