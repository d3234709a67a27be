#pragma once

/// @file
/// The scan of local sums: SAM, for orders and tuples.
///
/// As many blocks as are resident, k, take tiles in turn.  A block publishes the sum of its tile,
/// and then adds up the k - 1 sums that the others have published since its last tile.  With the
/// prefix through that tile, which it keeps, this is the prefix of its new tile.  Writing a sum and
/// reading the others are independent, so there is no chain; k - 1 words are read for each tile.
///
/// The sums are in a ring buffer of 3 k slots.  When a block writes sum i + 3 k, it has read sum i
/// + 2 k - 1 and later ones, whose writers have by then finished reading sum i.  So the buffer does
/// not grow with n.
///
/// Order    q is q scans of the tile while it is in registers, each with its own ring buffer:
///          memory is still read once and written once.  A tuple is a value of S elements, which
///          are combined element by element:
///
///     in                               1  2  3  4  5  6
///     local_sums                       1  3  6 10 15 21
///     local_sums.of_order(2)           1  4 10 20 35 56
///     local_sums.of_tuples<2>()        1  2  4  6  9 12
///
/// For order q, a call gives the result of q - 1 inclusive scans followed by the call itself.
///
/// Cost     (q + 1) n work besides that of lanes, together 3.7 n for order 1; n / (k tile) steps of
///          q exchanges.  One launch, and one to clear the ring buffers.  Moves 2 n, and needs
///          memory for 3 k q values.
/// Source   Maleki, Yang and Burtscher, "Higher-Order and Tuple-Based Massively-Parallel Prefix
///          Sums", PLDI 2016; here with acquire and release instead of fences.

#include <ravel/core/derived_monoids.hpp>
#include <ravel/primitives/cuda/named/cleared_states.cuh>
#include <ravel/primitives/cuda/named/held_tile.cuh>
#include <ravel/primitives/scan_algorithm.hpp>

#include <algorithm>
#include <concepts>

namespace ravel::inline v0 {
namespace gpu::detail {

template <class T>
inline constexpr bool is_flagged = false;
template <class T>
inline constexpr bool is_flagged<flagged<T>> = true;

inline constexpr int most_orders = 16;

template <class T, class Load, class Visit, class M, class Seed, class Total>
__global__ void __launch_bounds__(held_tile<T>::threads, held_tile<T>::at_once)
    local_sums_kernel(index_t n, index_t count, int order, Load load, Visit visit, M m, Seed seed,
                      Total total, tile_states<T> sums) {
  using held = held_tile<T>;
  __shared__ typename held::room room;
  __shared__ shared_array<T, most_orders>
      carry;  // per order, the prefix through this block's last tile
  index_t const blocks = gridDim.x;
  index_t const circle = 3 * blocks;
  held x(room);
  for (index_t id = blockIdx.x; id < count; id += blocks) {
    tile const t = nth_tile(id, held::width, n);
    x.load(t, ravel::detail::on_tile(load, t), m);
    for (int o = 0; o < order; ++o) {
      if (o > 0) x.clear_after_end(m);
      T const through = x.scan(m, [&](T const& of_tile) {
        int const lane = threadIdx.x % warp_size;
        tile_states<T> at = sums;
        at.epoch = static_cast<unsigned>(id / circle) + 1;
        if (lane == 0) at.publish(o * circle + id % circle, published::part, of_tile);

        bool const is_first = id < blocks;
        T ahead = !is_first ? T(carry[o]) : o == order - 1 ? T(seed()) : T(m.identity());
        for (index_t k = is_first ? 0 : id - blocks + 1; k < id; k += warp_size) {
          index_t const other = k + lane;
          at.epoch = static_cast<unsigned>(other / circle) + 1;
          T y = m.identity();
          bool have = other >= id;
          while (!__all_sync(whole_warp, have)) {
            if (!have) have = at.look(o * circle + other % circle, y) != published::nothing;
          }
          T const through_lane = warp_scan(other < id ? y : T(m.identity()), m);
          ahead = m(ahead, shuffle_from(through_lane, warp_size - 1));
        }
        __syncwarp();
        if (lane == 0) carry[o] = m(ahead, of_tile);
        __syncwarp();
        return ahead;
      });
      if (o == order - 1 && t.end == n && threadIdx.x == 0) total(through);
    }
    x.visit(ravel::detail::on_tile(visit, t));
  }
}

template <class T, class Load, class Visit, class M, class Seed, class Total>
void launch_local_sums(executor const& ex, int order, index_t n, Load load, Visit visit, M m,
                       Seed seed, Total total) {
  using held = held_tile<T>;
  expects(1 <= order && order <= most_orders, "scan_algorithm::local_sums: the order is ", order,
          ", and must be 1 to ", most_orders);
  auto const kernel = local_sums_kernel<T, Load, Visit, M, Seed, Total>;
  index_t const count = div_up(n, held::width);
  index_t const blocks = std::min(count, ex.room_for(kernel, held::threads));
  cleared_states<T> const sums(ex, 3 * blocks * order);
  ex.launch({blocks, held::threads, true}, kernel, n, count, order, load, visit, m, seed, total,
            sums.states());
}

}  // namespace gpu::detail

namespace scan_algorithm {

/// Runs a scan by this algorithm.
template <int Tuple, class Load, class Visit, class M, class Seed, class Total>
void scan_by(local_sums_t<Tuple> by, gpu::executor const& ex, index_t n, Load load, Visit visit,
             M m, Seed seed, Total total) {
  using T = carrier_t<M>;
  constexpr bool of_segments = gpu::detail::is_flagged<T>;
  static_assert(Tuple == 1 || !of_segments, "scan_algorithm::local_sums: tuples have no segments");
  expects(by.order == 1 || !of_segments,
          "scan_algorithm::local_sums: a scan of segments is of order 1, and not ", by.order);
  if (n == 0) return detail::scan_none<T>(ex, seed, total);
  if constexpr (Tuple == 1) {
    gpu::detail::launch_local_sums<T>(ex, by.order, n, load, visit, m, seed, total);
  } else {
    static_assert(std::same_as<Total, detail::no_total>,
                  "scan_algorithm::local_sums: a scan of tuples has not one total");
    gpu::detail::launch_local_sums<detail::tuple_of<T, Tuple>>(
        ex, by.order, div_up(n, Tuple), detail::load_tuple<Tuple, Load, M>{load, m, n},
        detail::visit_tuple<Tuple, Visit>{visit, n}, detail::tuple_monoid<M, Tuple>{m},
        detail::seed_tuple<Tuple, T, Seed>{seed}, total);
  }
}

}  // namespace scan_algorithm
}  // namespace ravel::inline v0
