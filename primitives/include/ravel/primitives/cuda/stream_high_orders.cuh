#pragma once

/// High-order prefix sums of a contiguous sequence of integers on a device: a flow of
/// core/cuda/tile_stream.cuh.
///
/// As in cuda/stream_orders.cuh, prefixes are carried back to the first element, where they can be
/// added word by word.  At high orders, summing elements is most of the work, and multiplying by
/// powers most of the rest.  So reducers store the sum of each thread of a tile for the workers,
/// which then need not repeat it; and threads have many elements, which they read and write a
/// vector at a time.

#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/stream_orders.cuh>
#include <ravel/primitives/cuda/stream_tuples.cuh>

namespace ravel::inline v0::gpu::detail {

template <class T, int Q, class In, class Out, class Seed, class Total, bool Inclusive,
          bool Backward, scan_policy::shape Shape>
struct high_order_flow : between_sequences<In, Out, Backward, Shape> {
  using sums = ravel::detail::carried_sums<T, Q>;
  using value = typename sums::value;
  using power = typename sums::power;
  using base = between_sequences<In, Out, Backward, Shape>;
  using monoid = ravel::detail::tuple_monoid<plus<value>, Q>;
  using state = carrier_t<monoid>;
  static constexpr int vectors = Shape.vectors;
  static constexpr int per_vector = base::items_of_thread / vectors;
  static constexpr int warps = base::threads / warp_size;
  static constexpr bool counts_last = true;

  /// The number of vectors by which loops are unrolled.  On an H200, 2^27 int64 of order 8 take 630
  /// us with 4 elements unrolled, 624 with 8, and 752 with 16, because of register spilling.
  static constexpr int unrolled = std::max(1, 8 / per_vector);

  using shared = powers_of_threads<T, Q, base::threads>;

  /// What reducers store in a stage after the elements.
  struct sums_of_tile {
    value of_thread[Q][base::threads];  // carried back to the tile's first element
    value of_warp[warps][Q];
    value on[2 * Q];  // zeros, then the power from the sequence's first element to the tile's
  };
  static constexpr std::size_t stage_bytes = base::tile_bytes + sizeof(sums_of_tile);

  monoid m;
  Seed of_seed;
  Total total;

  static constexpr __device__ int nth(int e) { return Backward ? per_vector - 1 - e : e; }
  static __device__ value value_of(In const& x) { return static_cast<value>(static_cast<T>(x)); }
  static __device__ shared& of_block() { return *reinterpret_cast<shared*>(shared_bytes()); }
  static __device__ sums_of_tile& sums_in(char* stage) {
    return *reinterpret_cast<sums_of_tile*>(stage + base::tile_bytes);
  }
  /// The i-th vector of thread k, in the order of the scan.
  static __device__ char* vector_of(char* stage, int k, int i) {
    return stage + base::place(k) * base::bytes_of_thread +
           (Backward ? vectors - 1 - i : i) * bulk_alignment;
  }

  __device__ void prepare() const {
    int const k = static_cast<int>(threadIdx.x);
    if (k >= base::threads) return;
    of_block().set(k, steps_of_sums<T, Q>(-index_t{k} * base::items_of_thread),
                   steps_of_sums<T, Q>(index_t{k} * base::items_of_thread));
  }
  __device__ state seed() const {
    state first = m.identity();
    first.x[Q - 1] = static_cast<value>(T(of_seed()));
    return first;
  }

