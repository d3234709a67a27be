#pragma once

/// Single-pass scan on a device: one kernel, which loads each element once.
///
/// The generic steps (upsweep, scan of the totals, downsweep) load each element twice and launch
/// three kernels or more.  Here a block loads a tile into registers, scans it, publishes its
/// aggregate, and waits for its exclusive prefix, which a warp computes from what preceding tiles
/// have published.
///
/// On an H200 it runs at 0.64 to 0.79 of copy speed for sums of 4 and 8 bytes from 2^26 elements
/// on, where CUB 13.0 reaches 0.73 and the steps 0.29.  Numbers in memory, and loads of them, have
/// faster forms, wave_scan.cuh and stream_scan.cuh; this one serves every other load, visit and
/// monoid.
///
/// The grouping of operands depends on n alone: tiles form groups of 32, the total of a group is a
/// tree over its tiles, and groups are folded from the left.  So a floating-point result repeats
/// bit for bit, whatever the order in which blocks run.
///
/// Source   Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
///          NVR-2016-002, for publishing aggregates before prefixes.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/stream_scan.cuh>
#include <ravel/primitives/cuda/wave_scan.cuh>

#include <type_traits>

namespace ravel::inline v0::gpu {
namespace detail {

/// The look-back, by one warp, which computes the exclusive prefix of its block's tile.
///
/// Slot t of `tiles` holds the aggregate of tile t.  Slot g of `groups` holds the aggregate of the
/// tiles [32 g, 32 g + 32), or their inclusive prefix.
template <class T, class M>
struct look_back {
  tile_states<T> tiles;
  tile_states<T> groups;
  M m;

  /// Polls the slots from `first` on, one for each lane with `wanted`, until all are published.
  __device__ T wait_for_tiles(index_t first, bool wanted) const {
    unsigned const lane = threadIdx.x % warp_size;
    T x = m.identity();
    bool have = !wanted;
    while (!__all_sync(whole_warp, have)) {
      if (!have) have = tiles.look(first + lane, x) != published::nothing;
    }
    return wanted ? x : T(m.identity());
  }

  /// The exclusive prefix of group g.  Folds the groups after the last one that has published its
  /// inclusive prefix; waits until one of the 32 nearest has.
  __device__ T ahead_of_group(index_t g, T seed) const {
    if (g == 0) return seed;
    int const lane = threadIdx.x % warp_size;
    index_t const slot = g - 1 - lane;  // lane 0 has the nearest group
    T x = m.identity();
    published what = published::nothing;
    unsigned through = 0;
    int nearest = warp_size;
    do {
      if (slot >= 0 && what != published::through) what = groups.look(slot, x);
      through = __ballot_sync(whole_warp, what == published::through);
      unsigned const nothing = __ballot_sync(whole_warp, what == published::nothing);
      nearest = through != 0 ? __ffs(through) - 1 : warp_size;
      if (nearest < warp_size && (nothing & ((1u << nearest) - 1)) != 0) nearest = warp_size;
    } while (nearest == warp_size);
    T sum = shuffle_from(x, nearest);
    for (int l = nearest - 1; l >= 0; --l) sum = m(sum, shuffle_from(x, l));
    return sum;
  }

