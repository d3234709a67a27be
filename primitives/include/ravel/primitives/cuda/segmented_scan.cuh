#pragma once

/// @file
/// Segmented scan of a plain sequence of numbers on a device, by head bits, head
/// flags, keys or offsets: a flow through core/cuda/tile_stream.cuh.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/segments.hpp>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/heads_of_offsets.cuh>
#include <ravel/primitives/cuda/heads_of_tile.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

/// The neighbours of a thread, and at which of them a segment begins.
template <class Values>
struct values_and_heads {
  Values values;
  unsigned heads;
};

template <class In, class Out, class M, class Seed, class Begins, bool Inclusive,
          scan_policy::shape Shape>
struct segmented_scan_flow : between_sequences<In, Out, false, Shape> {
  using base = between_sequences<In, Out, false, Shape>;
  using monoid = segmented<M>;
  using heads = heads_of_tile<Begins, base::items, base::items_of_thread>;
  using part = values_and_heads<typename base::values>;
  using T = carrier_t<M>;
  static constexpr std::size_t stage_bytes = base::tile_bytes + heads::bytes;
  static constexpr int markers = heads::markers;

  monoid m;
  Seed ahead_of_segment;
  Begins begins;

  __device__ flagged<T> seed() const { return m.identity(); }

  __device__ void load(char* stage, index_t t, barrier& landed) const {
    unsigned const bytes = base::load_values(stage, t, landed);
    landed.arrive_and_expect(bytes + heads::load(begins, stage + base::tile_bytes, base::first(t),
                                                 base::items_of(t), landed));
  }
  template <class Await>
  __device__ void mark(char* stage, index_t t, Await await) const {
    heads::mark(begins, stage + base::tile_bytes, t, await);
  }
  __device__ part take(char const* stage, index_t t, int k) const {
    part x{base::take_values(stage, t, k, m.m), heads::read(begins, stage + base::tile_bytes, k)};
    if (t == 0 && k == 0) x.heads |= 1;
    return x;
  }
  /// What starts a segment.
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
      for (int i = 0; i < base::items_of_thread; ++i) sum = m.m(sum, T(x.values.get(i)));
    } else {
#pragma unroll
      for (int i = 0; i < base::items_of_thread; ++i) {
        T const y = T(x.values.get(i));
        sum = x.heads >> i & 1 ? begin(y) : m.m(sum, y);
      }
    }
    return {sum, x.heads != 0};
  }
  __device__ void put(char* stage, index_t, int k, part const& x, flagged<T> const& ahead,
                      flagged<T> const&) const {
    typename base::results y;
    T sum = ahead.value;
#pragma unroll
    for (int i = 0; i < base::items_of_thread; ++i) {
      T const now = T(x.values.get(i));
      bool const head = x.heads >> i & 1;
      T const through = head ? begin(now) : m.m(sum, now);
      y.set(i, static_cast<Out>(Inclusive ? through : head ? T(ahead_of_segment()) : sum));
      sum = through;
    }
    base::put_values(stage, k, y);
  }
};

template <class In, class Out, class M, class Seed, class Begins, bool Inclusive>
using segmented_scan_flow_of =
    segmented_scan_flow<In, Out, M, Seed, Begins, Inclusive,
                        heads_are_wide<Begins> ? scan_policy::segmented_wide
                                               : scan_policy::segmented>;

/// Streams a segmented scan if that can be done and pays; returns whether it did.
template <bool Inclusive, class In, class Out, class Segments, class M, class Seed>
bool stream_segmented_scan(executor const& ex, index_t n, In const* in, Out* out,
                           Segments const& segments, segmented<M> m, Seed ahead_of_segment) {
  if constexpr (can_flow<In, Out, carrier_t<M>> && sizeof(In) >= 4) {
    using begins = begins_of<Segments>;
    using flow =
        segmented_scan_flow<In, Out, M, Seed, typename begins::type, Inclusive,
                            heads_are_wide<typename begins::type> ? scan_policy::segmented_wide
                                                                  : scan_policy::segmented>;
    if constexpr (flow::heads::can) {
      if (n * static_cast<index_t>(sizeof(In)) >= ex.tuned().carried_bytes &&
          may_be_copied_in_bulk(in, out, begins::address(segments)) && can_stream<flow>(ex)) {
        begins const heads(ex, n, flow::items, segments);
        stream_tiles(ex, n, flow{{in, out, n}, m, ahead_of_segment, heads.get()});
        return true;
      }
    }
  }
  return false;
}

}  // namespace detail

/// As ravel::scan_on; segmented scans of plain sequences are streamed.
template <class T, class In, class Out, class Segments, class M, class Seed, class Identity,
          class Total>
void scan_on(executor const& ex, index_t n,
             ravel::detail::read_flagged<T, ravel::detail::read<In>, Segments, M, Seed, false> load,
             ravel::detail::write_value<Out> visit, segmented<M> m, Identity identity,
             Total total) {
  if (!detail::stream_segmented_scan<true>(ex, n, load.load.from, visit.to, load.segments, m,
                                           load.seed)) {
    detail::scan_by_blocks(ex, n, load, visit, m, identity, total);
  }
}
template <class T, class In, class Out, class Segments, class M, class Seed, class Identity,
          class Total>
void scan_on(executor const& ex, index_t n,
             ravel::detail::read_flagged<T, ravel::detail::read<In>, Segments, M, Seed, false> load,
             ravel::detail::write_value_before<Out, Segments, Seed, false> visit, segmented<M> m,
             Identity identity, Total total) {
  if (!detail::stream_segmented_scan<false>(ex, n, load.load.from, visit.to, load.segments, m,
                                            load.seed)) {
    detail::scan_by_blocks(ex, n, load, visit, m, identity, total);
  }
}

}  // namespace ravel::inline v0::cuda
