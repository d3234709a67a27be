#pragma once

/// @file
/// Head flags of segments given by offsets, in a tile stream: a marker warp sets a byte flag for
/// each offset within the tile.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/search.hpp>
#include <ravel/primitives/cuda/heads_of_tile.cuh>

namespace ravel::inline v0::gpu::detail {

/// Returns the predicate: whether an offset is before tile t.
template <class O>
struct offsets_before_tile {
  O const* offsets;
  index_t items;  // elements of a tile
  RAVEL_HD ravel::detail::at_most<O> operator()(index_t t) const {
    return {offsets, t * items - 1};
  }
};

template <class O, int Items, int Count>
struct heads_of_tile<offsets_in_tiles<O>, Items, Count> {
  static constexpr bool can = can_copy_to_stage<offsets_in_tiles<O>, Items, Count>;
  static constexpr std::size_t bytes = Items;
  static constexpr int markers = 4;
  static constexpr int drawn_ahead = 5;

  static __device__ unsigned load(offsets_in_tiles<O> const&, char*, index_t, int, barrier&) {
    return 0;
  }
  static __device__ unsigned read(offsets_in_tiles<O> const&, char const* from, int k) {
    return read_marks<Count>(from, k);
  }

  /// Marks a tile, by a warp.  It issues eight vectorised loads per lane together, since the
  /// latency of one equals the time for a tile, and prefetches the following ones to L2.
  template <class Await>
  static __device__ void mark(offsets_in_tiles<O> const& of, char* to, index_t t, Await await) {
    index_t const first = of.starts[t];
    index_t const last = of.starts[t + 1];
    index_t const begin = t * Items;
    index_t from = first / vector::count * vector::count;
    fetch(of, from + loaded_together, ::min(last, from + Items));
    auto some = load_vectors(of, from, last);
    await();
    no_marks<Items>(to);
    while (from < last) {
      // 32-bit arithmetic suffices: `from` is at most a vector before `first`, and higher bits do
      // not matter to offsets of this tile.  Branchless, with two comparisons for each offset.
      int const skipped = static_cast<int>(::max(first - from, index_t{0}));
      int const end = static_cast<int>(::min(last - from, index_t{loaded_together}));
      auto const count = static_cast<unsigned>(::max(end - skipped, 0));
      unsigned const at_lane = static_cast<unsigned>(lane() * vector::count - skipped);
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
#pragma unroll
        for (int j = 0; j < vector::count; ++j) {
          unsigned const at = at_lane + static_cast<unsigned>(k * warp_size * vector::count + j);
          unsigned const place =
              static_cast<unsigned>(some.x[k].get(j)) - static_cast<unsigned>(begin);
          // The second comparison is false only for malformed, descending offsets.
          if (at < count && place < static_cast<unsigned>(Items)) to[place] = 1;
        }
      }
      from += loaded_together;
      if (last - from > Items) from = skip_equal(of.offsets, from - 1, last);
      if (from < last) some = load_vectors(of, from, last);
    }
  }

 private:
  using vector = neighbours<O, 1>;
  static constexpr int at_once = 8;
  static constexpr int loaded_together =
      at_once * warp_size * vector::count;  // offsets that the warp loads together
  struct vectors {
    vector x[at_once];
  };
  static __device__ int lane() { return threadIdx.x % warp_size; }

  /// Prefetches the complete vectors of offsets [from, end) to L2, if there are any.
  static __device__ void fetch(offsets_in_tiles<O> const& of, index_t from, index_t end) {
    index_t const many = (end - from) / vector::count * vector::count;
    if (lane() == 0 && many > 0) {
      fetch_to_cache(of.offsets + from, static_cast<unsigned>(many * sizeof(O)));
    }
  }

  /// The lane's vectors of offsets, from `from` up to `last`.
  static __device__ vectors load_vectors(offsets_in_tiles<O> const& of, index_t from,
                                         index_t last) {
    vectors some;
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      index_t const i = from + (k * warp_size + lane()) * vector::count;
      if (i + vector::count <= of.size) {
        if (i < last) some.x[k] = vector::read(reinterpret_cast<char const*>(of.offsets + i));
      } else {
#pragma unroll
        for (int j = 0; j < vector::count; ++j) {
          if (i + j < last) some.x[k].set(j, of.offsets[i + j]);
        }
      }
    }
    return some;
  }

  /// Skips runs of equal offsets (empty segments): from offset i, lane l tests the offset 2^l
  /// further.  Returns the farthest equal one, rounded down to the begin of a vector.
  static __device__ index_t skip_equal(O const* offsets, index_t i, index_t last) {
    index_t const probe = i + (index_t{1} << lane());
    bool const equal = probe < last && offsets[probe] == offsets[i];
    unsigned const found = __ballot_sync(whole_warp, equal);
    index_t const next = found == 0 ? i + 1 : i + (index_t{1} << (31 - __clz(found)));
    return next / neighbours<O, 1>::count * neighbours<O, 1>::count;
  }
};

/// Heads by offsets: first searches which offsets are within each tile.
template <class O, class Space>
class begins_of<offset_segments<O, Space>> {
  using segments = offset_segments<O, Space>;
  decltype(std::declval<executor const&>().template scratch<index_t>(0)) starts_;
  view<O const, Space> offsets_;

 public:
  begins_of(executor const& ex, index_t n, index_t items, segments const& of)
      : starts_(ex.template scratch<index_t>(div_up(n, items) + 1)), offsets_(of.offsets) {
    partition_points(
        ex, starts_.size(), offsets_.size(), offsets_before_tile<O>{offsets_.data(), items},
        starts_.data(),
        static_cast<double>(of.count()) / static_cast<double>(n) * static_cast<double>(items));
  }
  offsets_in_tiles<O> get() const { return {offsets_.data(), offsets_.size(), starts_.data()}; }
};

}  // namespace ravel::inline v0::gpu::detail
