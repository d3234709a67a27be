#pragma once

/// Split within segments on a device: one warp for each short segment, and tiles for long ones.
///
/// A warp ballots on the bits of 32 digits.  So each lane gets a mask of the lanes that have its
/// digit, and lane d the count of digit d.  One warp counts and moves a short segment.  A long one
/// is cut into tiles: a block counts each; a scan of these counts, by segment and digit, gives the
/// first position of each digit in each tile; then blocks reorder their tiles in shared memory, so
/// that writes are coalesced.
///
/// Source   Ashkiani, Davidson, Meyer and Owens, "GPU Multisplit", PPoPP 2016.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/digit_ranks.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/split_within/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The common part of both kernels.
template <int Ways, class Segments, class Visit>
struct digits_of_segments {
  static constexpr int bits = static_cast<int>(std::bit_width(static_cast<unsigned>(Ways - 1) | 1));
  static_assert(Ways <= warp_size, "a lane has the count of each digit");
  static constexpr index_t longest = 2048;  // greatest length of a segment that one warp processes
  using of_segment = decltype(std::declval<Visit const&>().of_segment(index_t{}, index_t{}));
  using T = std::remove_cvref_t<decltype(std::declval<Visit const&>().load(
      std::declval<of_segment const&>(), index_t{}))>;

  /// Whether the data of segments (visit.of_segment) is computed once by a kernel of its own,
  /// before both others.
  static constexpr bool looks_up = sizeof(of_segment) > sizeof(index_t);

  Segments segments;
  Visit visit;
  of_segment const* known;

  __device__ of_segment in_common(index_t s, index_t begin) const {
    if constexpr (looks_up) {
      return known[s];
    } else {
      return visit.of_segment(s, begin);
    }
  }
  static __device__ int lane() { return static_cast<int>(threadIdx.x % warp_size); }

  /// The ballots for a row of 32 elements: which of the first `many`, the others being past the end,
  /// have each digit.
  struct row_votes {
    unsigned there, of_bit[bits];
    __device__ row_votes(index_t many, int digit)
        : there(many >= warp_size ? whole_warp : (1u << many) - 1) {
#pragma unroll
      for (int b = 0; b < bits; ++b) of_bit[b] = __ballot_sync(whole_warp, (digit >> b & 1) != 0);
    }
    __device__ unsigned with(int digit) const {
      unsigned matches = there;
#pragma unroll
      for (int b = 0; b < bits; ++b) {
        matches &= of_bit[b] ^ ((digit >> b & 1) != 0 ? 0u : whole_warp);
      }
      return matches;
    }
  };

  /// Loads up to `Rows` rows of 32 elements by a warp, from element `begin` of its segment on, and
  /// evaluates their digits.
  template <int Rows>
  __device__ void read(of_segment const& segment, index_t begin, index_t end, T (&x)[Rows],
                       int (&digit)[Rows]) const {
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      index_t const i = begin + k * warp_size + lane();
      if (i < end) x[k] = visit.load(segment, i);
    }
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      index_t const i = begin + k * warp_size + lane();
      digit[k] = i < end ? visit.digit(segment, x[k]) : 0;
    }
  }
  /// The number of elements whose digit equals the index of the lane.
  template <int Rows>
  static __device__ unsigned count(index_t many, int const (&digit)[Rows]) {
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      if (many <= k * warp_size) break;
      sum += __popc(row_votes(many - k * warp_size, digit[k]).with(lane()));
    }
    return lane() < Ways ? sum : 0;
  }
};

template <int Ways, class Segments, class Visit, class Begins>
struct split_short_segments : digits_of_segments<Ways, Segments, Visit> {
  using base = digits_of_segments<Ways, Segments, Visit>;
  static constexpr int threads = 128;
  static constexpr int rows = 8;
  static constexpr index_t chunk = rows * warp_size;

  Begins begins;
  index_t n;

