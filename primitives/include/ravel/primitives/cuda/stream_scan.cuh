#pragma once

/// @file
/// Scan on a device of numbers, or of what a load makes of numbers, into a plain sequence:
/// a flow through core/cuda/tile_stream.cuh.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/in_thread.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

template <class Load, class Out, class M, class Seed, class Total, bool Inclusive, bool Backward>
struct scan_flow
    : between_sequences<element_of_load<Load>, Out, Backward, scan_policy::streamed(sizeof(Out))> {
  static constexpr auto shape = scan_policy::streamed(sizeof(Out));
  using base = between_sequences<element_of_load<Load>, Out, Backward, shape>;
  using monoid = M;
  using V = value_of_load<Load>;
  using values = neighbours<V, shape.vectors>;
  using by = in_thread<V, Out, M, shape.vectors>;
  using T = carrier_t<M>;
  static constexpr std::size_t stage_bytes = base::tile_bytes;

  Load load_one;
  M m;
  Seed seed;
  Total total;

  __device__ void load(char* stage, index_t t, barrier& landed) const {
    landed.arrive_and_expect(base::load_values(stage, t, landed));
  }
  __device__ values take(char const* stage, index_t t, int k) const {
    if constexpr (loads_as_it_is<Load>) {
      return base::take_values(stage, t, k, m);
    } else {
      return base::take_made(stage, t, k, load_one, m);
    }
  }
  __device__ T fold(values const& x) const { return by::template fold<Backward>(x, m); }
  __device__ void put(char* stage, index_t t, int k, values const& x, T const& ahead,
                      T const&) const {
    typename base::results y;
    T const through = by::template scan<Inclusive, Backward>(x, m, ahead, y);
    base::put_values(stage, k, y);
    if (base::has_last(t, k)) total(through);
  }
};

/// Streams a scan if that can be done and pays; returns whether it did.
template <bool Inclusive, bool Backward, class Load, class Out, class M, class Seed, class Total>
bool stream_scan(executor const& ex, index_t n, Load load, Out* out, M m, Seed seed, Total total) {
  if constexpr (can_flow_of<Load, Out, carrier_t<M>>) {
    using flow = scan_flow<Load, Out, M, Seed, Total, Inclusive, Backward>;
    if (n * static_cast<index_t>(sizeof(Out)) >= scan_policy::streamed_bytes &&
        may_be_copied_in_bulk(load.elements(), out) && can_stream<flow>(ex)) {
      stream_tiles(ex, n, flow{{load.elements(), out, n}, load, m, seed, total});
      return true;
    }
  }
  return false;
}

}  // namespace detail
}  // namespace ravel::inline v0::cuda
