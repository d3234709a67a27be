#pragma once

/// @file
/// Scan of a plain sequence of numbers on a device: a flow through
/// core/cuda/tile_stream.cuh.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/in_thread.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

template <class In, class Out, class M, class Seed, class Total, bool Inclusive, bool Backward>
struct scan_flow : between_sequences<In, Out, Backward, scan_policy::streamed(sizeof(In))> {
  using base = between_sequences<In, Out, Backward, scan_policy::streamed(sizeof(In))>;
  using monoid = M;
  using by = in_thread<In, Out, M, scan_policy::streamed(sizeof(In)).vectors>;
  using T = carrier_t<M>;
  static constexpr std::size_t stage_bytes = base::tile_bytes;

  M m;
  Seed seed;
  Total total;

  __device__ void load(char* stage, index_t t, barrier& landed) const {
    landed.arrive_and_expect(base::load_values(stage, t, landed));
  }
  __device__ auto take(char const* stage, index_t t, int k) const {
    return base::take_values(stage, t, k, m);
  }
  __device__ T fold(typename base::values const& x) const {
    return by::template fold<Backward>(x, m);
  }
  __device__ void put(char* stage, index_t t, int k, typename base::values const& x, T const& ahead,
                      T const&) const {
    typename base::results y;
    T const through = by::template scan<Inclusive, Backward>(x, m, ahead, y);
    base::put_values(stage, k, y);
    if (base::has_last(t, k)) total(through);
  }
};

/// Streams a scan if that can be done and pays; returns whether it did.
template <bool Inclusive, bool Backward, class In, class Out, class M, class Seed, class Total>
bool stream_scan(executor const& ex, index_t n, In const* in, Out* out, M m, Seed seed,
                 Total total) {
  if constexpr (can_flow<In, Out, carrier_t<M>>) {
    using flow = scan_flow<In, Out, M, Seed, Total, Inclusive, Backward>;
    if (n * static_cast<index_t>(sizeof(In)) >= scan_policy::streamed_bytes &&
        may_be_copied_in_bulk(in, out) && can_stream<flow>(ex)) {
      stream_tiles(ex, n, flow{{in, out, n}, m, seed, total});
      return true;
    }
  }
  return false;
}

}  // namespace detail
}  // namespace ravel::inline v0::cuda
