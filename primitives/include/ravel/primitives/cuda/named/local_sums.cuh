#pragma once

/// The scan by local sums of SAM, for sums of any order and for tuples.
///
/// As many blocks as are resident, k, take tiles in turn.  A block publishes the sum of its tile,
/// and then adds up the k - 1 sums that the other blocks have published since its last tile.
/// Combined with the inclusive prefix of its last tile, which it keeps, that is the prefix of its
/// new tile.  Writing a sum and reading the others are independent, so there is no chain; each tile
/// reads k - 1 words.
///
/// For order 1 the sums are in a ring buffer of 3 k slots.  When a block writes sum i + 3 k, it has
/// read sum i + 2 k - 1 and later ones, whose writers have by then finished reading sum i.  So the
/// buffer does not grow with n.
///
/// Order    q is q scans of the tile while it is in registers: memory is still read once and
///          written once.  They share one ring buffer, of (q + 2) k slots, in which the q sums of a
///          round of tiles follow each other: a sum is read for the last time q steps of its block
///          later.
///
/// Tuples   of S are scans of every S-th element.  Elements are loaded and kept as without tuples;
///          totals and prefixes are S sums, one for each place in a tuple (section 4.3):
///
///     in                               1  2  3  4  5  6
///     local_sums                       1  3  6 10 15 21
///     local_sums.of_order(2)           1  4 10 20 35 56
///     local_sums.of_tuples<2>()        1  2  4  6  9 12
///
/// Rows     The paper's installer finds the number of elements of a thread that suits the device;
///          `local_sums.of_rows<R>()` chooses it.
///
/// For order q, a call gives the result of q - 1 inclusive scans followed by the call itself.
///
/// Cost     (q + 1) n work besides that of lanes, together 3.7 n for order 1; n / (k tile) steps of
///          q exchanges.  One launch, and one to clear the ring buffer.  Moves 2 n, and needs
///          memory for (q + 2) k sums.
/// Source   Maleki, Yang and Burtscher, "Higher-Order and Tuple-Based Massively-Parallel Prefix
///          Sums", PLDI 2016; here with acquire and release instead of fences.

#include <ravel/primitives/cuda/named/cleared_states.cuh>
#include <ravel/primitives/cuda/named/held_tile.cuh>
#include <ravel/primitives/named/device_scans.hpp>

namespace ravel::inline v0 {
namespace gpu::detail {

template <class T>
inline constexpr bool is_flagged = false;
template <class T>
inline constexpr bool is_flagged<flagged<T>> = true;

inline constexpr int most_orders = 16;

/// The seed of the tuple of scans: the same for each.
template <class Held, class T, class Seed>
__device__ typename Held::sum seed_of(Seed const& seed) {
  if constexpr (std::same_as<typename Held::sum, T>) {
    return seed();
  } else {
    typename Held::sum x;
    for (T& y : x.x) y = seed();
    return x;
  }
}

template <class Held, class T, class Load, class Visit, class M, class Seed, class Total>
__global__ void __launch_bounds__(Held::threads, Held::at_once)
    local_sums_kernel(index_t n, index_t count, int order, Load load, Visit visit, M m, Seed seed,
                      Total total, tile_states<typename Held::sum> sums) {
  using sum = typename Held::sum;
  auto const join = Held::of_sums(m);
  __shared__ typename Held::room room;
  __shared__ shared_array<sum, most_orders>
      carry;  // per order, the prefix through this block's last tile
  index_t const blocks = gridDim.x;
  index_t const circle = (order + 2) * blocks;
  Held x(room);
  for (index_t id = blockIdx.x; id < count; id += blocks) {
    tile const t = nth_tile(id, Held::width, n);
    x.load(t, ravel::detail::on_tile(load, t), m);
    for (int o = 0; o < order; ++o) {
      if (o > 0) x.clear_after_end(m);
      auto const place = [&](index_t i) { return (i / blocks * order + o) * blocks + i % blocks; };
      sum const through = x.scan(m, [&](sum const& of_tile) {
        int const lane = threadIdx.x % warp_size;
        tile_states<sum> at = sums;
        at.epoch = static_cast<unsigned>(place(id) / circle) + 1;
        if (lane == 0) at.publish(place(id) % circle, published::part, of_tile);

        bool const is_first = id < blocks;
        sum ahead = !is_first        ? sum(carry[o])
                    : o == order - 1 ? seed_of<Held, T>(seed)
                                     : sum(join.identity());
        for (index_t k = is_first ? 0 : id - blocks + 1; k < id; k += warp_size) {
          index_t const other = k + lane;
          at.epoch = static_cast<unsigned>(place(other) / circle) + 1;
          sum y = join.identity();
          bool have = other >= id;
          while (!__all_sync(whole_warp, have)) {
            if (!have) have = at.look(place(other) % circle, y) != published::nothing;
          }
          sum const through_lane = warp_scan(other < id ? y : sum(join.identity()), join);
          ahead = join(ahead, shuffle_from(through_lane, warp_size - 1));
        }
        __syncwarp();
        if (lane == 0) carry[o] = join(ahead, of_tile);
        __syncwarp();
        return ahead;
      });
      if constexpr (std::same_as<sum, T>) {
        if (o == order - 1 && t.end == n && threadIdx.x == 0) total(through);
      }
    }
    x.visit(ravel::detail::on_tile(visit, t));
  }
}

}  // namespace gpu::detail

namespace scan_algorithm {

template <int Tuple, int Rows, class Load, class Visit, class M, class Seed, class Total>
void scan_by(local_sums_t<Tuple, Rows> tag, gpu::executor const& ex, index_t n, Load load,
             Visit visit, M m, Seed seed, Total total) {
  using T = carrier_t<M>;
  constexpr bool of_segments = gpu::detail::is_flagged<T>;
  static_assert(Tuple == 1 || !of_segments, "scan_algorithm::local_sums: tuples have no segments");
  expects(tag.order == 1 || !of_segments,
          "scan_algorithm::local_sums: a scan of segments is of order 1, and not ", tag.order);
  static_assert(Tuple == 1 || std::same_as<Total, detail::no_total>,
                "scan_algorithm::local_sums: a scan of tuples has not one total");
  expects(1 <= tag.order && tag.order <= gpu::detail::most_orders,
          "scan_algorithm::local_sums: the order is ", tag.order, ", and must be 1 to ",
          gpu::detail::most_orders);
  if (n == 0) return detail::scan_none<T>(ex, seed, total);
  using held =
      std::conditional_t<Rows == 0, gpu::held_tile<T, Tuple>, gpu::held_tile<T, Tuple, Rows>>;
  auto const kernel = gpu::detail::local_sums_kernel<held, T, Load, Visit, M, Seed, Total>;
  index_t const count = div_up(n, held::width);
  index_t const blocks = std::min(count, ex.room_for(kernel, held::threads));
  gpu::detail::cleared_states<typename held::sum> const sums(ex, (tag.order + 2) * blocks);
  ex.launch({blocks, held::threads, true}, kernel, n, count, tag.order, load, visit, m, seed, total,
            sums.states());
}

}  // namespace scan_algorithm
}  // namespace ravel::inline v0
