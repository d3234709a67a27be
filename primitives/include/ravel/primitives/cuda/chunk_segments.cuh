#pragma once

/// Finds the segment of each element in a warp's chunks.
///
/// A warp processes a run of elements in chunks.  It searches once, for the segment of the first
/// element. Then its lanes read offsets, coalesced, one for each segment.  For a segment that
/// begins in the chunk they set a bit in shared memory, and store the data that its elements have
/// in common.  Each element uses the data at the nearest set bit at or before it.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/segments.hpp>

#include <utility>

namespace ravel::inline v0::gpu::detail {

/// The search in chunks.  `Visit` provides of_segment(s, b): the data common to the elements of
/// segment s, which begins at element b.
template <class Segments, class Visit>
struct chunk_segments {
  static constexpr int items = 8;    // elements of a chunk, for each lane
  static constexpr int windows = 4;  // windows of 32 offsets that are loaded together
  static constexpr int chunk = items * warp_size;
  static constexpr int window = windows * warp_size;
  using of_segment = decltype(std::declval<Visit const&>().of_segment(index_t{}, index_t{}));

  /// The shared memory of a warp.
  struct shared {
    unsigned heads[items];  // bits set where segments begin
    // data of those segments; the last slot is for the segment that began before the chunk
    shared_array<of_segment, chunk + 1> of;
  };

  Segments const& segments;
  Visit const& visit;
  shared& known;
  index_t count, next;  // number of segments, and the first one of the window of offsets
  index_t begins[windows + 1];

  /// For the elements from `begin` on, of which there must be at least one.
  __device__ chunk_segments(Segments const& s, Visit const& visitor, shared& place, index_t begin)
      : segments(s), visit(visitor), known(place), count(s.count()) {
    index_t const first = segment_of(begin);
    next = first + 1;
    read_window();
    if (lane() == 0) known.of[chunk] = visit.of_segment(first, segments.begin(first));
  }

  /// Sets the bits of segments that begin among the elements [begin, stop) of the next chunk.
  __device__ void mark(index_t begin, index_t stop) {
    if (lane() < items) known.heads[lane()] = 0;
    __syncwarp();
    for (;;) {
#pragma unroll
      for (int k = 0; k < windows; ++k) {
        index_t const s = next + k * warp_size + lane();
        index_t const following = __shfl_sync(whole_warp, begins[k + 1], 0);
        index_t const next_lanes = __shfl_down_sync(whole_warp, begins[k], 1);
        index_t const its_end = lane() < warp_size - 1 ? next_lanes : following;
        if (s < count && begin <= begins[k] && begins[k] < stop && begins[k] < its_end) {
          int const place = static_cast<int>(begins[k] - begin);
          // overlapping (malformed) segments may write one slot at the same time: one of them wins
          known.of[place] = visit.of_segment(s, begins[k]);
          atomicOr(&known.heads[place / warp_size], 1u << place % warp_size);
        }
      }
      if (next + window >= count || begins[windows] >= stop) break;
      next += window;
      read_window();
    }
    __syncwarp();
  }

  /// Finds the segment data of the lane's elements in the chunk that has been marked.
  __device__ void find(of_segment (&segment)[items]) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      unsigned const heads = known.heads[k];
      unsigned const ahead = heads & (whole_warp >> (warp_size - 1 - lane()));
      int const row_end = k * warp_size + warp_size - 1;
      segment[k] = known.of[ahead != 0 ? row_end - __clz(static_cast<int>(ahead)) : last_];
      if (heads != 0) last_ = row_end - __clz(static_cast<int>(heads));
    }
  }

  /// Must be called after find and before the next mark.
  __device__ void go_on() {
    __syncwarp();
    if (lane() == 0 && last_ != chunk) known.of[chunk] = known.of[last_];
    last_ = chunk;
  }

 private:
  int last_ = chunk;  // the slot of the last segment that has begun

  static __device__ int lane() { return static_cast<int>(threadIdx.x % warp_size); }

  __device__ void read_window() {
#pragma unroll
    for (int k = 0; k < windows; ++k) {
      begins[k] = segments.begin(::min(next + k * warp_size + lane(), count));
    }
    begins[windows] = segments.begin(::min(next + window, count));
  }

  /// The last segment that begins at or before element i: a 33-ary search by the warp.
  __device__ index_t segment_of(index_t i) const {
    // invariant: the first begins at or before i, last_of_all after i
    index_t first = 0, last_of_all = count;
    while (last_of_all - first > 1) {
      bool const few = last_of_all - first <= warp_size + 1;
      auto const place = [&](int l) {
        return first + (few ? l + 1 : (l + 1) * (last_of_all - first) / (warp_size + 1));
      };
      bool const yes = place(lane()) < last_of_all && segments.begin(place(lane())) <= i;
      int const many = __popc(__ballot_sync(whole_warp, yes));
      index_t const found = many > 0 ? place(many - 1) : first;
      if (few) return found;
      if (many < warp_size) last_of_all = place(many);
      first = found;
    }
    return first;
  }
};

}  // namespace ravel::inline v0::gpu::detail
