#pragma once

/// Segmented scan of a contiguous sequence of numbers on a device, by head bits, head flags, keys
/// or offsets: a flow of core/cuda/tile_stream.cuh.
///
/// A tile's stage holds the values and, beside them, the data that gives head flags.  Each thread
/// reads a bit for each of its elements, and the scan is over values with flags.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/heads_of_offsets.cuh>
#include <ravel/primitives/cuda/heads_of_tile.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/segmented_scan/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The adjacent elements of a thread, and a bit for each that begins a segment.
template <class Values>
struct values_and_heads {
  Values values;
  unsigned heads;
};

/// The flow.  Forward, the scan starts from the seed at each head.  Backward, a head is scanned
/// last in its segment, and the carry after it is the seed.
template <class In, class Out, class M, class Seed, class Begins, bool Inclusive, bool Backward,
          scan_policy::shape Shape>
struct segmented_scan_flow : between_sequences<In, Out, Backward, Shape> {
  using base = between_sequences<In, Out, Backward, Shape>;
  using monoid = segmented<M>;
  using heads = heads_of_tile<Begins, base::items, base::items_of_thread>;
  using part = values_and_heads<typename base::values>;
  using T = carrier_t<M>;
  static constexpr std::size_t stage_bytes = base::tile_bytes + heads::bytes;
  static constexpr int markers = heads::markers;
  static constexpr int drawn_ahead = heads::drawn_ahead;

  monoid m;
  Seed ahead_of_segment;
  Begins begins;

  __device__ flagged<T> seed() const {
    if constexpr (Backward) {
      return {T(ahead_of_segment()), false};
    } else {
      return m.identity();
    }
  }
  using base::nth;

  __device__ void load(char* stage, index_t t, barrier& landed) const {
    unsigned const bytes = base::load_values(stage, t, landed);
    landed.arrive_and_expect(bytes + heads::load(begins, stage + base::tile_bytes, base::first(t),
                                                 base::items_of(t), landed));
  }
  template <class Await>
  __device__ void mark(char* stage, index_t t, Await await) const {
    heads::mark(begins, stage + base::tile_bytes, base::from_begin(t), await);
  }
  __device__ part take(char const* stage, index_t t, int k) const {
    part x{base::take_values(stage, t, k, m.m),
           heads::read(begins, stage + base::tile_bytes, base::place(k))};
    if constexpr (Backward) {
      // Elements past the end have undefined flags: they must begin no segment.
      int const rest = base::items_of(t) - base::place(k) * base::items_of_thread;
      if (rest < base::items_of_thread) x.heads &= rest > 0 ? (1u << rest) - 1 : 0;
    } else {
      if (t == 0 && k == 0) x.heads |= 1;
    }
    return x;
  }
  /// The first value of a segment: combined with the seed, if there is one.
  __device__ T begin(T const& x) const {
    if constexpr (std::same_as<Seed, ravel::detail::seed_identity<M>>) {
      return x;
    } else {
      return m.m(T(ahead_of_segment()), x);
    }
  }
  __device__ flagged<T> fold(part const& x) const {
    T sum = m.m.identity();
    if (x.heads == 0) {
#pragma unroll
      for (int e = 0; e < base::items_of_thread; ++e) sum = m.m(sum, T(x.values.get(nth(e))));
    } else {
#pragma unroll
      for (int e = 0; e < base::items_of_thread; ++e) {
        T const y = T(x.values.get(nth(e)));
        bool const head = x.heads >> nth(e) & 1;
        if constexpr (Backward) {
          sum = head ? T(ahead_of_segment()) : m.m(sum, y);
        } else {
          sum = head ? begin(y) : m.m(sum, y);
        }
      }
    }
    return {sum, x.heads != 0};
  }
  __device__ void put(char* stage, index_t, int k, part const& x, flagged<T> const& ahead,
                      flagged<T> const&) const {
    typename base::results y;
    T sum = ahead.value;
#pragma unroll
    for (int e = 0; e < base::items_of_thread; ++e) {
      T const value = T(x.values.get(nth(e)));
      bool const head = x.heads >> nth(e) & 1;
      if constexpr (Backward) {
        T const through = m.m(sum, value);
        y.set(nth(e), static_cast<Out>(Inclusive ? through : sum));
        sum = head ? T(ahead_of_segment()) : through;
      } else {
        T const through = head ? begin(value) : m.m(sum, value);
        y.set(nth(e), static_cast<Out>(Inclusive ? through : head ? T(ahead_of_segment()) : sum));
        sum = through;
      }
    }
    base::put_values(stage, k, y);
  }
};

}  // namespace detail

template <class Call>
void launch_form(segments_streamed, executor const& ex, Call const& c) {
  using stream = detail::segmented_stream<Call>;
  using M = std::remove_const_t<decltype(c.m)>;
  // Commutative monoids are used without a flip, so that traits of the named monoid apply.
  using in_order = std::conditional_t<Call::backward && !commutes<M>, flipped<M>, M>;
  using Seed = std::remove_const_t<decltype(c.seed)>;
  using flow = detail::segmented_scan_flow<typename stream::in, typename stream::out, in_order,
                                           Seed, typename stream::heads, stream::plain::inclusive,
                                           Call::backward, stream::shape>;
  expect_stream<flow>(ex, "segmented scan");
  detail::begins_of<std::remove_const_t<decltype(c.segments)>> const heads(ex, c.n, flow::items,
                                                                           c.segments);
  stream_tiles(ex, c.n, flow{{c.load.data, c.visit.to, c.n}, {in_order{c.m}}, c.seed, heads.get()});
}

}  // namespace ravel::inline v0::gpu
