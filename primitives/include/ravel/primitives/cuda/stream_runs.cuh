#pragma once

/// @file
/// Linear recurrences with constant coefficients of a plain sequence of numbers on a device: a
/// flow through core/cuda/tile_stream.cuh.
///
/// What is ahead of a run and what the run makes of zeros are joined through the power of A
/// that the run is long (primitives/carried.hpp).  A run is of whole threads, so that the
/// squares of squares of one power make all others; it is as long as its count of threads
/// says, which need not be published, for whoever asks for a tile knows how long tiles are.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/cuda/tiles_ahead.cuh>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/plain_scan.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/options.hpp>

#include <bit>
#include <concepts>
#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

/// What the elements of so many threads make of zeros.  A tile has Threads of them.
template <class C, int Threads>
struct run_of_threads {
  typename C::value c[C::size];
  unsigned threads;
};

template <class C, int Threads>
struct join_threads {
  using state = run_of_threads<C, Threads>;
  static constexpr int squares = std::bit_width(32u * Threads);  // 32 tiles are the longest run
  C of;
  typename C::power power[squares];  // of 1, 2, 4, ... threads

  static RAVEL_HD state identity() { return {}; }
  __device__ state operator()(state a, state const& b) const {
#pragma unroll
    for (int k = 0; k < squares; ++k) {
      if (b.threads >> k & 1) of.apply(power[k], a.c);
    }
#pragma unroll
    for (int k = 0; k < C::size; ++k) a.c[k] += b.c[k];
    a.threads += b.threads;
    return a;
  }
};

/// A whole tile is published without its length.
template <class C, int Threads>
struct message<run_of_threads<C, Threads>> {
  using state = run_of_threads<C, Threads>;
  using carried = ravel::detail::carried_of<C, 1>;
  using plain = message<carried>;
  using word = typename plain::word;
  using layout = typename plain::layout;

  static __device__ word pack(unsigned tag, state const& x) {
    carried c;
#pragma unroll
    for (int k = 0; k < C::size; ++k) c.c[0][k] = x.c[k];
    return plain::pack(tag, c);
  }
  static __device__ unsigned tag(word w) { return plain::tag(w); }
  static __device__ state value(word w) {
    carried const c = plain::value(w);
    state x{{}, Threads};
#pragma unroll
    for (int k = 0; k < C::size; ++k) x.c[k] = c.c[0][k];
    return x;
  }
};

template <class C, class In, class Out, class Seed, bool Inclusive, bool Backward>
struct run_flow
    : between_sequences<In, Out, Backward, scan_policy::streamed_carrying(sizeof(In), 0)> {
  using base = between_sequences<In, Out, Backward, scan_policy::streamed_carrying(sizeof(In), 0)>;
  using monoid = join_threads<C, base::threads>;
  using state = carrier_t<monoid>;
  using part = typename base::values;
  using value = typename C::value;
  static constexpr int count = base::items_of_thread;
  static constexpr std::size_t stage_bytes = base::tile_bytes;

  monoid m;
  Seed of_seed;

  static constexpr __device__ int nth(int e) { return Backward ? count - 1 - e : e; }
  static __device__ value value_of(In const& x) {
    return static_cast<value>(static_cast<typename C::element>(x));
  }

  __device__ state seed() const {
    state first{};
    C::result(first.c) = static_cast<value>(of_seed());
    return first;
  }
  __device__ void load(char* stage, index_t t, barrier& landed) const {
    landed.arrive_and_expect(base::load_values(stage, t, landed));
  }
  __device__ part take(char const* stage, index_t t, int k) const {
    return base::take_values(stage, t, k, plus<typename C::element>{});
  }
  __device__ state fold(part const& x) const {
    state sum{{}, 1};
#pragma unroll
    for (int e = 0; e < count; ++e) m.of.next(sum.c, value_of(x.get(nth(e))));
    return sum;
  }
  __device__ void put(char* stage, index_t, int k, part const& x, state ahead, state const&) const {
    typename base::results y;
#pragma unroll
    for (int e = 0; e < count; ++e) {
      value const before = C::result(ahead.c);
      m.of.next(ahead.c, value_of(x.get(nth(e))));
      y.set(nth(e), static_cast<Out>(Inclusive ? C::result(ahead.c) : before));
    }
    base::put_values(stage, k, y);
  }
};

/// Streams a recurrence if that can be done and pays; returns whether it did.
template <class C, class Plain, class Seed>
bool stream_runs(executor const& ex, index_t n, Plain const& plain, C const& of, Seed seed) {
  using In = typename Plain::from;
  using Out = typename Plain::to;
  // Backward a tile that is not whole comes first, and would carry the seed too far.
  using zero = ravel::detail::seed_identity<plus<typename C::element>>;
  constexpr bool from_zero = std::same_as<Seed, zero>;
  if constexpr (can_flow<In, Out, typename C::element> &&
                sizeof(typename C::value) * C::size <= 12 && (from_zero || !Plain::backward)) {
    using flow = run_flow<C, In, Out, Seed, Plain::inclusive, Plain::backward>;
    if (n * static_cast<index_t>(sizeof(In)) < scan_policy::streamed_bytes ||
        !may_be_copied_in_bulk(plain.in, plain.out) || !can_stream<flow>(ex)) {
      return false;
    }
    typename flow::monoid m{of, {}};
    auto power = ravel::detail::power_of(of, flow::count);
    for (auto& square : m.power) {
      square = power;
      power = of.then(power, power);
    }
    if (!of.is_finite(m.power[flow::monoid::squares - 1])) return false;
    stream_tiles(ex, n, flow{{plain.in, plain.out, n}, m, seed});
    return true;
  }
  return false;
}

}  // namespace detail
}  // namespace ravel::inline v0::cuda
