#pragma once

/// The two segmented scans of Sengupta, Harris and Garland, which share three kernels.
///
/// They differ in how a warp scans.  `operator_transform` combines pairs of a value and a flag by
/// the lifted operator.  `mindex` computes for each lane, from a ballot, the index of the nearest
/// head at or before it, its "mindex".  A lane then combines with a lane to its left only if that
/// is not before the head: the same shuffles as without segments, and one ballot.
///
/// The three kernels are those of warp_hierarchical, with 8 elements for each thread.  The first
/// scans the elements of each block, and stores their values, the block's total with a flag, and
/// the index of its first head.  The second scans the totals.  The third combines the prefix of
/// each block with its elements before that head.
///
/// Cost     2.5 n work in lanes of warps, as both skip what is before a head, but pairs shuffle two
///          words in each step; O(log n) steps.  2 launches for n up to a tile of b, and 2
///          ceil(log_b n) - 1 beyond.  Moves 4 n values and n flags, and needs memory for n values.
/// Source   Sengupta, Harris and Garland, "Efficient Parallel Scan Algorithms for GPUs",
///          NVR-2008-003, NVIDIA, 2008; here with a ballot instead of a scan of indices.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/primitives/named/device_scans.hpp>
#include <ravel/primitives/named/warp_hierarchical.hpp>

namespace ravel::inline v0 {
namespace gpu::detail {

/// A lifted monoid that warps scan like any other monoid (operator_transform); for `segmented`
/// itself warp_scan uses mindex.
template <class M>
struct of_pairs : segmented<M> {};

/// The first kernel: stores the inclusive prefixes of a tile, its total, and the index of its first
/// head.
template <class T, class Load, class M>
struct segmented_sweep {
  Load load;
  T* through;
  flagged<T>* totals;
  index_t* first_heads;
  M m;

  template <class Team>
  __device__ void operator()(Team const& team, tile t) const {
    auto const load_here = ravel::detail::on_tile(load, t);
    auto& warp_total = team.template shared<flagged<T>, Team::warps>();
    int const lane = threadIdx.x % warp_size;
    int const warp = threadIdx.x / warp_size;
    flagged<T> carry = m.identity();
    for (index_t base = t.begin; base < t.end; base += Team::threads) {
      index_t const i = base + threadIdx.x;
      flagged<T> const x = i < t.end ? flagged<T>(load_here(i)) : m.identity();
      flagged<T> const in_warp = warp_scan(x, m);
      if (lane == warp_size - 1) warp_total[warp] = in_warp;
      team.sync();
      if (warp == 0) {
        flagged<T> const total = lane < Team::warps ? flagged<T>(warp_total[lane]) : m.identity();
        flagged<T> const through_warp = warp_scan(total, m);
        if (lane < Team::warps) warp_total[lane] = through_warp;
      }
      team.sync();
      flagged<T> const ahead = warp > 0 ? m(carry, flagged<T>(warp_total[warp - 1])) : carry;
      bool const head_in_lanes_before = shuffle_up(in_warp.head, 1) && lane > 0;
      if (x.head && !ahead.head && !head_in_lanes_before) first_heads[t.id] = i;
      if (i < t.end) through[i] = m(ahead, in_warp).value;
      carry = m(carry, flagged<T>(warp_total[Team::warps - 1]));
      team.sync();  // before the next round overwrites warp_total
    }
    if (team.leads()) totals[t.id] = carry;
    if (team.leads() && !carry.head) first_heads[t.id] = t.end;
  }
};

/// The third kernel: combines a tile with its exclusive prefix, up to its first head.
template <class T, class Visit, class M, class Seed, class Total>
struct propagate_to_first_head {
  T const* through;
  flagged<T> const* totals;  // after the second kernel: scanned
  index_t const* first_heads;
  Visit visit;
  index_t n;
  M m;
  Seed seed;
  Total total;

  template <class Team>
  __device__ void operator()(Team const& team, tile t) const {
    auto const visit_here = ravel::detail::on_tile(visit, t);
    flagged<T> const first = seed();
    flagged<T> const ahead = t.id > 0 ? m(first, totals[t.id - 1]) : first;
    index_t const first_head = first_heads[t.id];
    auto const prefix = [&](index_t i) {
      return i < first_head ? flagged<T>{m.m(ahead.value, through[i]), ahead.head}
                            : flagged<T>{through[i], true};
    };
    team.for_each(t, [&](index_t i) {
      flagged<T> const with_this = prefix(i);
      visit_here(i, i > t.begin ? prefix(i - 1) : ahead, with_this);
      if (i == n - 1) total(with_this);
    });
  }
};

/// Launches the three kernels.  M is `segmented` for mindex, `of_pairs` for operator_transform.
template <class M, class Load, class Visit, class Seed, class Total>
void segmented_in_three(executor const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                        Total total) {
  using pair = carrier_t<M>;
  using T = decltype(pair::value);
  if (n == 0) return ravel::detail::scan_none<pair>(ex, seed, total);
  index_t const tiles = ex.tile_count(n);
  auto const through = ex.template scratch<T>(n);
  auto const totals = ex.template scratch<pair>(tiles);
  auto const first_heads = ex.template scratch<index_t>(tiles);
  ex.for_each_tile(
      n, segmented_sweep<T, Load, M>{load, through.data(), totals.data(), first_heads.data(), m});
  if (tiles > 1) {
    contiguous<pair> const total_of_tile{totals.data()};
    ravel::detail::write_through<pair> const write_total{totals.data()};
    if (ex.tile_count(tiles) == 1) {
      auto const sum = ex.template scratch<pair>(1);
      ex.for_each_tile(tiles, ravel::detail::team_sweep<pair, contiguous<pair>, M>{
                                  total_of_tile, totals.data(), sum.data(), m});
    } else {
      segmented_in_three(ex, tiles, total_of_tile, write_total, m,
                         ravel::detail::seed_identity<M>{m}, ravel::detail::no_total{});
    }
  }
  ex.for_each_tile(
      n, propagate_to_first_head<T, Visit, M, Seed, Total>{
             through.data(), totals.data(), first_heads.data(), visit, n, m, seed, total});
}

}  // namespace gpu::detail

namespace segmented_algorithm {

/// Run a scan by these algorithms.
template <class Load, class Visit, class M, class Seed, class Total>
void scan_by(mindex_t, gpu::executor const& ex, index_t n, Load load, Visit visit, segmented<M> m,
             Seed seed, Total total) {
  gpu::detail::segmented_in_three(ex, n, load, visit, m, seed, total);
}
template <std::derived_from<gpu::executor> Ex, class Load, class Visit, class M, class Seed,
          class Total>
void scan_by(operator_transform_t, Ex const& ex, index_t n, Load load, Visit visit, segmented<M> m,
             Seed seed, Total total) {
  gpu::detail::segmented_in_three(ex, n, load, visit, gpu::detail::of_pairs<M>{m}, seed, total);
}

}  // namespace segmented_algorithm
}  // namespace ravel::inline v0
