#pragma once

/// The hierarchy of warp, block and grid (Sengupta, Harris and Garland).

#include <ravel/primitives/named/scan_then_propagate.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class T, class Load, class M>
struct team_sweep {
  Load load;
  T* through;
  T* totals;
  M m;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    T const total = team.scan(t, on_tile(load, t), write_through<T>{through}, m, T(m.identity()));
    if (team.leads()) totals[t.id] = total;
  }
};

}  // namespace detail

namespace scan_algorithm {

/// The type of `warp_hierarchical`.
struct warp_hierarchical_t : detail::by_sweeps<detail::team_sweep> {};

/// Scans within warps, by shuffles; then the warps' totals, within each block by its first warp;
/// then the blocks' totals; and then adds the prefix of each block to its elements.  Three kernels,
/// and more where blocks' totals are more than a tile.
///
/// A warp uses step doubling (log2 32 steps), which needs no barrier and no memory, so that the
/// extra work costs less than a tree would: gpu::block::scan.
///
/// Cost     3 n work on a host, 10.5 n in lanes of warps; O(log n) steps.  2 launches for n up to a
///          tile of b, and 2 ceil(log_b n) - 1 beyond.  Moves 4 n, and needs memory for n values.
/// Source   Sengupta, Harris and Garland, "Efficient Parallel Scan Algorithms for GPUs",
///          NVR-2008-003, NVIDIA, 2008; here with shuffles instead of writes to volatile memory.
inline constexpr warp_hierarchical_t warp_hierarchical{};

}  // namespace scan_algorithm
}  // namespace ravel::inline v0