  /// The sum of thread k, carried back to the tile's first element.  It goes from the last element
  /// to the first, so that additions are independent.
  __device__ state fold(char* stage, int k) const {
    state sum = m.identity();
#pragma unroll unrolled
    for (int i = vectors - 1; i >= 0; --i) {
      auto const x = neighbours<In, 1>::read(vector_of(stage, k, i));
#pragma unroll
      for (int e = per_vector - 1; e >= 0; --e) sums::before(sum.x, value_of(x.get(nth(e))));
    }
    sums::apply(shared::at(of_block().back, k), sum.x);
    return sum;
  }
  /// The count of a flow whose warps cooperate: a reducer computes a tile's total, and stores the
  /// sums of threads.  Elements that the last tile lacks count as zeros.
  __device__ state count(char* stage, index_t t) const {
    int const lane = threadIdx.x % warp_size;
    for (int i = base::items_of(t) + lane; i < base::items; i += warp_size) {
      reinterpret_cast<In*>(stage)[i] = In{};
    }
    __syncwarp();
    state sum = m.identity();
#pragma unroll 1
    for (int k = lane; k < base::threads; k += warp_size) {
      state const part = fold(stage, k);
#pragma unroll
      for (int j = 0; j < Q; ++j) sums_in(stage).of_thread[j][k] = part.x[j];
      sum = m(sum, part);
    }
    return warp_fold(sum, m);
  }
  __device__ state to_publish(char* stage, index_t t, state sum) const {
    // Half of the lanes compute the power forward, the others the power backward.
    int const lane = threadIdx.x % warp_size;
    bool const on = lane < warp_size / 2;
    power const of_tile = steps_of_sums<T, Q>(on ? t * base::items : -t * base::items);
    if (lane == 0) {
#pragma unroll
      for (int d = 0; d < Q; ++d) {
        sums_in(stage).on[d] = 0;
        sums_in(stage).on[Q + d] = of_tile.p[d];
      }
    }
    sums::apply(of_tile, sum.x);
    return shuffle_from(sum, warp_size - 1);
  }

  /// The prefix of thread k of a group, carried to its first element.
  template <class Await>
  __device__ state ahead_of_thread(char* stage, int group, int k, Await await) const {
    int const lane = k % warp_size;
    int const warp = k / warp_size;
    state const prefix = await();
    sums_of_tile& staged = sums_in(stage);
    state part;
#pragma unroll
    for (int j = 0; j < Q; ++j) part.x[j] = staged.of_thread[j][k];
    state const through = warp_scan(part, m);
    if constexpr (warps > 1) {
      if (lane == warp_size - 1) {
#pragma unroll
        for (int j = 0; j < Q; ++j) staged.of_warp[warp][j] = through.x[j];
      }
      sync_group(group, base::threads);
    }
    // Each of the first Q lanes computes one word of the warp's prefix at the tile's first element.
    int const j = ::min(lane, Q - 1);
    value of_lane = 0;
#pragma unroll
    for (int i = 0; i < Q; ++i) of_lane += staged.on[Q + j - i] * prefix.x[i];
#pragma unroll
    for (int w = 0; w < warps - 1; ++w) {
      if (w < warp) of_lane += staged.of_warp[w][j];
    }
    state ahead;
#pragma unroll
    for (int i = 0; i < Q; ++i) {
      ahead.x[i] = shuffle_from(of_lane, i) + (through.x[i] - part.x[i]);
    }
    sums::apply(shared::at(of_block().on, k), ahead.x);
    return ahead;
  }
  template <class Await>
  __device__ void work(char* stage, index_t t, int group, int k, bool, Await await) const {
    state sum = ahead_of_thread(stage, group, k, await);
    [[maybe_unused]] index_t const last =
        Backward ? base::items_of_thread - 1
                 : base::n - 1 - base::first(t) - index_t{k} * base::items_of_thread;
#pragma unroll unrolled
    for (int i = 0; i < vectors; ++i) {
      char* const at = vector_of(stage, k, i);
      auto const x = neighbours<In, 1>::read(at);
      neighbours<Out, 1> y;
#pragma unroll
      for (int e = 0; e < per_vector; ++e) {
        value const before = sums::result(sum.x);
        sums::next(sum.x, value_of(x.get(nth(e))));
        value const through = sums::result(sum.x);
        y.set(nth(e), static_cast<Out>(Inclusive ? through : before));
        if constexpr (!std::same_as<Total, ravel::detail::no_total>) {
          if (i * per_vector + e == last && base::has_last(t, k)) total(through);
        }
      }
      y.write(at);
    }
  }
};

/// Streams sums of a high order.
template <int Q, class T, scan_policy::shape Shape, class Plain, class Seed, class Total>
void stream_high_orders(executor const& ex, index_t n, Plain const& plain, Seed seed, Total total) {
  using In = typename Plain::from;
  using Out = typename Plain::to;
  using flow =
      high_order_flow<T, Q, In, Out, Seed, Total, Plain::inclusive, Plain::backward, Shape>;
  expect_stream<flow>(ex, "scan");
  stream_tiles(ex, n, flow{{plain.in, plain.out, n}, {}, seed, total});
}

}  // namespace ravel::inline v0::gpu::detail
