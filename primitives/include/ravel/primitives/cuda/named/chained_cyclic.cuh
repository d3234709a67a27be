#pragma once

/// The chained scan over cyclic tiles (LightScan): each tile passes its prefix to the next.
///
/// As many blocks as are resident take tiles in turn: block k has tiles k, k + blocks, k + 2
/// blocks, ... Each loads its tile, waits for the inclusive prefix of the preceding tile, which its
/// left neighbour passes in a message, and passes its own to its right neighbour.  Only these
/// messages are serial: if tiles are large enough, a tile is loaded and summed by the time its
/// message arrives.  The chain has n / tile messages, each of which takes half a microsecond or
/// more.
///
/// `lightscan` has the tile of the paper, of 1024 threads and 45,056 words (lightscan_tile.cuh);
/// `chained_cyclic` has that of the other single-pass forms, which is a quarter as large.
///
/// A message of up to 12 bytes and its flag are one transaction.  A block has one slot for its
/// messages.  It writes the next message only after the chain has gone around all blocks, and so
/// after its neighbour has read the last one.  All blocks must be resident at once, so the launch
/// is cooperative.
///
/// Cost     3.2 n work, and 6 n of `lightscan`; n / tile steps.  One launch, and one to clear the
///          slots.  Moves 2 n, and needs memory for a message of each block.
/// Source   Liu and Aluru, "LightScan: Faster Scan Primitive on CUDA Compatible Manycore
///          Processors", arXiv:1604.04815, 2016; after Yan, Long and Zhang, "StreamScan: Fast Scan
///          Algorithms for GPUs without Global Barrier Synchronization", PPoPP 2013.

#include <ravel/primitives/cuda/named/cleared_states.cuh>
#include <ravel/primitives/cuda/named/held_tile.cuh>
#include <ravel/primitives/cuda/named/lightscan_tile.cuh>
#include <ravel/primitives/named/device_scans.hpp>

namespace ravel::inline v0 {
namespace gpu::detail {

template <class Held, class T, class Load, class Visit, class M, class Seed, class Total>
__global__ void __launch_bounds__(Held::threads, Held::at_once)
    chained_cyclic_kernel(index_t n, index_t count, Load load, Visit visit, M m, Seed seed,
                          Total total, tile_states<T> messages) {
  __shared__ typename Held::room room;
  Held x(room);
  for (index_t id = blockIdx.x; id < count; id += gridDim.x) {
    tile const t = nth_tile(id, Held::width, n);
    x.load(t, ravel::detail::on_tile(load, t), m);
    T const through = x.scan(m, [&](T const& of_tile) {
      int const lane = threadIdx.x % warp_size;
      T ahead = seed();
      if (id > 0 && lane == 0) {
        messages.epoch = static_cast<unsigned>((id - 1) / gridDim.x) + 1;
        while (messages.look((id - 1) % gridDim.x, ahead) != published::through) {
        }
      }
      if (lane == 0) {
        messages.epoch = static_cast<unsigned>(id / gridDim.x) + 1;
        messages.publish(blockIdx.x, published::through, m(ahead, of_tile));
      }
      return shuffle_from(ahead, 0);
    });
    x.visit(ravel::detail::on_tile(visit, t));
    if (t.end == n && threadIdx.x == 0) total(through);
  }
}

}  // namespace gpu::detail

namespace scan_algorithm {

template <bool Lightscan, class Load, class Visit, class M, class Seed, class Total>
void scan_by(chained_cyclic_t<Lightscan>, gpu::executor const& ex, index_t n, Load load,
             Visit visit, M m, Seed seed, Total total) {
  using T = carrier_t<M>;
  using held = std::conditional_t<Lightscan, gpu::lightscan_tile<T>, gpu::held_tile<T>>;
  if (n == 0) return detail::scan_none<T>(ex, seed, total);
  auto const kernel = gpu::detail::chained_cyclic_kernel<held, T, Load, Visit, M, Seed, Total>;
  index_t const count = div_up(n, held::width);
  index_t const blocks = std::min(count, ex.room_for(kernel, held::threads));
  gpu::detail::cleared_states<T> const messages(ex, blocks);
  ex.launch({blocks, held::threads, true}, kernel, n, count, load, visit, m, seed, total,
            messages.states());
}

}  // namespace scan_algorithm
}  // namespace ravel::inline v0