  /// One warp processes segment s.
  __device__ void work(index_t s) const {
    int const lane = base::lane();
    index_t const count = base::segments.count();
    if (s == 0 && lane == 0) begins(0, count, n);
    if (s >= count) return;
    index_t const begin = base::segments.begin(s), end = base::segments.begin(s + 1);
    if (end - begin > base::longest) return;
    if (begin == end) {
      if (lane < Ways) begins(lane, s, begin);
      return;
    }
    auto const segment = base::in_common(s, begin);
    typename base::T x[rows];
    int digit[rows];
    unsigned tally = 0;
    for (index_t first = begin; first < end; first += chunk) {
      base::read(segment, first, end, x, digit);
      tally += base::count(end - first, digit);
    }
    unsigned next = warp_scan(tally, plus<unsigned>{}) - tally;  // position of the lane's digit
    if (lane < Ways) begins(lane, s, begin + static_cast<index_t>(next));

    bool const is_here = end - begin <= chunk;
    unsigned const left_lanes = (1u << lane) - 1;
    for (index_t first = begin; first < end; first += chunk) {
      if (!is_here) base::read(segment, first, end, x, digit);
#pragma unroll
      for (int k = 0; k < rows; ++k) {
        index_t const many = end - first - k * warp_size;
        if (many <= 0) break;
        typename base::row_votes const row(many, digit[k]);
        unsigned const ahead = __shfl_sync(whole_warp, next, digit[k]);
        unsigned const place = ahead + __popc(row.with(digit[k]) & left_lanes);
        if (lane < many) base::visit.store(x[k], digit[k], begin + static_cast<index_t>(place));
        next += __popc(row.with(lane));
      }
    }
  }
};

template <int Ways, class Segments, class Visit, class Begins>
struct split_long_segments : digits_of_segments<Ways, Segments, Visit> {
  using base = digits_of_segments<Ways, Segments, Visit>;
  using typename base::T;
  static constexpr int threads = 256;
  static constexpr int warps = threads / warp_size;
  static constexpr int blocks = 4;  // on a multiprocessor
  static constexpr int items = 64 / std::max(4, static_cast<int>(sizeof(T)));
  static constexpr index_t width = threads * items;
  using ranks = digit_ranks<threads, items, base::bits>;

  Begins begins;
  index_t const* tiles_ahead;  // number of tiles before each segment
  index_t* counts;

  /// One tile of a segment.
  struct tile_of_segment {
    index_t s, number, many, begin;
    int count;
  };
  struct counting {
    index_t segment;
    unsigned of_warp[warps][warp_size];
  };
  struct placing {
    index_t segment;
    typename ranks::room by_digit;
    // add to an element's position in the tile for its position in the output
    index_t offset[Ways];
    shared_array<T, width> staged;
    std::uint8_t digit[width];  // digits of the staged elements
  };

  /// The digit and the rank of each element of a thread, together in half a word: a warp has 2^9
  /// elements.
  struct digits_and_ranks {
    static constexpr unsigned shift = 9;
    static_assert(items * warp_size <= 1 << shift && base::bits + shift <= 16);
    half_words<items> words;
    __device__ unsigned digit(int k) const { return words[k] >> shift; }
    __device__ unsigned rank(int k) const { return words[k] & ((1u << shift) - 1); }
    __device__ void set_digit(int k, unsigned digit) { words.set(k, digit << shift); }
    __device__ void set(int k, unsigned rank) { words.set(k, words[k] | rank); }
  };

  /// The number of tiles of a segment.
  static RAVEL_HD index_t tiles_of(index_t length) {
    return length > base::longest ? div_up(length, width) : 0;
  }
  /// An upper bound on the number of tiles of n elements in this number of segments.
  static index_t most_tiles(index_t n, index_t segments) {
    return n / width + std::min(segments, n / (base::longest + 1));
  }

