#pragma once

/// Scan then pack on a device, in one kernel.
///
/// A block loads a tile into registers, publishes its aggregate, gets its prefix, and scans.  It
/// applies the step to the results and publishes the number kept.  While its first warp computes
/// the number kept before the tile, it compacts the kept results in shared memory; then it writes
/// them contiguously.
///
/// Both look-backs are those of scan.cuh.  Both publish words of the same size, so that they share
/// one ticket and one epoch.
///
/// On an H200 it runs at 0.28 of copy speed for 2^28 numbers of 4 bytes, where CUB's scan and
/// select together run at 0.24.  stream_scan_then_pack.cuh, for long sequences of numbers, runs at
/// 0.81.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/stream_scan_then_pack.cuh>
#include <ravel/primitives/scan_then_pack/call.hpp>
#include <ravel/primitives/scan_then_pack/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// A value padded to more bytes.
template <class T, int Bytes>
struct widened {
  T value;
  unsigned char rest[Bytes - sizeof(T)];
};

/// The types as which values and counts are published: both in words of 16 bytes, or both separate
/// from their tags.
template <class T>
using published_value = std::conditional_t<(sizeof(T) < 8), widened<T, 8>, T>;
template <class T>
using published_count = std::conditional_t<(sizeof(T) <= 12), index_t, widened<index_t, 16>>;

template <class M, class P>
struct published_monoid {
  using T = carrier_t<M>;
  M m;
  static RAVEL_HD P in(T const& x) {
    if constexpr (std::same_as<P, T>) {
      return x;
    } else {
      return {x, {}};
    }
  }
  static RAVEL_HD T out(P const& x) {
    if constexpr (std::same_as<P, T>) {
      return x;
    } else {
      return x.value;
    }
  }
  RAVEL_HD P identity() const { return in(T(m.identity())); }
  RAVEL_HD P operator()(P const& x, P const& y) const { return in(T(m(out(x), out(y)))); }
};

template <class M, class P>
using chain = look_back<P, published_monoid<M, P>>;

template <class T, class U>
inline constexpr int scan_then_pack_rows = std::min(23, scan_policy::rows(std::max(sizeof(T),
                                                                                   sizeof(U))));

/// Shared memory that holds a tile of values, and then its results.
template <class T, class U, int N>
union room_for {
  alignas(T) unsigned char values[N * sizeof(T)];
  alignas(U) unsigned char made[N * sizeof(U)];
};

