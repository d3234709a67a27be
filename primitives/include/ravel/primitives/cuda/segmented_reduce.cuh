#pragma once

/// Segmented reduce of a long contiguous sequence of numbers on a device, by offsets, lengths or
/// one length: a flow of core/cuda/tile_ring.cuh.
///
/// The merged sequence of elements and segment ends is cut into tiles of equal length, so that
/// neither a long segment nor many empty ones unbalance the load.  A tile scans its elements in its
/// stage, and reads the results at segment ends.  Two of its results are partial: of the first
/// segment that ends in it, which may have begun before, and of the segment that it leaves open.
/// They are recorded, and a final scan over the records combines them.
///
/// The grouping of operands depends on n and the segments alone.
///
/// Source   Merrill and Garland, "Merge-Based Parallel Sparse Matrix-Vector Multiplication", SC
///          2016.

#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/core/cuda/tile_ring.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/heads_of_tile.cuh>
#include <ravel/primitives/cuda/run_cuts.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/segmented_reduce_computed.cuh>
#include <ravel/primitives/segmented_reduce/cuda.hpp>

#include <cstring>

namespace ravel::inline v0::gpu {
namespace detail {

/// The record of a tile: its results for segments that are only partly in it.
template <class T>
struct note {
  index_t ending;  // the first segment that ends in this tile, or -1
  T first;         // its partial result in this tile
  T open;          // the partial result of the segment that goes on after this tile
};

/// The contents of a tile: elements [begin, begin + elements), and the ends of `ends` segments from
/// `segment` on.
struct tile_range {
  index_t begin;
  index_t segment;
  int elements;
  int ends;
};

/// Starts the bulk copy of values[first] to values[last - 1] to a stage, extended to 16-byte
/// boundaries. Returns the number of bytes that the barrier must expect.
template <class T>
__device__ unsigned copy_cover(char* stage, T const* values, index_t size, index_t first,
                               index_t last, barrier& landed) {
  constexpr index_t per_vector = bulk_alignment / static_cast<index_t>(sizeof(T));
  first = first / per_vector * per_vector;
  last = ::min(size, div_up(last, per_vector) * per_vector);
  if (last <= first) return 0;
  return copy_in(stage, values + first, static_cast<unsigned>((last - first) * sizeof(T)), landed);
}

/// The segment ends of a tile.  Offsets are copied to the end of its stage.
template <class Segments>
struct ends_of_tile;

template <class O, class Space>
struct ends_of_tile<offset_segments<O, Space>> {
  using segments = offset_segments<O, Space>;
  static constexpr std::size_t bytes = sizeof(O);
  static constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(O));

  /// The distance from the first offset in the stage to the end of the stage, in bytes.
  static __device__ int place(tile_range const& s) {
    int const skew = static_cast<int>((s.segment + 1) % per_vector);
    return (skew + s.ends + per_vector - 1) / per_vector * bulk_alignment;
  }
  static __device__ unsigned load(segments const& in, char* stage_end, tile_range const& s,
                                  barrier& landed) {
    if (s.ends == 0) return 0;
    return copy_cover(stage_end - place(s), in.offsets.data(), in.offsets.size(), s.segment + 1,
                      s.segment + 1 + s.ends, landed);
  }
  /// Reads the position of the e-th segment end, relative to the tile's first element.
  struct reader {
    O const* offsets;
    std::uint32_t begin;
    __device__ int operator()(int e) const {
      return static_cast<int>(static_cast<std::uint32_t>(offsets[e]) - begin);
    }
  };
  static __device__ reader read(segments const&, char const* stage_end, tile_range const& s) {
    int const skew = static_cast<int>((s.segment + 1) % per_vector);
    return {reinterpret_cast<O const*>(stage_end - place(s)) + skew,
            static_cast<std::uint32_t>(s.begin)};
  }
};

template <>
struct ends_of_tile<uniform_segments> {
  static constexpr std::size_t bytes = 0;
  static __device__ unsigned load(uniform_segments const&, char*, tile_range const&, barrier&) {
    return 0;
  }
  struct reader {
    index_t first, length, last;  // first end, length of a segment, last end
    __device__ int operator()(int e) const {
      return static_cast<int>(::min(first + e * length, last));
    }
  };
  static __device__ reader read(uniform_segments const& in, char const*, tile_range const& s) {
    return {(s.segment + 1) * in.length - s.begin, in.length, in.elements - s.begin};
  }
};

template <class Load, class Segments, class M, class Seed, class Visit, scan_policy::shape Shape>
struct segmented_reduce_flow {
  using T = carrier_t<M>;
  using In = element_of_load<Load>;
  using V = value_of_load<Load>;
  static_assert(sizeof(In) == sizeof(V) && sizeof(V) == sizeof(T));
  using values = neighbours<V, Shape.vectors>;
  using ends = ends_of_tile<Segments>;
  static constexpr int threads = Shape.threads;
  static constexpr int groups = Shape.groups;
  static constexpr int count = values::count;
  static constexpr int items = threads * count;
  static constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(In));

