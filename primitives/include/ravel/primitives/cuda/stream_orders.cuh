#pragma once

/// Higher-order prefix sums of a contiguous sequence of integers on a device, as sums of
/// polynomials: a flow of core/cuda/tile_stream.cuh.
///
/// As in primitives/carried.hpp, the carry is a polynomial modulo z^Q, and a step adds x and
/// divides by 1 - z.  So before element n it is
///
///     c(n) = x(0) / (1 - z)^n + x(1) / (1 - z)^(n - 1) + ...
///
/// and c(n) (1 - z)^n is a plain sum: of x(i) (1 - z)^i.  Multiplied so, as if carried back to the
/// first element, the carries of threads, tiles and blocks can be added word by word, whatever the
/// distance between them.  This is exact for integers that wrap around, since binomials wrap around
/// too.

#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/scan_types.hpp>
#include <ravel/primitives/cuda/stream_tuples.cuh>
#include <ravel/primitives/options.hpp>

namespace ravel::inline v0::gpu::detail {

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
RAVEL_HD constexpr unsigned long long inverse_of_odd(unsigned long long d) {
  unsigned long long inverse = d;
  for (int k = 0; k < 5; ++k) inverse *= 2 - d * inverse;
  return inverse;
}

/// The exponent of 2 in the factorisation of a nonzero number.
__device__ inline int twos_of(long long x) {
  auto const low = static_cast<unsigned>(x);
  auto const high = static_cast<unsigned>(static_cast<unsigned long long>(x) >> 32);
  return low != 0 ? __ffs(low) - 1 : 31 + __ffs(high);
}

/// The coefficients of 1 / (1 - z)^n for any n, of either sign: n (n + 1) ... (n + d - 1) / d! for
/// z^d.  Odd parts and powers of 2 are computed separately, because modulo a power of 2 only odd
/// numbers have inverses.
template <class T, int Q>
__device__ auto steps_of_sums(index_t n) {
  using sums = ravel::detail::carried_sums<T, Q>;
  using value = typename sums::value;
  typename sums::power made = sums::none();
  value odd = 1;
  int twos = 0;
  bool zero = false;
#pragma unroll
  for (int d = 1; d < Q; ++d) {
    long long const factor = n + d - 1;
    zero = zero || factor == 0;
    int const of_d = d % 4 == 0 ? 2 : d % 2 == 0 ? 1 : 0;  // exponent of 2 in d < 8
    int const of_factor = twos_of(factor);
    odd *= static_cast<value>(factor >> (zero ? 0 : of_factor)) *
           static_cast<value>(inverse_of_odd(static_cast<unsigned>(d >> of_d)));
    twos += of_factor - of_d;
    made.p[d] = zero || twos >= 8 * static_cast<int>(sizeof(value)) ? value(0) : value(odd << twos);
  }
  return made;
}

/// The powers between the first element of a tile and those of its threads.
template <class T, int Q, int Threads>
struct powers_of_threads {
  using sums = ravel::detail::carried_sums<T, Q>;
  using value = typename sums::value;
  using power = typename sums::power;
  value back[Q][Threads];  // to the first element of the tile
  value on[Q][Threads];    // from it to the first one of the thread

  __device__ void set(int k, power const& to_first, power const& from_first) {
#pragma unroll
    for (int d = 0; d < Q; ++d) {
      back[d][k] = to_first.p[d];
      on[d][k] = from_first.p[d];
    }
  }
  static __device__ power at(value const (&table)[Q][Threads], index_t k) {
    power made = sums::none();
#pragma unroll
    for (int d = 1; d < Q; ++d) made.p[d] = table[d][k];
    return made;
  }
};

template <class T, int Q, int S, class In, class Out, class Seed, class Total, bool Inclusive,
          bool Backward, scan_policy::shape Shape>
struct order_flow : between_sequences<In, Out, Backward, Shape> {
  using sums = ravel::detail::carried_sums<T, Q>;
  using value = typename sums::value;
  using power = typename sums::power;
  using base = between_sequences<In, Out, Backward, Shape>;
  using monoid = ravel::detail::tuple_monoid<plus<value>, Q * S>;
  using state = carrier_t<monoid>;
  using places = places_in_tuples<S, base::items_of_thread, base::items, Backward>;
  static constexpr int count = base::items_of_thread;
  static constexpr int folds_at_once = 1;

  /// Without tuples the position of a thread in its tile is the same in every tile.  So a block
  /// computes once the powers that carry between a tile's first element and its threads.  For each
  /// tile a reducer computes those between the sequence's first element and the tile's, and stores
  /// them after the tile's elements.
  static constexpr bool by_tile = S == 1;
  using powers = powers_of_threads<T, Q, base::threads>;
  using shared = std::conditional_t<by_tile, powers, typename base::shared>;
  static constexpr std::size_t stage_bytes =
      base::tile_bytes + (by_tile ? (sizeof(power) + 15) / 16 * 16 : 0);