template <class T, class U, class Load, class M, class Seed, class Step, class Visit, class Total>
__global__ void __launch_bounds__(scan_policy::threads)
    scan_then_pack_kernel(index_t n, index_t count, Load load_all, M m, Seed seed, Step step,
                          Visit visit, Total total, dispenser* tickets,
                          chain<M, published_value<T>> values,
                          chain<plus<index_t>, published_count<T>> places) {
  using value = published_monoid<M, published_value<T>>;
  using place = published_monoid<plus<index_t>, published_count<T>>;
  constexpr int rows = scan_then_pack_rows<T, U>;
  constexpr int warps = scan_policy::threads / warp_size;
  constexpr int width = scan_policy::threads * rows;
  __shared__ ticket drawn;
  __shared__ shared_array<T, warps> warp_value;
  __shared__ int warp_count[warps];
  __shared__ index_t first_place;
  __shared__ room_for<T, U, width> exchange;
  int const lane = threadIdx.x % warp_size;
  int const warp = threadIdx.x / warp_size;

  if (threadIdx.x == 0) drawn = count > 1 ? draw(*tickets, count) : ticket{0, 0};
  __syncthreads();
  tile const t = nth_tile(drawn.tile, width, n);
  values.tiles.epoch = values.groups.epoch = places.tiles.epoch = places.groups.epoch = drawn.epoch;
  auto const load = ravel::detail::on_tile(load_all, t);

  // A warp has rows of 32 adjacent elements, and transposes them through shared memory so that each
  // thread has `rows` adjacent elements.
  index_t const first_of_warp = t.begin + index_t{warp} * rows * warp_size;
  T* const of_warp = reinterpret_cast<T*>(exchange.values) + warp * rows * warp_size;
#pragma unroll 4
  for (int r = 0; r < rows; ++r) {
    index_t const i = first_of_warp + r * warp_size + lane;
    of_warp[r * warp_size + lane] = i < t.end ? T(load(i)) : T(m.identity());
  }
  __syncwarp();
  T x[rows];
#pragma unroll
  for (int k = 0; k < rows; ++k) x[k] = of_warp[lane * rows + k];

  // Computes the exclusive prefix of each thread.
  T of_thread = x[0];
#pragma unroll
  for (int k = 1; k < rows; ++k) of_thread = m(of_thread, x[k]);
  T const through_thread = warp_scan(of_thread, m);
  T ahead = shuffle_up(through_thread, 1);
  if (lane == warp_size - 1) warp_value[warp] = through_thread;
  __syncthreads();
  if (warp == 0) {
    T const through_warp = warp_scan(lane < warps ? T(warp_value[lane]) : T(m.identity()), m);
    T const of_tile = shuffle_from(through_warp, warps - 1);
    T ahead_of_tile = T(seed());
    if (count > 1) {
      ahead_of_tile = value::out(values(t.id, value::in(of_tile), value::in(ahead_of_tile)));
    }
    T const left = shuffle_up(through_warp, 1);
    if (lane < warps) warp_value[lane] = lane > 0 ? m(ahead_of_tile, left) : ahead_of_tile;
  }
  __syncthreads();
  ahead = lane > 0 ? m(T(warp_value[warp]), ahead) : T(warp_value[warp]);

  // Computes the results, and the number kept by the threads before this one.
  U made[rows];
  unsigned kept = 0;
  index_t const first = first_of_warp + lane * rows;
#pragma unroll
  for (int k = 0; k < rows; ++k) {
    T const through = m(ahead, x[k]);
    if (first + k < t.end) {
      auto const y = step(first + k, ahead, through);
      made[k] = y.value;
      if (y.is) kept |= 1u << k;
    }
    ahead = through;
  }
  int const few = __popc(kept);
  int const through_count = warp_scan(few, plus<int>{});
  if (lane == warp_size - 1) warp_count[warp] = through_count;
  __syncthreads();
  int place_in_tile = through_count - few;
  int of_tile = 0;
#pragma unroll
  for (int w = 0; w < warps; ++w) {
    if (w < warp) place_in_tile += warp_count[w];
    of_tile += warp_count[w];
  }
  U* const side_by_side = reinterpret_cast<U*>(exchange.made);
#pragma unroll
  for (int k = 0; k < rows; ++k) {
    if (kept >> k & 1) side_by_side[place_in_tile++] = made[k];
  }
  if (warp == 0) {
    index_t at = 0;
    if (count > 1) at = place::out(places(t.id, place::in(of_tile), place::in(0)));
    if (lane == 0) {
      first_place = at;
      if (t.end == n) total(at + of_tile);
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < of_tile; k += scan_policy::threads) {
    visit(first_place + k, side_by_side[k]);
  }

  if (count > 1 && threadIdx.x == 0)
    clear_after_last_epoch(*tickets, values.tiles.words, drawn.epoch);
}

/// scan_then_pack_on with one block for each tile, for any load and visit.
template <class Load, class M, class Seed, class Step, class Visit, class Total>
void scan_then_pack_by_blocks(executor const& ex, index_t n, Load load, M m, Seed seed, Step step,
                              Visit visit, Total total) {
  using T = carrier_t<M>;
  using U = decltype(ravel::detail::made_by_t<Step, T>::value);
  using value_states = tile_states<published_value<T>>;
  using place_states = tile_states<published_count<T>>;
  static_assert(std::same_as<typename value_states::word, typename place_states::word>);
  index_t const count = div_up(n, index_t{scan_policy::threads} * scan_then_pack_rows<T, U>);
  index_t const groups = div_up(count, warp_size);
  index_t const slots = count + groups;
  auto const states = ex.states<published_value<T>>(2 * slots);
  auto const values = ex.scratch<published_value<T>>(value_states::apart ? 2 * slots : 0);
  auto const places = ex.scratch<published_count<T>>(place_states::apart ? 2 * slots : 0);
  auto* const words = states.words();
  value_states const of_values{words, values.data(), 0};
  place_states const of_places{words + slots, places.data(), 0};
  auto const after_tiles = [&](auto shifted) {  // the groups' descriptors follow those of the tiles
    shifted.words += count;
    shifted.values += shifted.apart ? 2 * count : 0;
    return shifted;
  };
  ex.launch({count, scan_policy::threads},
            scan_then_pack_kernel<T, U, Load, M, Seed, Step, Visit, Total>, n, count, load, m, seed,
            step, visit, total, states.tickets(),
            chain<M, published_value<T>>{of_values, after_tiles(of_values), {m}},
            chain<plus<index_t>, published_count<T>>{of_places, after_tiles(of_places), {}});
}

}  // namespace detail

template <class Call>
void launch_form(scan_then_pack_in_blocks, executor const& ex, Call const& c) {
  detail::scan_then_pack_by_blocks(ex, c.n, c.load, c.m, c.seed, c.step, c.visit, c.total);
}

template <class Call>
void launch_form(scan_then_pack_streamed, executor const& ex, Call const& c) {
  detail::stream_scan_then_pack(ex, c.n, c.load, c.m, c.seed, c.step, c.visit, c.total);
}

}  // namespace ravel::inline v0::gpu