  /// The number of elements and ends of a tile.  Alignment may shift the elements by up to a
  /// vector.
  static constexpr int width = items - per_vector;
  static constexpr std::size_t stage_bytes =
      width * std::max(sizeof(In), ends::bytes) + 4 * bulk_alignment;

  using tile = tile_range;
  struct shared {
    vector128 marks[items / 16];  // flags that are set where segments begin
    shared_array<flagged<T>, threads / warp_size> warp_total;
  };

  Load load_one;
  index_t n;
  Segments segments;
  index_t const* starts;  // the first segment that ends in each tile
  note<T>* notes;
  segmented<M> m;
  Seed seed;
  Visit visit;

  struct seen {
    index_t first, last;  // the segments that end in the tile
  };
  __device__ seen look(index_t t) const { return {starts[t], starts[t + 1]}; }
  __device__ tile_range find(index_t t, seen const& ending) const {
    index_t const total = n + segments.count();
    index_t const first = t * width;
    int const many = static_cast<int>(::min(index_t{width}, total - first));
    index_t const ends = ending.last - ending.first, begin = first - ending.first;
    bool const ascending = 0 <= ends && ends <= many && 0 <= begin && begin + many - ends <= n;
    if (!ascending) return {begin, ending.first, 0, 0};  // empty if offsets descend
    int const of_ends = static_cast<int>(ends);
    return {begin, ending.first, many - of_ends, of_ends};
  }

  __device__ void load(char* stage, tile_range const& s, barrier& landed) const {
    unsigned const bytes = s.elements == 0 ? 0
                                           : copy_cover(stage, load_one.elements(), n, s.begin,
                                                        s.begin + s.elements, landed);
    landed.arrive_and_expect(bytes + ends::load(segments, stage + stage_bytes, s, landed));
  }

  /// The part of thread k.  Elements that do not exist are the identity.
  __device__ values take(char const* stage, tile_range const& s, int skew, int k) const {
    char const* const staged = stage + k * Shape.vectors * 16;
    int const first = skew - k * count;
    int const last = first + s.elements;
    if constexpr (loads_as_it_is<Load>) {
      auto x = values::read(staged);
      if (first > 0 || last < count) {
#pragma unroll
        for (int i = 0; i < count; ++i) {
          if (i < first || i >= last) x.set(i, static_cast<V>(m.m.identity()));
        }
      }
      return x;
    } else {
      auto const read = neighbours<In, Shape.vectors>::read(staged);
      values x;
#pragma unroll
      for (int i = 0; i < count; ++i) {
        bool const is_there = i >= first && i < last;
        x.set(i, is_there ? V(load_one.of(s.begin + (i - first), read.get(i)))
                          : static_cast<V>(m.m.identity()));
      }
      return x;
    }
  }

  static __device__ T reached(char const* stage, int i) {
    T x;
    std::memcpy(static_cast<void*>(&x), stage + i * static_cast<int>(sizeof(T)), sizeof(T));
    return x;
  }
  static __device__ void leave(char* stage, int i, T const& x) {
    std::memcpy(stage + i * static_cast<int>(sizeof(T)), &x, sizeof(T));
  }

