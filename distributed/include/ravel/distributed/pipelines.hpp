#pragma once

/// @file
/// Pipelines over distributed sequences: maps, and one scan of each pass, fused over the piece of each
/// rank.
///
///     on(ex, x) | map(square{}) | inclusive_scan(plus{}) | map(halve{}) | into(y);
///
/// `x` and `y` have the same pieces.  A pass is one local pass over a piece, as on one machine; a scan
/// exchanges its carries once.  Stages that move elements, and filters, do not compile: they have no
/// form for several ranks.
///
/// Cost     Each rank reads its piece once for each pass, twice for a pass with a scan.
/// Volume   For each scan one value of the monoid to each other rank.

#include <ravel/core/tile.hpp>
#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::distributed {
namespace detail {

template <class S, class Space>
inline constexpr bool is_elementwise<piping::sized_view<S, Space>> = is_elementwise<S>;
template <class V, class F>
inline constexpr bool is_elementwise<piping::stepped<V, piping::map_step<F>>> = is_elementwise<V>;

}  // namespace detail

/// A pass without a scan, over the pieces of all ranks.
template <class Local, class C, class Load, class Visit>
void map_on(executor<Local, C> const& ex, index_t n, Load load, Visit visit) {
  static_assert(detail::is_elementwise<Load>,
                "distributed: this pipeline has no form for several ranks: stages are map and one "
                "scan of each pass, and into(...) a sequence in the same pieces");
  together(ex, "map_on", [&] { ravel::map_on(ex.local(), n, load, visit); });
}

}  // namespace ravel::inline v0::distributed
