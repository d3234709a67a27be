#pragma once

/// Scan of a short contiguous sequence of numbers on a device, in one wave of blocks: each reads
/// its tile, publishes its aggregate, and polls all preceding tiles at once.
///
/// There are no tickets and no chain of prefixes: the time is that of one copy and of one exchange
/// between multiprocessors.
///
/// The grouping of operands depends on n alone: a tree in each tile, and a tree over the tiles.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/thread_scan.cuh>
#include <ravel/primitives/scan/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The partial results of `Warps` warps, in order.
template <class T, int Warps>
struct alignas(16) of_warps {
  shared_array<T, Warps> x;

  /// Combines all of them, and sets `ahead` to the combination of the first `warp` ones.
  template <class M>
  __device__ T fold(int warp, M m, T& ahead) {
    ahead = m.identity();
    T total = x[0];
#pragma unroll
    for (int w = 1; w < Warps; ++w) {
      if (w == warp) ahead = total;
      total = m(total, x[w]);
    }
    return total;
  }
};

/// The kernel.  A warp has `Rows` rows of 32 vectors of 16 bytes.  Each row is one coalesced
/// access, and rows are in the order of the scan.  A launch of a single block has one row.
template <int Threads, int Rows, bool Backward, class Load, class Visit, class M, class Seed,
          class Total>
__global__ void __launch_bounds__(Threads)
    wave_kernel(int n, Load load, Visit visit, M m, Seed seed, Total total, dispenser* arrivals,
                tile_states<carrier_t<M>> tiles) {
  using T = carrier_t<M>;
  using In = element_of_load<Load>;
  using V = value_of_load<Load>;
  using Out = written_by<Visit>;
  using by = in_thread<V, Out, M, 1>;
  constexpr bool alone = Rows == 1;
  constexpr int warps = Threads / warp_size;
  constexpr int per_vector = 16 / static_cast<int>(sizeof(In));
  constexpr int row = warp_size * per_vector;
  constexpr int items = warps * Rows * row;  // elements of a tile
  __shared__ of_warps<T, warps> found;
  // for each warp, the combination of the tiles that it has polled
  __shared__ of_warps<T, warps> answers;
  __shared__ unsigned epoch;
  int const thread = threadIdx.x;
  int const lane = thread % warp_size;
  int const warp = thread / warp_size;
  int const count = alone ? 1 : static_cast<int>(gridDim.x);
  int const t = alone ? 0 : static_cast<int>(block_in_order());

  unsigned now = 0;
  if (thread == 0 && count > 1) now = static_cast<unsigned>(load_relaxed(&arrivals->next) >> 32);

  // The tile, and the position of the thread's vector in each row.  Complete tiles need no bounds
  // tests.
  int const begin = (Backward ? count - 1 - t : t) * items;
  bool const whole = begin + items <= n;
  int const of_tile = warp * Rows * row + lane * per_vector;
  auto const place = [&](int r) {
    return begin + (Backward ? items - per_vector - of_tile - r * row : of_tile + r * row);
  };
  In const* const in = load.elements();
  neighbours<V, 1> x[Rows];
  if (whole) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      int const i = place(r);
      auto const read = neighbours<In, 1>::read(reinterpret_cast<char const*>(in + i));
      if constexpr (loads_as_it_is<Load>) {
        x[r] = read;
      } else {
#pragma unroll
        for (int k = 0; k < per_vector; ++k) x[r].set(k, load.of(i + k, read.get(k)));
      }
    }
  } else {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      int const i = place(r);
#pragma unroll
      for (int k = 0; k < per_vector; ++k) {
        x[r].set(k, i + k < n ? V(load.of(i + k, in[i + k])) : V(m.identity()));
      }
    }
  }
  if (thread == 0) epoch = now;

  T part[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) part[r] = by::template fold<Backward>(x[r], m);
  auto const scan_rows = [&] {
#pragma unroll
    for (int r = 0; r < Rows; ++r) part[r] = warp_scan(part[r], m);
  };
  T of_warp;
  if constexpr (alone) {
    scan_rows();
    of_warp = shuffle_from(part[0], warp_size - 1);
  } else {
    of_warp = warp_fold_rows(part, m);
  }
  if (lane == 0) found.x[warp] = of_warp;
  __syncthreads();
  T ahead;  // the prefix of the warp in its tile, later of each of its rows
  T const sum = found.fold(warp, m, ahead);
  tiles.epoch = epoch;
  if (warp == warps - 1 && count > 1) {  // the last warp is the least likely to have tiles to poll
    if (lane == 0) {
      tiles.publish(t, published::part, sum);
      draw(*arrivals, count);
    }
  }
  if constexpr (!alone) scan_rows();  // after publishing, as other blocks wait for the aggregate

  T ahead_of_tile = T(seed());
  if (count > 1) {
    T other = m.identity();
    if (thread < t) {
      while (tiles.look(thread, other) == published::nothing) {
      }
    }
    if (warp * warp_size < t) other = warp_fold(other, m);
    if (lane == 0) answers.x[warp] = other;
    __syncthreads();
    T unused;
    if (t > 0) ahead_of_tile = m(ahead_of_tile, answers.fold(0, m, unused));
  }
  ahead = m(ahead_of_tile, ahead);

