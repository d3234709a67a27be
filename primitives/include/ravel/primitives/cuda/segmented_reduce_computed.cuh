#pragma once

/// @file
/// Segmented reduce on a device of what any load computes, each element once.
///
/// Elements and ends of segments, merged in their order, are cut into tiles of one
/// length.  The threads of a block load a tile's elements together, and then add up
/// its segments from shared memory, as many threads to each as there are to spare.
/// What a tile knows of the segment that it found begun, and of the one that it leaves
/// open, it notes; a scan over the notes puts those together at last.
///
/// The steps load everything twice, and ask of every element which segment it is in.
///
/// Source   Merrill and Garland, "Merge-Based Parallel Sparse Matrix-Vector
///          Multiplication", SC 2016, for the tiles; Greathouse and Daga, "Efficient
///          Sparse Matrix-Vector Multiplication on GPUs Using the CSR Storage Format",
///          SC 2014, for segments added up from shared memory.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/core/monoid.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/primitives/scan.hpp>

#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

/// What a tile knows of segments that are not in it as a whole.
template <class T>
struct part_of_segment {
  index_t ending;  // the segment found begun that ends here; -1 for none
  bool begins;     // whether the one left open begins here
  T head, open;
};

/// Which segments end before tile t.
template <class Segments>
struct ends_before_tile {
  Segments segments;
  index_t width;
  RAVEL_HD ravel::detail::ends_within<Segments> operator()(index_t t) const {
    return {segments, t * width};
  }
};

template <class Load, class Segments, class M, class Seed, class Visit>
struct reduce_merged_tile {
  using T = carrier_t<M>;
  Load load_all;
  Segments segments;
  M m;
  Seed seed;
  Visit visit;
  index_t const* ended;
  part_of_segment<T>* parts;

  /// Where element j of a tile is in shared memory: threads that read at equal
  /// distances meet different banks.
  __device__ static int place(index_t j) { return static_cast<int>(j + j / warp_size); }

  template <class Team>
  __device__ void operator()(Team const& team, tile t) const {
    constexpr int threads = Team::threads, rounds = Team::rounds;
    constexpr int width = static_cast<int>(Team::tile_width);
    auto& x = team.template shared<T, width + width / warp_size>();
    auto& sums = team.template shared<T, threads>();
    int const thread = static_cast<int>(threadIdx.x);

    index_t const first = ended[t.id], last = ended[t.id + 1];  // segments that end here
    index_t const begin = t.begin - first, end = t.end - last;  // elements
    bool const begun = first < segments.count() && segments.begin(first) < begin;
    auto const load = ravel::detail::on_tile(load_all, tile{t.id, begin, end});
    T loaded[rounds];
#pragma unroll
    for (int k = 0; k < rounds; ++k) {
      index_t const i = begin + thread + k * threads;
      if (i < end) loaded[k] = static_cast<T>(load(i));
    }
#pragma unroll
    for (int k = 0; k < rounds; ++k) {
      index_t const j = thread + k * threads;
      if (begin + j < end) x[place(j)] = loaded[k];
    }
    team.sync();

    // The last segment is the one left open, of which perhaps nothing is here.
    index_t const count = last - first + 1;
    int lanes = threads;
    while (lanes > 1 && lanes * count > threads) lanes /= 2;
    int const lane = thread % lanes;
    part_of_segment<T>& part = parts[t.id];
    if (team.leads()) {
      part.ending = begun && count > 1 ? first : -1;
      part.begins = !begun || count > 1;
    }
    for (index_t r = thread / lanes; r - thread / lanes < count; r += threads / lanes) {
      index_t const s = first + r;
      index_t const from = r == 0 || r >= count ? begin : segments.begin(s);
      index_t const to = r >= count ? from : r + 1 < count ? segments.begin(s + 1) : end;
      index_t const share = div_up(to - from, index_t{lanes});
      index_t const a = from + lane * share < to ? from + lane * share : to;
      index_t const b = a + share < to ? a + share : to;
      T sum = T(m.identity());
      for (index_t i = a; i < b; ++i) sum = m(sum, x[place(i - begin)]);
      if (lanes > 1) {  // then this is the only round
        sums[thread] = sum;
        team.sync();
        for (int d = 1; d < lanes; d *= 2) {
          if (lane % (2 * d) == 0) sums[thread] = m(sums[thread], sums[thread + d]);
          team.sync();
        }
        sum = sums[thread];
      }
      if (lane != 0 || r >= count) continue;
      bool const goes_on = r == 0 && begun, stays_open = r + 1 == count;
      if (!goes_on) sum = m(T(seed()), sum);
      if (stays_open) {
        part.open = sum;
      } else if (goes_on) {
        part.head = sum;
      } else {
        visit(s, sum);
      }
    }
  }
};

template <class T>
struct read_part {
  part_of_segment<T> const* parts;
  RAVEL_HD flagged<T> operator()(index_t t) const { return {parts[t].open, parts[t].begins}; }
};
template <class T, class M, class Visit>
struct visit_ending_of {
  part_of_segment<T> const* parts;
  M m;
  Visit visit;
  RAVEL_HD void operator()(index_t t, flagged<T> const& ahead, flagged<T> const&) const {
    if (index_t const s = parts[t].ending; s >= 0) visit(s, T(m(ahead.value, parts[t].head)));
  }
};

/// True if that was done: not of values too large for shared memory.
template <class Load, class Segments, class M, class Seed, class Visit>
bool reduce_computed(executor const& ex, index_t n, Load load, Segments segments, M m, Seed seed,
                     Visit visit) {
  using T = carrier_t<M>;
  if constexpr (std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
                sizeof(T) <= 16) {
    index_t const all = n + segments.count();
    index_t const tiles = ex.tile_count(all);
    auto const ended = ex.template scratch<index_t>(tiles + 1);
    auto const parts = ex.template scratch<part_of_segment<T>>(tiles);
    partition_points(ex, tiles + 1, segments.count(),
                     ends_before_tile<Segments>{segments, block::tile_width}, ended.data());
    ex.for_each_tile(all, reduce_merged_tile<Load, Segments, M, Seed, Visit>{
                              load, segments, m, seed, visit, ended.data(), parts.data()});
    segmented<M> const lifted{m};
    scan_on(ex, tiles, read_part<T>{parts.data()},
            visit_ending_of<T, M, Visit>{parts.data(), m, visit}, lifted,
            ravel::detail::seed_identity<segmented<M>>{lifted}, ravel::detail::no_total{});
    return true;
  }
  return false;
}

}  // namespace detail
}  // namespace ravel::inline v0::cuda
