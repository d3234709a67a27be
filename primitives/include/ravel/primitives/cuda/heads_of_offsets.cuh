#pragma once

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
  static __device__ unsigned read(offsets_in_tiles<O> const&, char const* staged, int k) {
    return read_marks<Count>(staged, k);
  }

  /// Marks a tile, by a warp.  It issues eight vectorised loads per lane together, since the
  /// latency of one equals the time for a tile, and prefetches the following ones to L2.
  template <class Await>
  static __device__ void mark(offsets_in_tiles<O> const& in, char* flags, index_t t, Await await) {
    index_t const first = in.starts[t];
    index_t const last = in.starts[t + 1];
    index_t const begin = t * Items;
    index_t next = first / vector::count * vector::count;
    fetch(in, next + loaded_together, ::min(last, next + Items));
    auto loaded = load_vectors(in, next, last);
    await();
    no_marks<Items>(flags);
    while (next < last) {
      // 32-bit arithmetic suffices: `next` is at most a vector before `first`, and higher bits do
      // not matter to offsets of this tile.  Branchless, with two comparisons for each offset.
      int const skipped = static_cast<int>(::max(first - next, index_t{0}));
      int const end = static_cast<int>(::min(last - next, index_t{loaded_together}));
      auto const count = static_cast<unsigned>(::max(end - skipped, 0));
      unsigned const at_lane = static_cast<unsigned>(lane() * vector::count - skipped);
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
#pragma unroll
        for (int j = 0; j < vector::count; ++j) {
          unsigned const at = at_lane + static_cast<unsigned>(k * warp_size * vector::count + j);
          unsigned const place =
              static_cast<unsigned>(loaded.x[k].get(j)) - static_cast<unsigned>(begin);
          // The second comparison is false only for malformed, descending offsets.
          if (at < count && place < static_cast<unsigned>(Items)) flags[place] = 1;
        }
      }
      next += loaded_together;
      if (last - next > Items) next = skip_equal(in.offsets, next - 1, last);
      if (next < last) loaded = load_vectors(in, next, last);
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

  /// Prefetches the complete vectors of offsets [first, end) to L2, if there are any.
  static __device__ void fetch(offsets_in_tiles<O> const& in, index_t first, index_t end) {
    index_t const many = (end - first) / vector::count * vector::count;
    if (lane() == 0 && many > 0) {
      fetch_to_cache(in.offsets + first, static_cast<unsigned>(many * sizeof(O)));
    }
  }

  /// The lane's vectors of offsets, from `first` up to `last`.
  static __device__ vectors load_vectors(offsets_in_tiles<O> const& in, index_t first,
                                         index_t last) {
    vectors loaded;
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      index_t const i = first + (k * warp_size + lane()) * vector::count;
      if (i + vector::count <= in.size) {
        if (i < last) loaded.x[k] = vector::read(reinterpret_cast<char const*>(in.offsets + i));
      } else {
#pragma unroll
        for (int j = 0; j < vector::count; ++j) {
          if (i + j < last) loaded.x[k].set(j, in.offsets[i + j]);
        }
      }
    }
    return loaded;
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
  begins_of(executor const& ex, index_t n, index_t items, segments const& s)
      : starts_(ex.template scratch<index_t>(div_up(n, items) + 1)), offsets_(s.offsets) {
    partition_points(
        ex, starts_.size(), offsets_.size(), offsets_before_tile<O>{offsets_.data(), items},
        starts_.data(),
        static_cast<double>(s.count()) / static_cast<double>(n) * static_cast<double>(items));
  }
  offsets_in_tiles<O> get() const { return {offsets_.data(), offsets_.size(), starts_.data()}; }
};

}  // namespace ravel::inline v0::gpu::detail
