#pragma once

/// Linear recurrences with constant coefficients over a contiguous sequence of numbers on a device:
/// a flow of core/cuda/tile_stream.cuh.
///
/// To join the carry before a run of elements with the run's result from a zero carry, the carry is
/// multiplied by a power of the matrix A whose exponent is the length of the run
/// (primitives/carried.hpp). These products dominate the cost, so the powers are precomputed.  That
/// is possible because each step of a warp scan joins runs of equal length: within a tile the
/// elements of one thread, beyond it whole tiles.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/cuda/tiles_ahead.cuh>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/scan_types.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The result, from a zero carry, of a number of consecutive runs of equal length.
template <class C>
struct equal_runs {
  typename C::value c[C::size];
  unsigned many;
};

/// The monoid that joins up to Most such runs.
template <class C, int Most>
struct join_equal_runs {
  using state = equal_runs<C>;
  using power = typename C::power;
  static constexpr int squares = std::bit_width(static_cast<unsigned>(Most));
  static constexpr int of_warp = std::bit_width(static_cast<unsigned>(warp_size)) - 1;
  power powers[squares];  // powers for 1, 2, 4, ... runs

  /// Multiplies c by a power, which advances it by the power's number of runs.  Powers are finite,
  /// so products need no special cases.
  static __device__ void apply(power const& a, typename C::value* c) {
    typename C::value made[C::size];
#pragma unroll
    for (int i = 0; i < C::size; ++i) {
      made[i] = a.p[i][0] * c[0];
#pragma unroll
      for (int j = 1; j < C::size; ++j) made[i] += a.p[i][j] * c[j];
    }
#pragma unroll
    for (int i = 0; i < C::size; ++i) c[i] = made[i];
  }
  static __device__ state add(state a, state const& b) {
#pragma unroll
    for (int k = 0; k < C::size; ++k) a.c[k] += b.c[k];
    a.many += b.many;
    return a;
  }

  static RAVEL_HD state identity() { return {}; }
  /// Joins a and b.  In most calls b has a whole number of warps, or less than one: fewer powers
  /// are tested.
  __device__ state operator()(state a, state const& b) const {
    int const first = b.many % warp_size == 0 ? of_warp : 0;
    int const last = b.many < warp_size ? of_warp : squares;
#pragma unroll 1
    for (int k = first; k < last; ++k) {
      if (b.many >> k & 1) apply(powers[k], a.c);
    }
    return add(a, b);
  }
};

}  // namespace detail
}  // namespace ravel::inline v0::gpu

