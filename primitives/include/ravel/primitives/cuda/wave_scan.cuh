#pragma once

/// @file
/// Scan on a device from numbers in memory, which are not many, to numbers in memory: one wave
/// of blocks, each of which reads its tile, tells its total, and asks all before it for theirs
/// at once.
///
/// There is no ticket to wait for and no chain of prefixes: the time is that of one
/// copy and of one exchange between multiprocessors.
///
/// The grouping is fixed by n: a tree in each tile, and a tree over the tiles.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/in_thread.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>

#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

/// A warp has `Rows` rows of 32 vectors of 16 bytes.  Each row is one access to memory,
/// and the rows are in the order of the scan.
template <int Threads, int Rows, bool Backward, class Load, class Visit, class M, class Seed,
          class Total>
__global__ void __launch_bounds__(Threads)
    wave_kernel(index_t n, Load load, Visit visit, M m, Seed seed, Total total, dispenser* arrivals,
                tile_states<carrier_t<M>> tiles) {
  using T = carrier_t<M>;
  using In = element_of_load<Load>;
  using V = value_of_load<Load>;
  using Out = written_by<Visit>;
  using by = in_thread<V, Out, M, 1>;
  constexpr int warps = Threads / warp_size;
  constexpr int per_vector = 16 / static_cast<int>(sizeof(In));
  constexpr index_t vectors = index_t{Threads} * Rows;  // of a tile
  __shared__ shared_array<T, warps> warp_total;
  __shared__ shared_array<T, warps> warp_ahead;  // of what the warp asked for
  __shared__ unsigned epoch;
  int const lane = threadIdx.x % warp_size;
  int const warp = threadIdx.x / warp_size;
  unsigned const t = block_in_order();
  unsigned const count = gridDim.x;

  unsigned now = 0;
  if (threadIdx.x == 0 && count > 1)
    now = static_cast<unsigned>(load_relaxed(&arrivals->next) >> 32);

  // The place of row r in the sequence; n if there is none.
  auto const place = [&](int r) {
    index_t const k = t * vectors + (warp * Rows + r) * warp_size + lane;
    return (Backward ? count * vectors - 1 - k : k) * per_vector;
  };
  In const* const in = load.elements();
  neighbours<V, 1> x[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    index_t const i = place(r);
    if (i + per_vector <= n) {
      auto const row = neighbours<In, 1>::read(reinterpret_cast<char const*>(in + i));
      if constexpr (loads_as_it_is<Load>) {
        x[r] = row;
      } else {
#pragma unroll
        for (int k = 0; k < per_vector; ++k) x[r].set(k, load.of(i + k, row.get(k)));
      }
    } else {
#pragma unroll
      for (int k = 0; k < per_vector; ++k) {
        x[r].set(k, i + k < n ? V(load.of(i + k, in[i + k])) : V(m.identity()));
      }
    }
  }
  if (threadIdx.x == 0) epoch = now;

  T through[Rows];  // the vector and those before it in its row
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    through[r] = warp_scan(by::template fold<Backward>(x[r], m), m);
  }
  T of_warp = shuffle_from(through[0], warp_size - 1);
#pragma unroll
  for (int r = 1; r < Rows; ++r) of_warp = m(of_warp, shuffle_from(through[r], warp_size - 1));
  if (lane == 0) warp_total[warp] = of_warp;
  __syncthreads();

  tiles.epoch = epoch;
  T const of_lane = lane < warps ? T(warp_total[lane]) : T(m.identity());
  if (warp == warps - 1 && count > 1) {  // of all warps it most likely has nothing to ask for
    T const of_tile = warp_fold(of_lane, m);
    if (lane == 0) {
      tiles.publish(t, published::part, of_tile);
      draw(*arrivals, count);
    }
  }
  if (count > 1) {
    T of_other = m.identity();
    if (threadIdx.x < t) {
      while (tiles.look(threadIdx.x, of_other) == published::nothing) {
      }
    }
    if (static_cast<unsigned>(warp * warp_size) < t) of_other = warp_fold(of_other, m);
    if (lane == 0) warp_ahead[warp] = of_other;
    __syncthreads();
  }

  T ahead = T(seed());
  if (t > 0) ahead = m(ahead, warp_fold(lane < warps ? T(warp_ahead[lane]) : T(m.identity()), m));
  ahead = m(ahead, warp_fold(lane < warp ? of_lane : T(m.identity()), m));
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    T const left = shuffle_up(through[r], 1);
    neighbours<Out, 1> y;
    index_t const i = place(r);
    int const rest = static_cast<int>(i + per_vector <= n ? per_vector : n - i);
    T const last = scan_to<Backward>(visit, x[r], i, rest, m, lane > 0 ? m(ahead, left) : ahead, y);
    ahead = m(ahead, shuffle_from(through[r], warp_size - 1));
    if (i + per_vector <= n) {
      y.write(reinterpret_cast<char*>(visit.to + i));
    } else {
#pragma unroll
      for (int k = 0; k < per_vector; ++k) {
        if (i + k < n) visit.to[i + k] = y.get(k);
      }
    }
    if (Backward ? i == 0 : i < n && n <= i + per_vector) total(last);
  }

  if (count > 1 && threadIdx.x == 0) clear_after_last_epoch(*arrivals, tiles.words, epoch);
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
            wave_kernel<Threads, Rows, Backward, Load, Visit, M, Seed, Total>, n, load, visit, m,
            seed, total, states.tickets(), tile_states<T>{states.words(), nullptr, 0});
}

/// Scans in one wave if the sequence is short enough; returns whether it was.
template <bool Backward, class Load, class Visit, class M, class Seed, class Total>
bool wave_scan(executor const& ex, index_t n, Load load, Visit visit, M m, Seed seed, Total total) {
  using T = carrier_t<M>;
  using Out = written_by<Visit>;
  if constexpr (can_flow_of<Load, Out, T> && !tile_states<T>::apart) {
    index_t const bytes = n * static_cast<index_t>(sizeof(Out));
    if (n == 0 || bytes >= scan_policy::streamed_bytes ||
        !may_be_copied_in_bulk(load.elements(), visit.to)) {
      return false;
    }
    constexpr int few = scan_policy::wave_threads, many = 2 * few;
    if (bytes <= index_t{few} * few * 4 * 16) {  // each thread has a tile to ask for
      launch_wave<few, 4, Backward>(ex, n, load, visit, m, seed, total);
    } else {
      static_assert(scan_policy::streamed_bytes <= index_t{many} * many * 8 * 16);
      launch_wave<many, 8, Backward>(ex, n, load, visit, m, seed, total);
    }
    return true;
  }
  return false;
}

}  // namespace detail
}  // namespace ravel::inline v0::cuda
