#pragma once

/// Scan then pack of a long sequence of numbers on a device: a flow of core/cuda/pack_stream.cuh.

#include <ravel/core/cuda/pack_stream.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/scan_then_pack/call.hpp>

namespace ravel::inline v0::gpu::detail {

template <class In, class U, class Load, class M, class Seed, class Step, class Total,
          scan_policy::shape Shape>
struct scan_then_pack_flow : between_sequences<In, In, false, Shape> {
  using base = between_sequences<In, In, false, Shape>;
  using values = typename base::values;
  using monoid = M;
  using T = carrier_t<M>;
  static constexpr std::size_t stage_bytes = base::tile_bytes;
  static constexpr int own = base::items_of_thread;
  static_assert(own <= 32 && sizeof(U) <= sizeof(In));

  Load load_one;
  M m;
  Seed seed;
  Step step;
  write_kept<U> visit;
  Total total;

  /// What a thread holds of a tile: adjacent elements, from element `first` of the sequence on.  Those
  /// after the first `rest` are past the end.  A bit of `kept` is set for each element that is kept.
  struct part {
    values x;
    index_t first;
    int rest;
    unsigned kept;
  };

  __device__ void load(char* stage, index_t t, barrier& landed) const {
    landed.arrive_and_expect(base::load_values(stage, t, landed));
  }
  __device__ part take(char const* stage, index_t t, int k) const {
    return {values::read(stage + k * base::bytes_of_thread), base::first(t) + k * own,
            base::items_of(t) - k * own, 0};
  }

  __device__ T fold(part const& p) const {
    return p.rest >= own ? fold_some<true>(p) : fold_some<false>(p);
  }
  __device__ int keep(part& p, T const& ahead) const {
    p.kept = p.rest >= own ? kept_of<true>(p, ahead) : kept_of<false>(p, ahead);
    return __popc(p.kept);
  }
  __device__ void put(char* stage, part const& p, T const& ahead, int place) const {
    U* const target = reinterpret_cast<U*>(stage) + place;
    if (p.rest >= own) {
      put_some<true>(target, p, ahead);
    } else {
      put_some<false>(target, p, ahead);
    }
  }
  /// Issues several loads before it stores the first, since the compiler cannot prove that they do
  /// not alias.
  __device__ void store(char const* stage, index_t place, int kept) const {
    constexpr int at_once = 8;
    U const* const staged = reinterpret_cast<U const*>(stage);
    index_t const room = visit.capacity - place;
    int const few = room < kept ? static_cast<int>(room) : kept;
    U* const target = visit.out + place;
    int k = threadIdx.x % warp_size;
    for (; k + (at_once - 1) * warp_size < few; k += at_once * warp_size) {
      U x[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) x[j] = staged[k + j * warp_size];
#pragma unroll
      for (int j = 0; j < at_once; ++j) target[k + j * warp_size] = x[j];
    }
    for (; k < few; k += warp_size) target[k] = staged[k];
  }

 private:
  __device__ T value_of(part const& p, int k) const {
    return T(load_one.of(p.first + k, p.x.get(k)));
  }
  /// Applies the step, which may take the element itself besides the prefixes.
  __device__ auto made_of(part const& p, int k, T const& ahead, T const& through) const {
    if constexpr (requires { step.of(p.first, p.x.get(k), ahead, through); }) {
      return step.of(p.first + k, p.x.get(k), ahead, through);
    } else {
      return step(p.first + k, ahead, through);
    }
  }
  template <bool All>
  __device__ T fold_some(part const& p) const {
    T sum = m.identity();
#pragma unroll
    for (int k = 0; k < own; ++k) {
      if (All || k < p.rest) sum = m(sum, value_of(p, k));
    }
    return sum;
  }
  template <bool All>
  __device__ unsigned kept_of(part const& p, T ahead) const {
    unsigned kept = 0;
#pragma unroll
    for (int k = 0; k < own; ++k) {
      if (All || k < p.rest) {
        T const through = m(ahead, value_of(p, k));
        if (made_of(p, k, ahead, through).is) kept |= 1u << k;
        ahead = through;
      }
    }
    return kept;
  }
  template <bool All>
  __device__ void put_some(U* next, part const& p, T ahead) const {
#pragma unroll
    for (int k = 0; k < own; ++k) {
      if (All || k < p.rest) {
        T const through = m(ahead, value_of(p, k));
        if (p.kept >> k & 1) *next++ = made_of(p, k, ahead, through).value;
        ahead = through;
      }
    }
  }
};

/// Streams a scan then pack.  The caller has checked the needs of the form.
template <class Load, class M, class Seed, class Step, class U, class Total>
void stream_scan_then_pack(executor const& ex, index_t n, Load load, M m, Seed seed, Step step,
                           write_kept<U> visit, Total total) {
  using In = std::remove_cvref_t<decltype(*load.elements())>;
  using flow = scan_then_pack_flow<In, U, Load, M, Seed, Step, Total, scan_policy::packed_twice>;
  static_assert(bulk_bytes == bulk_alignment);
  expects(can_stream_pack<flow>(ex), "scan_then_pack_on: the kernel was not compiled for device ",
          ex.device());
  stream_pack_tiles(ex, n, flow{{load.elements(), nullptr, n}, load, m, seed, step, visit, total});
}

}  // namespace ravel::inline v0::gpu::detail