  /// Whether the counts of the tile's segment fit in their memory: false only if offsets descend.
  __device__ bool has_room(tile_of_segment const& t) const {
    return blockIdx.x - t.number + t.many <= gridDim.x;
  }
  __device__ tile_of_segment find(index_t* place) const {
    if (threadIdx.x < warp_size) {
      shared_search search{0, base::segments.count()};
      auto const ends_before = [&](index_t s) { return tiles_ahead[s + 1] <= blockIdx.x; };
      search.narrow<warp_size>(ends_before, 0);
      if (threadIdx.x == 0) *place = search.first;
    }
    __syncthreads();
    index_t const s = *place, first = tiles_ahead[s];
    index_t const number = blockIdx.x - first, many = tiles_ahead[s + 1] - first;
    index_t const begin = base::segments.begin(s) + number * width;
    index_t const left = base::segments.begin(s + 1) - begin;
    return {s, number, many, begin, static_cast<int>(::min(left, width))};
  }
  __device__ bool is_tile() const { return blockIdx.x < tiles_ahead[base::segments.count()]; }
  /// Where the count of digit d of a tile is stored: by digit within a segment, after all preceding
  /// segments.
  __device__ index_t* counts_of(tile_of_segment const& t, int d) const {
    return counts + Ways * (blockIdx.x - t.number) + d * t.many + t.number;
  }
  __device__ auto in_common(tile_of_segment const& t) const {
    return base::in_common(t.s, t.begin - t.number * width);
  }

  __device__ void count_tile(counting& room) const {
    int const thread = static_cast<int>(threadIdx.x);
    auto const count_none = [&] {
      if (thread < Ways) counts[index_t{blockIdx.x} * Ways + thread] = 0;
    };
    if (!is_tile()) return count_none();
    tile_of_segment const t = find(&room.segment);
    if (!has_room(t)) return count_none();
    int const warp = thread / warp_size;
    index_t const first = t.begin + warp * warp_size * items;
    T x[items];
    int digit[items];
    base::read(in_common(t), first, t.begin + t.count, x, digit);
    room.of_warp[warp][base::lane()] = base::count(t.begin + t.count - first, digit);
    __syncthreads();
    if (thread < Ways) {
      unsigned sum = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) sum += room.of_warp[w][thread];
      *counts_of(t, thread) = static_cast<index_t>(sum);
    }
  }

  __device__ void place_tile(placing& room) const {
    if (!is_tile()) return;
    int const thread = static_cast<int>(threadIdx.x);
    tile_of_segment const t = find(&room.segment);
    if (!has_room(t)) return;
    auto const segment = in_common(t);
    T x[items];
    int const first = ranks::warp() * warp_size * items + ranks::lane();
    auto const exists = [&](int k) { return first + k * warp_size < t.count; };
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (exists(k)) x[k] = base::visit.load(segment, t.begin + first + k * warp_size);
    }
    ranks const block{room.by_digit};
    digits_and_ranks ranked;
    // Elements past the end count as the greatest digit, so they are ranked after all others.
    auto const digit_of = [&](int k) {
      unsigned const d = exists(k) ? base::visit.digit(segment, x[k]) : ranks::ways - 1;
      ranked.set_digit(k, d);
      return d;
    };
    block.rank(items, digit_of, ranked);
    block.place();
    if (thread < Ways) {
      index_t const begin = t.begin - t.number * width - counts[Ways * (blockIdx.x - t.number)];
      index_t const start = begin + *counts_of(t, thread);
      room.offset[thread] = start - static_cast<index_t>(room.by_digit.start[thread]);
      if (t.number == 0) begins(thread, t.s, start);
    }
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (exists(k)) {
        unsigned const d = ranked.digit(k);
        auto const slot = static_cast<int>(block.slot(d, ranked.rank(k)));
        room.staged[slot] = x[k];
        room.digit[slot] = static_cast<std::uint8_t>(d);
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      int const place = k * threads + thread;
      if (place < t.count) {
        int const d = room.digit[place];
        base::visit.store(room.staged[place], d, room.offset[d] + place);
      }
    }
  }
};