  struct part {
    typename base::values x;
    // the place of the thread's first element in its tuple, in scan order; k without tuples
    index_t first;
  };
  struct carried {
    value c[Q];
  };

  monoid m;
  Seed of_seed;
  Total total;
  int first_of_all;

  using base::nth;
  static __device__ value value_of(In const& x) { return static_cast<value>(static_cast<T>(x)); }
  static __device__ powers& of_threads() { return *reinterpret_cast<powers*>(shared_bytes()); }

  __device__ void prepare() const {
    if constexpr (by_tile) {
      int const k = static_cast<int>(threadIdx.x);
      if (k >= base::threads) return;
      of_threads().set(k, steps_of_sums<T, Q>(-(index_t{k} + 1) * count),
                       steps_of_sums<T, Q>(index_t{k} * count));
    }
  }
  __device__ state to_publish(char* stage, index_t t, state total) const {
    if constexpr (by_tile) {
      // Half of the lanes compute the power forward, the others the power backward.
      bool const on = threadIdx.x % warp_size < warp_size / 2;
      power const of_tile = steps_of_sums<T, Q>(on ? t * base::items : -t * base::items);
      if (threadIdx.x % warp_size == 0)
        *reinterpret_cast<power*>(stage + base::tile_bytes) = of_tile;
      sums::apply(of_tile, total.x);
      return shuffle_from(total, warp_size - 1);
    } else {
      return total;
    }
  }
  __device__ state from_published(char const* stage, state ahead) const {
    if constexpr (by_tile) {
      sums::apply(*reinterpret_cast<power const*>(stage + base::tile_bytes), ahead.x);
    }
    return ahead;
  }

  __device__ state seed() const {
    state first = m.identity();
    for (int s = 0; s < S; ++s) first.x[s * Q + Q - 1] = static_cast<value>(T(of_seed()));
    return first;
  }
  __device__ part take(char const* stage, index_t t, int k) const {
    return {base::take_values(stage, t, k, plus<T>{}),
            by_tile ? index_t{k} : first_of_all + t * base::items + k * count};
  }
  __device__ state fold(part const& x) const {
    carried c[S] = {};
#pragma unroll
    for (int e = 0; e < count; ++e) sums::next(c[e % S].c, value_of(x.x.get(nth(e))));
    if constexpr (by_tile) {
      sums::apply(powers::at(of_threads().back, x.first), c[0].c);
    } else {
#pragma unroll
      for (int s = 0; s < S; ++s) {
        sums::apply(steps_of_sums<T, Q>(-((x.first + s) / S + (count - s + S - 1) / S)), c[s].c);
      }
      places::rotate(c, static_cast<int>(x.first % S));
    }
    state sum;
#pragma unroll
    for (int k = 0; k < Q * S; ++k) sum.x[k] = c[k / Q].c[k % Q];
    return sum;
  }
  __device__ void put(char* stage, index_t t, int k, part const& x, state const& ahead,
                      state const&) const {
    carried c[S];
#pragma unroll
    for (int j = 0; j < Q * S; ++j) c[j / Q].c[j % Q] = ahead.x[j];
    if constexpr (by_tile) {
      sums::apply(powers::at(of_threads().on, k), c[0].c);
    } else {
      places::rotate_back(c, static_cast<int>(x.first % S));
#pragma unroll
      for (int s = 0; s < S; ++s) sums::apply(steps_of_sums<T, Q>((x.first + s) / S), c[s].c);
    }
    [[maybe_unused]] index_t const last =
        Backward ? count - 1 : base::n - 1 - base::first(t) - index_t{k} * count;
    typename base::results y;
#pragma unroll
    for (int e = 0; e < count; ++e) {
      value const before = sums::result(c[e % S].c);
      sums::next(c[e % S].c, value_of(x.x.get(nth(e))));
      value const through = sums::result(c[e % S].c);
      y.set(nth(e), static_cast<Out>(Inclusive ? through : before));
      if constexpr (!std::same_as<Total, ravel::detail::no_total>) {
        if (e == last && base::has_last(t, k)) total(through);
      }
    }
    base::put_values(stage, k, y);
  }
};

/// Streams prefix sums of order Q.
template <int Q, int S, class T, scan_policy::shape Shape, class Plain, class Seed, class Total>
void stream_orders(executor const& ex, index_t n, Plain const& plain, Seed seed, Total total) {
  using In = typename Plain::from;
  using Out = typename Plain::to;
  using flow = order_flow<T, Q, S, In, Out, Seed, Total, Plain::inclusive, Plain::backward, Shape>;
  expect_stream<flow>(ex, "scan");
  stream_tiles(ex, n,
               flow{{plain.in, plain.out, n}, {}, seed, total, flow::places::first_of_all(n)});
}

}  // namespace ravel::inline v0::gpu::detail