namespace ravel::inline v0::detail {

/// For lanes that have one run each.  The last may have none; its result is then unspecified.
template <class C, class M>
__device__ gpu::detail::equal_runs<C> warp_scan(gpu::detail::equal_runs<C> x, M const& m) {
  unsigned const lane = threadIdx.x % gpu::warp_size;
#pragma unroll
  for (int k = 0; 1 << k < gpu::warp_size; ++k) {
    gpu::detail::equal_runs<C> left = gpu::shuffle_up(x, 1u << k);
    m.apply(m.powers[k], left.c);
    if (lane >= 1u << k) x = m.add(left, x);
  }
  return x;
}
template <class C, class M>
__device__ gpu::detail::equal_runs<C> warp_fold(gpu::detail::equal_runs<C> x, M const& m) {
  unsigned const with = __ballot_sync(gpu::whole_warp, x.many > 0);
  gpu::detail::equal_runs<C> const last =
      gpu::shuffle_from(warp_scan(x, m), with != 0 ? 31 - __clz(with) : 0);
  return with != 0 ? last : m.identity();
}

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0::gpu {
namespace detail {

/// The published state of a tile: its result from a zero carry, as one run.
template <class C>
struct message<equal_runs<C>> : message<ravel::detail::carried_of<C, 1>> {
  using state = equal_runs<C>;
  using carried = ravel::detail::carried_of<C, 1>;
  using plain = message<carried>;
  using typename plain::word;

  static __device__ word pack(unsigned tag, state const& x) {
    carried c;
#pragma unroll
    for (int k = 0; k < C::size; ++k) c.c[0][k] = x.c[k];
    return plain::pack(tag, c);
  }
  static __device__ state value(word w) {
    carried const c = plain::value(w);
    state x{{}, 1};
#pragma unroll
    for (int k = 0; k < C::size; ++k) x.c[k] = c.c[0][k];
    return x;
  }
};

/// Joins tiles, by a warp of the look-ahead.  Each tile of a group of 32 is carried to the end of
/// the group separately, and then they are added.  The powers are in registers: the look-ahead has
/// no time to load them.
template <class C>
struct join_tiles {
  using state = equal_runs<C>;
  using power = typename C::power;
  using equal = join_equal_runs<C, warp_size>;
  power of_group;
  power to_end;  // from the end of the lane's tile to the end of the last lane's

  explicit __device__ join_tiles(equal const& m)
      : of_group(m.powers[equal::of_warp]), to_end(C::none()) {
    unsigned const lanes_after = warp_size - 1 - threadIdx.x % warp_size;
#pragma unroll
    for (int k = 0; k < equal::of_warp; ++k) {
      power const further = C::then(to_end, m.powers[k]);
      if (lanes_after >> k & 1) to_end = further;
    }
  }
  static __device__ state identity() { return {}; }
  /// Joins a with b, which is the same in all lanes: a group, complete or not.
  __device__ state operator()(state a, state const& b) const {
    bool const whole = b.many == warp_size;
    int const lane = whole ? 0 : static_cast<int>(warp_size - 1 - b.many);
    power factor;
#pragma unroll
    for (int i = 0; i < C::size; ++i) {
#pragma unroll
      for (int j = 0; j < C::size; ++j) {
        auto const of_rest = shuffle_from(to_end.p[i][j], lane);
        factor.p[i][j] = whole ? of_group.p[i][j] : of_rest;
      }
    }
    equal::apply(factor, a.c);
    return equal::add(a, b);
  }
};
template <class C, int N>
__device__ void warp_folds(equal_runs<C> (&x)[N], join_tiles<C> const& m) {
  int const lane = static_cast<int>(threadIdx.x % warp_size);
#pragma unroll
  for (int i = 0; i < N; ++i) {
    x[i].many = __popc(__ballot_sync(whole_warp, x[i].many > 0));
    join_tiles<C>::equal::apply(m.to_end, x[i].c);
  }
#pragma unroll
  for (int apart = 1; apart < warp_size; apart *= 2) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
#pragma unroll
      for (int k = 0; k < C::size; ++k) x[i].c[k] += shuffle_from(x[i].c[k], lane ^ apart);
    }
  }
}

/// Joins the threads of a tile, and holds the powers that join tiles.
template <class C, int Threads>
struct join_threads : join_equal_runs<C, Threads> {
  join_equal_runs<C, warp_size> tiles;
};
template <class C, int Threads>
struct pieces_of<join_threads<C, Threads>> {
  using T = equal_runs<C>;
  using monoid = join_tiles<C>;
  static constexpr int count = 1;
  static __device__ monoid of(join_threads<C, Threads> const& m) { return monoid(m.tiles); }
  static __device__ T const& cut(T const& x, int) { return x; }
  static __device__ void put(T& x, int, T const& y) { x = y; }
};

template <class C, class In, class Out, class Seed, bool Inclusive, bool Backward,
          scan_policy::shape Shape>
struct run_flow : between_sequences<In, Out, Backward, Shape> {
  using base = between_sequences<In, Out, Backward, Shape>;
  using monoid = join_threads<C, base::threads>;
  using state = carrier_t<monoid>;
  using part = typename base::values;
  using value = typename C::value;
  static constexpr int count = base::items_of_thread;
  static constexpr int folds_at_once = 1;

  monoid m;
  C of;
  Seed of_seed;

  using base::nth;
  static __device__ value value_of(In const& x) {
    return static_cast<value>(static_cast<typename C::element>(x));
  }

  __device__ state seed() const {
    state first{};
    C::result(first.c) = static_cast<value>(of_seed());
    return first;
  }
  __device__ part take(char const* stage, index_t t, int k) const {
    return base::take_values(stage, t, k, plus<typename C::element>{});
  }
  __device__ state fold(part const& x) const {
    state sum{{}, 1};
#pragma unroll
    for (int e = 0; e < count; ++e) of.next(sum.c, value_of(x.get(nth(e))));
    return sum;
  }
  __device__ void put(char* stage, index_t, int k, part const& x, state ahead, state const&) const {
    typename base::results y;
#pragma unroll
    for (int e = 0; e < count; ++e) {
      value const before = C::result(ahead.c);
      of.next(ahead.c, value_of(x.get(nth(e))));
      y.set(nth(e), static_cast<Out>(Inclusive ? C::result(ahead.c) : before));
    }
    base::put_values(stage, k, y);
  }
};

/// Computes the powers of A for runs of `elements` elements.
template <class C, int Most>
void set_powers(join_equal_runs<C, Most>& m, C const& carry, index_t elements) {
  auto power = ravel::detail::power_of(carry, elements);
  for (auto& square : m.powers) {
    square = power;
    power = carry.then(power, power);
  }
}

}  // namespace detail

template <class Call>
void launch_form(recurrence_streamed, executor const& ex, Call const& c) {
  using scan = detail::recurrence_scan<Call>;
  using plain = typename scan::plain;
  using flow = detail::run_flow<std::remove_cvref_t<decltype(c.m.of)>, typename plain::from,
                                typename plain::to, std::remove_cvref_t<decltype(c.seed.seed)>,
                                plain::inclusive, plain::backward, scan::shape>;
  static_assert(flow::items == scan::items);
  expect_stream<flow>(ex, "linear_recurrence");
  typename flow::monoid m;
  detail::set_powers(m, c.m.of, flow::count);
  detail::set_powers(m.tiles, c.m.of, flow::items);
  plain const between(c.load.load, c.visit.visit);
  stream_tiles(ex, c.n, flow{{between.in, between.out, c.n}, m, c.m.of, c.seed.seed});
}

}  // namespace ravel::inline v0::gpu
