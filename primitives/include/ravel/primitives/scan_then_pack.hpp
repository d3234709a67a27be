#pragma once

/// @file
/// Scan then pack: of what a scan makes, that which is wanted, side by side.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Whether a total also receives what a scan of Ts comes to: total.state(x).
template <class Total, class T>
concept receives_state = requires(Total const& total, T const& x) {
  total.state(x);
};

/// What receives that of a scan.
template <class T, class Total>
auto state_of([[maybe_unused]] Total const& total) {
  if constexpr (receives_state<Total, T>) {
    return [total](T const& through) { total.state(through); };
  } else {
    return no_total{};
  }
}

template <class U>
struct is_made {
  U const* made;
  RAVEL_HD bool operator()(index_t i) const { return made[i].is; }
};
template <class U, class Visit>
struct visit_made {
  U const* made;
  Visit visit;
  RAVEL_HD void operator()(index_t i, index_t place) const { visit(place, made[i].value); }
};

}  // namespace detail

/// Scans, and visits what `step` makes of the results, knowing how many are made ahead.
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
///     kept      .  0  1  2  .  3         step: nothing of an odd sum, and half of an even one
///     visits       2  3  5     8
///
/// A step that looks at element i itself may also say what it makes by
/// step.of(i, load.elements()[i], before, through), where a load has elements: a device then
/// reads that once.
///
/// On the host a total with a member state(x) gets what is through the last element as well, unless
/// there is none.
///
/// Each load(i) is called up to three times, and must give the same value each time.
/// Nothing that a visit writes may be read by a load.
///
/// Order    As for scan_on; `step` may be called once or twice for each i.
/// Cost     O(n) work, O(log n) span.  Reads what `load` reads twice and writes and
///          reads what is made; on the executors of core/cpu and core/cuda, which have
///          forms of their own, what `load` reads once from memory, and nothing else.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, for
///          each of the two scans.
template <executor Ex, class Load, class M, class Seed, class Step, class Visit,
          class Total = detail::no_total>
void scan_then_pack_on(Ex const& ex, index_t n, Load load, M m, Seed seed, Step step, Visit visit,
                       Total total = {}) {
  using U = detail::made_by_t<Step, carrier_t<M>>;
  auto const made = ex.template scratch<U>(n);
  scan_on(ex, n, load, write_made<Step, U>{step, made.data()}, m, seed,
          detail::state_of<carrier_t<M>>(total));
  pack_on(ex, n, detail::is_made<U>{made.data()}, detail::visit_made<U, Visit>{made.data(), visit},
          total);
}

/// The same on a checked executor: there is nothing to verify.
template <executor Ex, class Load, class M, class Seed, class Step, class Visit,
          class Total = detail::no_total>
void scan_then_pack_on(checked_executor<Ex> const& ex, index_t n, Load load, M m, Seed seed,
                       Step step, Visit visit, Total total = {}) {
  scan_then_pack_on(ex.own(), n, load, m, seed, step, visit, total);
}

}  // namespace ravel::inline v0

#include <ravel/primitives/cpu/scan_then_pack.hpp>  // a tile at a time, in the cache
#ifdef __CUDACC__
#  include <ravel/primitives/cuda/scan_then_pack.cuh>  // one kernel
#endif
