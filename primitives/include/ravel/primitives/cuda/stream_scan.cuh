#pragma once

/// Scan of contiguous numbers to contiguous numbers on a device, with any load and visit: a flow of
/// core/cuda/tile_stream.cuh.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/thread_scan.cuh>
#include <ravel/primitives/scan/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

template <class Load, class Visit, class M>
inline constexpr scan_policy::shape shape_of_scan = [] {
  using Out = written_by<Visit>;
  if constexpr (sizeof(Out) == 1) {
    if (ravel::detail::written<Visit>::made || combines_one_by_one<value_of_load<Load>, Out, M>) {
      return scan_policy::streamed_bytes;
    }
  }
  return scan_policy::streamed(sizeof(Out), commutes<M>);
}();

template <class Load, class Visit, class M, class Seed, class Total, bool Backward>
struct scan_flow : between_sequences<element_of_load<Load>, written_by<Visit>, Backward,
                                     shape_of_scan<Load, Visit, M>> {
  using Out = written_by<Visit>;
  static constexpr auto shape = shape_of_scan<Load, Visit, M>;
  using base = between_sequences<element_of_load<Load>, Out, Backward, shape>;
  using monoid = M;
  using V = value_of_load<Load>;
  using values = neighbours<V, shape.vectors>;
  using T = carrier_t<M>;

  Load load_one;
  Visit visit;
  M m;
  Seed seed;
  Total total;

  __device__ values take(char const* stage, index_t t, int k) const {
    if constexpr (loads_as_it_is<Load>) {
      return base::take_values(stage, t, k, m);
    } else {
      return base::take_made(stage, t, k, load_one, m);
    }
  }
  __device__ T fold(values const& x) const {
    return in_thread<V, Out, M, shape.vectors>::template fold<Backward>(x, m);
  }
  __device__ void put(char* stage, index_t t, int k, values const& x, T const& ahead,
                      T const&) const {
    int const of_tile = base::place(k) * base::items_of_thread;
    typename base::results y;
    T const through = scan_to<Backward>(visit, x, base::first(t) + of_tile,
                                        base::items_of(t) - of_tile, m, ahead, y);
    base::put_values(stage, k, y);
    if (base::has_last(t, k)) total(through);
  }
};

}  // namespace detail

template <class Call>
void launch_form(scan_streamed, executor const& ex, Call const& c) {
  auto const load = detail::load_in_memory(c);
  auto const visit = detail::visit_in_memory(c);
  using flow =
      detail::scan_flow<std::remove_const_t<decltype(load)>, std::remove_const_t<decltype(visit)>,
                        decltype(c.m), decltype(c.seed), decltype(c.total), Call::shape.backward>;
  expect_stream<flow>(ex, "scan");
  stream_tiles(ex, c.n, flow{{load.elements(), visit.to, c.n}, load, visit, c.m, c.seed, c.total});
}

}  // namespace ravel::inline v0::gpu