  __device__ void work(char* stage, tile_range const& s, int group, int k, shared& room) const {
    int const lane = k % warp_size;
    int const warp = k / warp_size;
    int const skew = static_cast<int>(s.begin % per_vector);
    auto const end_of = ends::read(segments, stage + stage_bytes, s);
    char* const marks = reinterpret_cast<char*>(room.marks);

    unsigned heads = 0;
    if (s.ends > 0) {
      for (int v = k; v < items / 16; v += threads) room.marks[v] = {0, 0, 0, 0};
      sync_group(group, threads);
#pragma unroll 4
      for (int e = k; e < s.ends; e += threads) {
        unsigned const place = static_cast<unsigned>(skew) + static_cast<unsigned>(end_of(e));
        if (place < items) marks[place] = 1;  // false only if offsets descend
      }
      sync_group(group, threads);
      heads = read_marks<count>(marks, k);
    }

    // The result of each segment that ends within the thread's elements is stored at its last
    // element.
    auto const x = take(stage, s, skew, k);
    T sum = T(x.get(0));
#pragma unroll
    for (int i = 1; i < count; ++i) {
      bool const head = heads >> i & 1;
      T const y = T(x.get(i));
      if (head) leave(stage, k * count + i - 1, sum);
      sum = head ? y : m.m(sum, y);
    }

    flagged<T> const of_thread{sum, heads != 0};
    auto const through = warp_scan(of_thread, m);
    if (lane == warp_size - 1) room.warp_total[warp] = through;
    flagged<T> const left = shuffle_up(through, 1);
    sync_group(group, threads);
    flagged<T> ahead = warp_fold(lane < warp ? flagged<T>(room.warp_total[lane]) : m.identity(), m);
    if (lane > 0) ahead = m(ahead, left);

    index_t const t = (s.begin + s.segment) / width;
    if (k == threads - 1) {
      notes[t].open = m(ahead, of_thread).value;
      if (s.ends == 0) notes[t].ending = -1;
    }
    if (s.ends == 0) return;
    if (heads != 0) {  // the prefix of the thread belongs to its first segment end
      int const first = __ffs(static_cast<int>(heads)) - 1;
      int const at = k * count + first - 1;
      if (first > 0) ahead.value = m.m(ahead.value, reached(stage, at));
      if (at >= 0) leave(stage, at, ahead.value);
    }
    sync_group(group, threads);
#pragma unroll 4
    for (int e = k; e < s.ends; e += threads) {
      int const end = end_of(e);
      bool const is_empty = end == (e > 0 ? end_of(e - 1) : 0);
      unsigned const last = static_cast<unsigned>(skew) + static_cast<unsigned>(end) - 1;
      bool const is_here = !is_empty && last < items;  // false if it is empty or offsets descend
      T const x_of = is_here ? reached(stage, static_cast<int>(last)) : T(m.m.identity());
      if (e > 0) {
        visit(s.segment + e, m.m(T(seed()), x_of));
      } else {
        notes[t].ending = s.segment;
        notes[t].first = x_of;
      }
    }
  }
};

template <class T>
struct read_note {
  note<T> const* notes;
  RAVEL_HD flagged<T> operator()(index_t t) const { return {notes[t].open, notes[t].ending >= 0}; }
};

/// The last kernel's sink: combines the first segment that ends in a tile with its partial results
/// from the preceding tiles.
template <class T, class M, class Seed, class Visit>
struct visit_ending {
  note<T> const* notes;
  M m;
  Seed seed;
  Visit visit;
  RAVEL_HD void operator()(index_t t, flagged<T> const& ahead, flagged<T> const&) const {
    if (index_t const s = notes[t].ending; s >= 0) {
      visit(s, m(m(T(seed()), ahead.value), notes[t].first));
    }
  }
};

}  // namespace detail

template <class Call>
void launch_form(reduce_segments_in_rings, executor const& ex, Call const& c) {
  using T = typename Call::value_type;
  using Segments = std::remove_const_t<decltype(c.segments)>;
  using M = std::remove_const_t<decltype(c.m)>;
  using Seed = std::remove_const_t<decltype(c.seed)>;
  using Visit = std::remove_const_t<decltype(c.visit)>;
  constexpr auto shape =
      scan_policy::segmented_reduce(sizeof(T), detail::ends_of_tile<Segments>::bytes);
  using flow = detail::segmented_reduce_flow<std::remove_const_t<decltype(c.load)>, Segments, M,
                                             Seed, Visit, shape>;
  expects(can_ring<flow>(ex), "segmented_reduce: the kernel was not compiled for device ",
          ex.device());
  index_t const total = c.n + c.segments.count();
  index_t const tiles = div_up(total, index_t{flow::width});
  auto const starts = ex.template scratch<index_t>(tiles + 1);
  auto const notes = ex.template scratch<detail::note<T>>(tiles);
  partition_points(ex, tiles + 1, c.segments.count(),
                   detail::ends_before_tile<Segments>{c.segments, flow::width}, starts.data(),
                   static_cast<double>(c.segments.count()) / static_cast<double>(total) *
                       static_cast<double>(flow::width));
  segmented<M> const lifted{c.m};
  ring_tiles(ex, tiles,
             flow{c.load, c.n, c.segments, starts.data(), notes.data(), lifted, c.seed, c.visit});
  detail::scan_by_blocks(
      ex, tiles, detail::read_note<T>{notes.data()},
      detail::visit_ending<T, M, Seed, Visit>{notes.data(), c.m, c.seed, c.visit}, lifted,
      ravel::detail::seed_identity<segmented<M>>{lifted}, ravel::detail::no_total{});
}

}  // namespace ravel::inline v0::gpu