  /// Publishes the aggregate of tile t and returns its exclusive prefix.
  __device__ T operator()(index_t t, T total, T seed) const {
    int const lane = threadIdx.x % warp_size;
    index_t const g = t / warp_size;
    int const place = static_cast<int>(t % warp_size);
    bool const closes = place == warp_size - 1;
    if (!closes && lane == 0) tiles.publish(t, published::part, total);

    T const of_lane = wait_for_tiles(g * warp_size, lane < place);
    T const through_lane = warp_scan(lane == place ? total : of_lane, m);
    T const of_group = shuffle_from(through_lane, warp_size - 1);
    if (closes && lane == 0) groups.publish(g, published::part, of_group);
    T const ahead = ahead_of_group(g, seed);
    if (closes && lane == 0) groups.publish(g, published::through, m(ahead, of_group));
    return place > 0 ? m(ahead, shuffle_from(through_lane, place - 1)) : ahead;
  }
};

template <int Threads, int Rows, class T, class Load, class Visit, class M, class Seed, class Total>
__global__ void __launch_bounds__(Threads)
    scan_kernel(index_t n, index_t count, Load load_all, Visit visit_all, M m, Seed seed,
                Total total, dispenser* tickets, tile_states<T> tiles, tile_states<T> groups) {
  constexpr int warps = Threads / warp_size;
  constexpr index_t width = index_t{Threads} * Rows;
  __shared__ ticket drawn;
  __shared__ shared_array<T, warps> warp_total;
  __shared__ shared_array<T, 1> tile_through;
  __shared__ shared_array<T, width> exchange;
  int const lane = threadIdx.x % warp_size;
  int const warp = threadIdx.x / warp_size;

  await_preceding_kernel();
  if (threadIdx.x == 0) drawn = count > 1 ? draw(*tickets, count) : ticket{0, 0};
  __syncthreads();
  tile const t = nth_tile(drawn.tile, width, n);
  auto const load = ravel::detail::on_tile(load_all, t);
  auto const visit = ravel::detail::on_tile(visit_all, t);
  bool const full = t.end - t.begin == width;

  // A warp has Rows rows of 32 adjacent elements.  It reads them row by row, coalesced, and
  // transposes them through shared memory so that each thread has Rows adjacent elements.
  index_t const first = t.begin + index_t{warp} * Rows * warp_size + lane;
  T* const of_warp = &exchange[warp * Rows * warp_size];
  if (full) {
    T x[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) x[r] = T(load(first + r * warp_size));
#pragma unroll
    for (int r = 0; r < Rows; ++r) of_warp[r * warp_size + lane] = x[r];
  } else {
#pragma unroll 1
    for (int r = 0; r < Rows; ++r) {
      index_t const i = first + r * warp_size;
      of_warp[r * warp_size + lane] = i < t.end ? T(load(i)) : T(m.identity());
    }
  }
  __syncwarp();
  T x[Rows];
#pragma unroll
  for (int k = 0; k < Rows; ++k) x[k] = of_warp[lane * Rows + k];

  // Computes the total of each thread, then of each warp, then of the tile.
  T of_thread = x[0];
#pragma unroll
  for (int k = 1; k < Rows; ++k) of_thread = m(of_thread, x[k]);
  T const through_thread = warp_scan(of_thread, m);
  T ahead = shuffle_up(through_thread, 1);
  if (lane == warp_size - 1) warp_total[warp] = through_thread;
  __syncthreads();

  // The first warp computes the tile's prefix by look-back, and from it the prefix of each warp.
  if (warp == 0) {
    T const through_warp = warp_scan(lane < warps ? T(warp_total[lane]) : T(m.identity()), m);
    T const of_tile = shuffle_from(through_warp, warps - 1);
    T ahead_of_tile = T(seed());
    if (count > 1) {
      tiles.epoch = groups.epoch = drawn.epoch;
      ahead_of_tile = look_back<T, M>{tiles, groups, m}(t.id, of_tile, ahead_of_tile);
    }
    T const left = shuffle_up(through_warp, 1);
    if (lane < warps) warp_total[lane] = lane > 0 ? m(ahead_of_tile, left) : ahead_of_tile;
    if (lane == 0) tile_through[0] = m(ahead_of_tile, of_tile);
  }
  __syncthreads();

  // Scan the elements of each thread, and transpose them back into rows.
  T const ahead_of_warp = warp_total[warp];
  ahead = lane > 0 ? m(ahead_of_warp, ahead) : ahead_of_warp;
#pragma unroll
  for (int k = 0; k < Rows; ++k) of_warp[lane * Rows + k] = ahead = m(ahead, x[k]);
  __syncwarp();
  auto const visit_row = [&](int r) {
    int const place = r * warp_size + lane;
    T const through = of_warp[place];
    if constexpr (ravel::detail::only_through<std::remove_cvref_t<decltype(visit)>>) {
      visit(first + r * warp_size, through, through);
    } else {
      visit(first + r * warp_size,
            place > 0 ? T(of_warp[place > 0 ? place - 1 : 0]) : ahead_of_warp, through);
    }
  };
  if (full) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) visit_row(r);
  } else {
#pragma unroll 1
    for (int r = 0; r < Rows; ++r) {
      if (first + r * warp_size < t.end) visit_row(r);
    }
  }
  if (t.end == n && threadIdx.x == 0) total(T(tile_through[0]));

  if (count > 1 && threadIdx.x == 0) clear_after_last_epoch(*tickets, tiles.words, drawn.epoch);
}

template <int Rows, class T, class Load, class Visit, class M, class Seed, class Total>
void launch_scan(executor const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                 Total total) {
  constexpr int threads = scan_policy::threads;
  index_t const count = div_up(n, index_t{threads} * Rows);
  index_t const group_count = div_up(count, warp_size);
  auto const states = ex.states<T>(count + group_count);
  auto const apart = ex.scratch<T>(tile_states<T>::apart ? count + 2 * group_count : 0);
  tile_states<T> const tiles{states.words(), apart.data(), 0, 1};
  tile_states<T> const groups{states.words() + count,
                              apart.data() + (tile_states<T>::apart ? count : 0), 0};
  ex.launch(grid{count, threads}.early(),
            scan_kernel<threads, Rows, T, Load, Visit, M, Seed, Total>, n, count, load, visit, m,
            seed, total, states.tickets(), tiles, groups);
}

/// Scans with one block for each tile, for any load and any visit of values that fit in shared
/// memory.
template <class Load, class Visit, class M, class Seed, class Total>
void scan_by_blocks(executor const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                    Total total) {
  using T = carrier_t<M>;
  if constexpr (sizeof(T) > scan_policy::largest) {
    run_call_by<scan_by_steps>(ex, describe_scan_on(n, load, visit, m, seed, total));
  } else if (n < ex.tuned().large_tiles) {
    launch_scan<scan_policy::rows_of_few(sizeof(T)), T>(ex, n, load, visit, m, seed, total);
  } else {
    launch_scan<scan_policy::rows(sizeof(T)), T>(ex, n, load, visit, m, seed, total);
  }
}

}  // namespace detail

/// Launches the kernels of the form.  load(i) is called once for each i, before any visit of its
/// tile.
template <class Call>
void launch_form(scan_in_blocks, executor const& ex, Call const& c) {
  detail::scan_by_blocks(ex, c.n, c.load, c.visit, c.m, c.seed, c.total);
}

}  // namespace ravel::inline v0::gpu
