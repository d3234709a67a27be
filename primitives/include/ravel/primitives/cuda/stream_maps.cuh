#pragma once

/// Linear recurrences with a coefficient for each element on a device: a flow of
/// core/cuda/tile_stream.cuh whose tiles hold two sequences.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>

#include <cstddef>

namespace ravel::inline v0::gpu {
namespace detail {

/// The flow.  A stage holds a tile of `in`, followed by a tile of the coefficients.
template <class T, class A, class In, class Out, class Seed, bool Backward>
struct map_flow : between_sequences<In, Out, Backward, scan_policy::streamed_pairs> {
  using base = between_sequences<In, Out, Backward, scan_policy::streamed_pairs>;
  using factors = between_sequences<A, Out, Backward, scan_policy::streamed_pairs>;
  using value = ravel::detail::wrapping_t<T>;
  using monoid = ravel::detail::compose_maps<value>;
  using state = carrier_t<monoid>;
  static constexpr int count = base::items_of_thread;
  static constexpr std::size_t stage_bytes = 2 * base::tile_bytes;
  struct part {
    typename base::values in;
    typename factors::values a;
  };

  A const* a;
  monoid m;
  Seed seed;

  using base::nth;
  static __device__ state map_of(part const& x, int i) {
    return {static_cast<value>(static_cast<T>(x.a.get(i))),
            static_cast<value>(static_cast<T>(x.in.get(i)))};
  }
  __device__ factors of_factors() const { return {a, base::out, base::n}; }

  __device__ void load(char* stage, index_t t, barrier& landed) const {
    unsigned const bytes = base::load_values(stage, t, landed);
    landed.arrive_and_expect(bytes + of_factors().load_values(stage + base::tile_bytes, t, landed));
  }
  __device__ part take(char const* stage, index_t t, int k) const {
    return {base::take_values(stage, t, k, plus<In>{}),
            of_factors().take_values(stage + base::tile_bytes, t, k, multiplies<A>{})};
  }
  /// The next value, computed as a serial loop would: the special cases of the monoid are only for
  /// products of coefficients.
  static __device__ value image(state const& f, value const& y) { return f.a * y + f.b; }
  __device__ state fold(part const& x) const {
    state sum = map_of(x, nth(0));
#pragma unroll
    for (int e = 1; e < count; ++e) {
      state const f = map_of(x, nth(e));
      sum = {f.a * sum.a, image(f, sum.b)};
    }
    return sum;
  }
  __device__ void put(char* stage, index_t, int k, part const& x, state ahead, state const&) const {
    typename base::results y;
#pragma unroll
    for (int e = 0; e < count; ++e) {
      ahead.b = image(map_of(x, nth(e)), ahead.b);
      y.set(nth(e), static_cast<Out>(ahead.b));
    }
    base::put_values(stage, k, y);
  }
};

template <class Call, class T, class A, class In, class Out>
void stream_maps(executor const& ex, Call const& c, ravel::detail::load_map<T, A, In> load,
                 ravel::detail::write_image<Out> visit) {
  using flow = map_flow<T, A, In, Out, decltype(c.seed), Call::shape.backward>;
  expect_stream<flow>(ex, "linear_recurrence");
  stream_tiles(ex, c.n, flow{{load.in, visit.to, c.n}, load.a, {}, c.seed});
}

}  // namespace detail

template <class Call>
void launch_form(recurrence_of_maps_streamed, executor const& ex, Call const& c) {
  detail::stream_maps(ex, c, detail::load_in_memory(c), detail::visit_in_memory(c));
}

}  // namespace ravel::inline v0::gpu
