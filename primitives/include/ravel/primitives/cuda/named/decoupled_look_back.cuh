#pragma once

/// The single-pass scan with decoupled look-back (Merrill and Garland).
///
/// Each block draws a tile, and publishes its aggregate as soon as it is computed.  Then a warp
/// looks back over the preceding tiles, 32 at a time, and adds their aggregates until it finds a
/// tile that has published its inclusive prefix.  From that the tile computes and publishes its own
/// inclusive prefix.  So no tile has to wait for another tile's prefix, and the length of the
/// look-back adapts to what is published.
///
/// Which aggregates are added, and from which prefix, depends on timing: floating-point sums differ
/// from run to run.  The form look_ahead avoids that.
///
/// Cost     3.7 n work.  One launch, and one to clear the states.  Moves 2 n, and needs memory for
///          two values of each tile.
/// Source   Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
///          NVR-2016-002, NVIDIA, 2016; here with words that hold a value and its state, or acquire
///          and release, instead of fences and volatile memory.

#include <ravel/primitives/cuda/named/cleared_states.cuh>
#include <ravel/primitives/cuda/named/held_tile.cuh>
#include <ravel/primitives/named/device_scans.hpp>

namespace ravel::inline v0 {
namespace gpu::detail {

/// The exclusive prefix of tile t.  All lanes of a warp call this.
template <class T, class M>
__device__ T look_back_over(tile_states<T> const& tiles, index_t t, M m, T const& seed) {
  int const lane = threadIdx.x % warp_size;
  T sum = m.identity();
  for (index_t end = t;; end -= warp_size) {
    // The last lane polls the nearest tile.  The seed stands in for tiles before the first.
    index_t const slot = end - warp_size + lane;
    T x = seed;
    published what = slot < 0 ? published::through : published::nothing;
    while (__any_sync(whole_warp, what == published::nothing)) {
      if (what == published::nothing) what = tiles.look(slot, x);
    }
    unsigned const through = __ballot_sync(whole_warp, what == published::through);
    int const nearest = through != 0 ? 31 - __clz(through) : 0;
    T const window = warp_scan(lane >= nearest ? x : T(m.identity()), m);
    sum = m(shuffle_from(window, warp_size - 1), sum);
    if (through != 0) return sum;
  }
}

template <class T, class Load, class Visit, class M, class Seed, class Total>
__global__ void __launch_bounds__(held_tile<T>::threads, held_tile<T>::at_once)
    decoupled_look_back_kernel(index_t n, Load load, Visit visit, M m, Seed seed, Total total,
                               unsigned* next, tile_states<T> tiles) {
  using held = held_tile<T>;
  __shared__ unsigned drawn;
  __shared__ typename held::room room;
  if (threadIdx.x == 0) drawn = atomicAdd(next, 1u);
  __syncthreads();
  tile const t = nth_tile(drawn, held::width, n);
  held x(room);
  x.load(t, ravel::detail::on_tile(load, t), m);
  T const through = x.scan(m, [&](T const& of_tile) {
    bool const speaks = threadIdx.x % warp_size == 0;
    if (t.id > 0 && speaks) tiles.publish(t.id, published::part, of_tile);
    T const ahead = t.id > 0 ? look_back_over(tiles, t.id, m, T(seed())) : T(seed());
    if (speaks) tiles.publish(t.id, published::through, m(ahead, of_tile));
    return ahead;
  });
  x.visit(ravel::detail::on_tile(visit, t));
  if (t.end == n && threadIdx.x == 0) total(through);
}

}  // namespace gpu::detail

namespace scan_algorithm {

template <class Load, class Visit, class M, class Seed, class Total>
void scan_by(decoupled_look_back_t, gpu::executor const& ex, index_t n, Load load, Visit visit, M m,
             Seed seed, Total total) {
  using T = carrier_t<M>;
  using held = gpu::held_tile<T>;
  if (n == 0) return detail::scan_none<T>(ex, seed, total);
  index_t const count = div_up(n, held::width);
  gpu::detail::cleared_states<T> const tiles(ex, count);
  ex.launch({count, held::threads},
            gpu::detail::decoupled_look_back_kernel<T, Load, Visit, M, Seed, Total>, n, load, visit,
            m, seed, total, tiles.counter(), tiles.states());
}

}  // namespace scan_algorithm
}  // namespace ravel::inline v0
