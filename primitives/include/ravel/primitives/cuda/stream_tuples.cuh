#pragma once

/// Scan of the tuples in a contiguous sequence of numbers on a device: a flow of
/// core/cuda/tile_stream.cuh.
///
/// Tiles are the same as without tuples, and may begin at any place of a tuple.  A thread reduces
/// its elements by place, relative to its first element, and then rotates the result so that places
/// are those in the sequence's tuples.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/cuda/tiles_ahead.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/scan_types.hpp>
#include <ravel/primitives/tuples.hpp>

#include <numeric>

namespace ravel::inline v0 {
namespace detail {

/// warp_scan of tuples, place by place: this takes fewer registers than a scan of whole tuples, and
/// for some monoids one instruction.
template <class T, int S, class M>
__device__ tuple_of<T, S> warp_scan(tuple_of<T, S> x, tuple_monoid<M, S> m) {
#pragma unroll
  for (int k = 0; k < S; ++k) x.x[k] = gpu::warp_scan(x.x[k], m.m);
  return x;
}
template <class T, int S, class M>
__device__ tuple_of<T, S> warp_fold(tuple_of<T, S> x, tuple_monoid<M, S> m) {
#pragma unroll
  for (int k = 0; k < S; ++k) x.x[k] = gpu::warp_fold(x.x[k], m.m);
  return x;
}

}  // namespace detail

namespace gpu::detail {

/// How tuples that do not fit in a word are published: in pieces of as many places as fit in a
/// word; or in two words, if single words would waste space and be too many.
template <class M, int S>
requires(sizeof(carrier_t<M>) * S > 12 && sizeof(carrier_t<M>) <= 12)  //
    struct pieces_of<ravel::detail::tuple_monoid<M, S>> {
  static constexpr int size = static_cast<int>(sizeof(carrier_t<M>));
  static constexpr int places = 12 % size != 0 && S * size > 40 ? 24 / size : 12 / size;
  static constexpr int count = (S + places - 1) / places;
  using monoid = ravel::detail::tuple_monoid<M, places>;
  using T = ravel::detail::tuple_of<carrier_t<M>, S>;
  using piece = carrier_t<monoid>;

  static __device__ monoid of(ravel::detail::tuple_monoid<M, S> const& m) { return {m.m}; }
  static __device__ piece cut(T const& x, int p) {
    piece y;
#pragma unroll
    for (int k = 0; k < places; ++k) y.x[k] = x.x[p * places + k < S ? p * places + k : S - 1];
    return y;
  }
  static __device__ void put(T& x, int p, piece const& y) {
#pragma unroll
    for (int k = 0; k < places; ++k) {
      if (p * places + k < S) x.x[p * places + k] = y.x[k];
    }
  }
};

/// The places in S-tuples of a thread's adjacent elements; a thread has Count of them, and a tile
/// Items.
template <int S, int Count, int Items, bool Backward>
struct places_in_tuples {
  static constexpr int unit = Backward ? 1 : std::gcd(std::gcd(Count, Items), S);

  /// The place of the very first element.  Backward, the first tile may be incomplete, and then
  /// begins before the sequence.
  static int first_of_all(index_t n) {
    index_t const ahead = Backward ? div_up(n, index_t{Items}) * Items - n : 0;
    return static_cast<int>((S - ahead % S) % S);
  }
  /// The place of the first element of thread k of tile t.
  static __device__ int first(int first_of_all, unsigned t, int k) {
    return (first_of_all + static_cast<int>(t % S) * (Items % S) + k * (Count % S)) % S;
  }

  /// Rotates: x[j] moves to x[(j + distance) % S].
  template <class X>
  static __device__ void rotate(X (&x)[S], int distance) {
#pragma unroll
    for (int step = unit; step < S; step *= 2) {
      if (distance / unit & step / unit) rotate_by(x, step);
    }
  }
  /// The inverse rotation.
  template <class X>
  static __device__ void rotate_back(X (&x)[S], int distance) {
#pragma unroll
    for (int step = unit; step < S; step *= 2) {
      if (distance / unit & step / unit) rotate_by(x, S - step);
    }
  }

 private:
  template <class X>
  static __device__ void rotate_by(X (&x)[S], int step) {
    X was[S];
#pragma unroll
    for (int j = 0; j < S; ++j) was[j] = x[j];
#pragma unroll
    for (int j = 0; j < S; ++j) x[(j + step) % S] = was[j];
  }
};

template <int S, class In, class Out, class M, class Seed, bool Inclusive, bool Backward,
          scan_policy::shape Shape>
struct tuple_flow : between_sequences<In, Out, Backward, Shape> {
  using base = between_sequences<In, Out, Backward, Shape>;
  using monoid = ravel::detail::tuple_monoid<M, S>;
  using T = carrier_t<M>;
  using state = carrier_t<monoid>;
  using places = places_in_tuples<S, base::items_of_thread, base::items, Backward>;
  struct part {
    typename base::values x;
    int first;  // the place of the first element, in the order of the scan
  };

  monoid m;
  Seed seed;
  int first_of_all;

  using base::nth;
  __device__ part take(char const* stage, index_t t, int k) const {
    return {base::take_values(stage, t, k, m.m),
            places::first(first_of_all, static_cast<unsigned>(t), k)};
  }
  __device__ state fold(part const& x) const {
    state sum = m.identity();
#pragma unroll
    for (int e = 0; e < base::items_of_thread; ++e) {
      T const value = T(x.x.get(nth(e)));
      sum.x[e % S] = e < S ? value : m.m(sum.x[e % S], value);
    }
    places::rotate(sum.x, x.first);
    return sum;
  }
  __device__ void put(char* stage, index_t, int k, part const& x, state ahead, state const&) const {
    places::rotate_back(ahead.x, x.first);
    typename base::results y;
#pragma unroll
    for (int e = 0; e < base::items_of_thread; ++e) {
      T const before = ahead.x[e % S];
      T const through = m.m(before, T(x.x.get(nth(e))));
      y.set(nth(e), static_cast<Out>(Inclusive ? through : before));
      ahead.x[e % S] = through;
    }
    base::put_values(stage, k, y);
  }
};

/// Streams a scan of tuples.
template <int S, scan_policy::shape Shape, class Plain, class M, class Seed>
void stream_tuples(executor const& ex, index_t n, Plain const& plain, M m, Seed seed) {
  using In = typename Plain::from;
  using Out = typename Plain::to;
  using flow = tuple_flow<S, In, Out, M, Seed, Plain::inclusive, Plain::backward, Shape>;
  expect_stream<flow>(ex, "scan");
  stream_tiles(ex, n, flow{{plain.in, plain.out, n}, {m}, seed, flow::places::first_of_all(n)});
}

}  // namespace gpu::detail
}  // namespace ravel::inline v0