/// One thread computes the data of each segment.
template <class Segments, class Visit, class Known>
__global__ void __launch_bounds__(128)
    look_up_segments_kernel(__grid_constant__ Segments const segments,
                            __grid_constant__ Visit const visit, Known* known) {
  index_t const s = index_t{blockIdx.x} * 128 + threadIdx.x;
  if (s >= segments.count()) return;
  index_t const begin = segments.begin(s);
  if (begin < segments.begin(s + 1)) known[s] = visit.of_segment(s, begin);
}
template <class Split>
__global__ void __launch_bounds__(Split::threads)
    split_short_segments_kernel(__grid_constant__ Split const split) {
  split.work((index_t{blockIdx.x} * Split::threads + threadIdx.x) / warp_size);
}
template <class Split>
__global__ void __launch_bounds__(Split::threads)
    count_long_segments_kernel(__grid_constant__ Split const split) {
  __shared__ typename Split::counting room;
  split.count_tile(room);
}
template <class Split>
__global__ void __launch_bounds__(Split::threads, Split::blocks)
    place_long_segments_kernel(__grid_constant__ Split const split) {
  __shared__ typename Split::placing room;
  split.place_tile(room);
}

template <class Split, class Segments>
struct tiles_of_segment {
  Segments segments;
  RAVEL_HD index_t operator()(index_t s) const {
    return Split::tiles_of(segments.begin(s + 1) - segments.begin(s));
  }
};
/// The sink of the scan of counts.  write_before would also instantiate the streamed scans, which
/// so few counts do not need.
struct keep_before {
  index_t* to;
  RAVEL_HD void operator()(index_t i, index_t before, index_t) const { to[i] = before; }
};

}  // namespace detail

template <int Ways, class Segments, class Visit, class Begins>
void launch_form(split_within_by_warps, executor const& ex,
                 split_within_call<Ways, Segments, Visit, Begins> const& c) {
  using of_segment = typename split_within_call<Ways, Segments, Visit, Begins>::of_segment;
  using shorter = detail::split_short_segments<Ways, Segments, Visit, Begins>;
  using longer = detail::split_long_segments<Ways, Segments, Visit, Begins>;
  index_t const count = c.segments.count();
  auto const known = ex.template scratch<of_segment>(shorter::looks_up ? count : 0);
  if constexpr (shorter::looks_up) {
    ex.launch({count / 128 + 1, 128}, detail::look_up_segments_kernel<Segments, Visit, of_segment>,
              c.segments, c.visit, known.data());
  }
  ex.launch({count / (shorter::threads / warp_size) + 1, shorter::threads},
            detail::split_short_segments_kernel<shorter>,
            shorter{{c.segments, c.visit, known.data()}, c.begins, c.n});
  index_t const blocks = longer::most_tiles(c.n, count);
  if (c.n <= longer::longest || count == 0) return;
  auto const ahead = ex.template scratch<index_t>(count + 1);
  auto const counts = ex.template scratch<index_t>(Ways * blocks);
  using plus = plus<index_t>;
  scan_on(ex, count, detail::tiles_of_segment<longer, Segments>{c.segments},
          detail::keep_before{ahead.data()}, plus{}, ravel::detail::seed_identity<plus>{{}},
          ravel::detail::store_total<index_t>{ahead.data() + count});
  longer const split{{c.segments, c.visit, known.data()}, c.begins, ahead.data(), counts.data()};
  ex.launch({blocks, longer::threads}, detail::count_long_segments_kernel<longer>, split);
  scan_on(ex, Ways * blocks, contiguous<index_t>{counts.data()}, detail::keep_before{counts.data()},
          plus{}, ravel::detail::seed_identity<plus>{{}}, ravel::detail::no_total{});
  ex.launch({blocks, longer::threads}, detail::place_long_segments_kernel<longer>, split);
}

}  // namespace ravel::inline v0::gpu