#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    int const i = place(r);
    neighbours<Out, 1> y;
    T const left = shuffle_up(part[r], 1);
    T const last = scan_to<Backward>(visit, x[r], i, whole ? per_vector : n - i, m,
                                     lane > 0 ? m(ahead, left) : ahead, y);
    ahead = m(ahead, shuffle_from(part[r], warp_size - 1));
    if (Backward ? i == 0 : i < n && n <= i + per_vector) total(last);
    if (whole) {
      y.write(reinterpret_cast<char*>(visit.to + i));
    } else {
#pragma unroll
      for (int k = 0; k < per_vector; ++k) {
        if (i + k < n) visit.to[i + k] = y.get(k);
      }
    }
  }

  if (count > 1 && thread == 0) clear_after_last_epoch(*arrivals, tiles.words, epoch);
}

template <int Threads, int Rows, bool Backward, class Load, class Visit, class M, class Seed,
          class Total>
void launch_wave(executor const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                 Total total) {
  using T = carrier_t<M>;
  constexpr index_t items =
      index_t{Threads} * Rows * 16 / static_cast<index_t>(sizeof(written_by<Visit>));
  auto const states = ex.states<T>(Threads);
  ex.launch({div_up(n, items), Threads},
            wave_kernel<Threads, Rows, Backward, Load, Visit, M, Seed, Total>, static_cast<int>(n),
            load, visit, m, seed, total, states.tickets(),
            tile_states<T>{states.words(), nullptr, 0});
}

}  // namespace detail

template <class Call>
void launch_form(scan_in_wave, executor const& ex, Call const& c) {
  constexpr bool back = Call::shape.backward;
  constexpr int few = scan_policy::wave_threads, many = 2 * few;
  auto const load = detail::load_in_memory(c);
  auto const visit = detail::visit_in_memory(c);
  index_t const bytes = detail::bytes_written(c);
  if (bytes <= few * 16) {
    detail::launch_wave<few, 1, back>(ex, c.n, load, visit, c.m, c.seed, c.total);
  } else if (bytes <= index_t{few} * few * 4 * 16) {  // each thread polls one tile
    detail::launch_wave<few, 4, back>(ex, c.n, load, visit, c.m, c.seed, c.total);
  } else {
    // only a software device has narrower warps; its waves are short
    static_assert(warp_size < 32 || tuning::most_streamed_bytes <= index_t{many} * many * 8 * 16);
    detail::launch_wave<many, 8, back>(ex, c.n, load, visit, c.m, c.seed, c.total);
  }
}

}  // namespace ravel::inline v0::gpu
