#pragma once

/// @file
/// The segmented scan by minimum indices (Sengupta, Harris and Garland).
///
/// Within a warp the operator is not lifted over head flags.  A lane computes, from a ballot, the
/// index of the nearest head at or before it, its "mindex", and combines with a lane to the left
/// only if that is not before it: the same shuffles as without segments, and one ballot.  Warps and
/// blocks then pass on a total and whether they had a head, and the prefix is applied to the
/// elements before the first head: three kernels, as in warp_hierarchical.
///
/// Cost     2.5 n work in lanes of warps, O(log n) steps.  2 launches for n up to a tile of b, and
///          2 ceil(log_b n) - 1 beyond.  Moves 2 n values, 2 n values with their flags, and n
///          flags, and needs memory for n values with flags.
/// Source   Sengupta, Harris and Garland, "Efficient Parallel Scan Algorithms for GPUs",
///          NVR-2008-003, NVIDIA, 2008; here with a ballot instead of a scan of indices.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/named/scan_then_propagate.hpp>
#include <ravel/primitives/scan_algorithm.hpp>

namespace ravel::inline v0 {
namespace gpu::detail {

/// Segmented scan across a warp, restarting at every lane with a head; the flag says whether a lane
/// or one before it has a head.
template <class T, class M>
__device__ flagged<T> warp_scan_from_heads(flagged<T> const& x, M m) {
  int const lane = threadIdx.x % warp_size;
  unsigned const heads = __ballot_sync(whole_warp, x.head) & (whole_warp >> (warp_size - 1 - lane));
  int const mindex = heads != 0 ? 31 - __clz(heads) : 0;
  T value = x.value;
  for (int delta = 1; delta < warp_size; delta *= 2) {
    T const left = shuffle_up(value, static_cast<unsigned>(delta));
    if (lane >= mindex + delta) value = m(left, value);
  }
  return {value, heads != 0};
}

/// For values with flags, and a lifted monoid.
template <class T, class Load, class M>
struct mindex_sweep {
  Load load;
  T* through;
  T* totals;
  M m;

  template <class Team>
  __device__ void operator()(Team const& team, tile t) const {
    auto const there = ravel::detail::on_tile(load, t);
    auto& of_warp = team.template shared<T, Team::warps>();
    int const lane = threadIdx.x % warp_size;
    int const warp = threadIdx.x / warp_size;
    T carry = m.identity();
    for (index_t base = t.begin; base < t.end; base += Team::threads) {
      index_t const i = base + threadIdx.x;
      T const in_warp = warp_scan_from_heads(i < t.end ? T(there(i)) : T(m.identity()), m.m);
      if (lane == warp_size - 1) of_warp[warp] = in_warp;
      team.sync();
      if (warp == 0) {
        T const total = lane < Team::warps ? T(of_warp[lane]) : T(m.identity());
        T const through_warp = warp_scan_from_heads(total, m.m);
        if (lane < Team::warps) of_warp[lane] = through_warp;
      }
      team.sync();
      T const ahead = warp > 0 ? m(carry, T(of_warp[warp - 1])) : carry;
      if (i < t.end) through[i] = m(ahead, in_warp);
      carry = m(carry, T(of_warp[Team::warps - 1]));
      team.sync();  // before the next round overwrites of_warp
    }
    if (team.leads()) totals[t.id] = carry;
  }
};

}  // namespace gpu::detail

namespace segmented_algorithm {

/// Runs a scan by this algorithm.
template <class Load, class Visit, class M, class Seed, class Total>
void scan_by(mindex_t by, gpu::executor const& ex, index_t n, Load load, Visit visit,
             segmented<M> m, Seed seed, Total total) {
  detail::scan_then_propagate<gpu::detail::mindex_sweep>(by, ex, n, load, visit, m, seed, total);
}

}  // namespace segmented_algorithm
}  // namespace ravel::inline v0
