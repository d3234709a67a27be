#pragma once

/// Scan of any load, with a visit of each prefix.

#include <ravel/primitives/scan/call.hpp>
#include <ravel/primitives/scan/compiled.hpp>
#include <ravel/primitives/scan/cuda.hpp>
#include <ravel/primitives/scan/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/carried.cuh>  // of what carries several values
#  include <ravel/primitives/cuda/scan.cuh>     // the kernels
#endif

namespace ravel::inline v0 {

/// Visits [0, n) with the prefixes of each element.
///
/// For each i, calls visit(i, before, through) once, in any order, with
///
///     before  = seed() * load(0) * ... * load(i - 1)
///     through = before * load(i)
///
/// writing * for `m`, and total(x) once, with x the last `through` (seed() if n is 0).  Each
/// load(i) is called once or twice and must return the same value both times; visit(i, ...) may
/// overwrite what load(i) read, but nothing that another load reads.  A map before the scan is a
/// different `load`; a map after it, a shift to exclusive, or a pack is a different `visit`.  If a
/// load or a visit has a member on(tile), each tile uses its result instead.
///
/// Loads may be sources, and visits through_into or before_into a sink
/// (primitives/normal_scan_visit.hpp); function objects that declare this by structure() take the
/// forms of inclusive_scan and exclusive_scan (docs/forms.md).
///
/// Cost     O(n) work, O(log n) span.  Reads what `load` reads twice; on the
///          executors of core/cpu and core/cuda, which have forms of their own, once
///          from memory.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990,
///          with a tile where his tree has a leaf.
template <executor Ex, class Load, class Visit, class M, class Seed, class Total>
[[gnu::always_inline]] inline void scan_on(Ex const& ex, index_t n, Load load, Visit visit, M m,
                                           Seed seed, Total total) {
  run_call(detail::own(ex), describe_scan_on(n, load, visit, m, seed, total));
}

/// scan_on from the last element to the first:
///
///     before  = load(i + 1) * ... * load(n - 1) * seed()
///     through = load(i) * before
template <executor Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_backward_on(Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                      Total total) {
  run_call(detail::own(ex),
           detail::describe_mirrored_scan(n, load, visit, flipped<M>{m}, seed, total));
}

}  // namespace ravel::inline v0
