#pragma once

/// Sorts segments of a tile in shared memory: each by one thread, or by a group of lanes of a warp.

#include <ravel/algorithms/cuda/long_segment_lists.cuh>
#include <ravel/algorithms/cuda/sort_in_lanes.cuh>
#include <ravel/core/cuda/warp.cuh>

namespace ravel::inline v0::gpu::detail {

/// Which keys a lane of a group loads and stores: its register k loads key k * lanes ^ from of the
/// segment, and stores key k ^ to of the sorted one.
///
/// Segments often begin in the same bank of shared memory, for instance those of one length.  So
/// each lane permutes its accesses by an exclusive-or with its own offset, which avoids bank conflicts.
/// A sorting network permits any order of its input.
template <int N, bool IsAlone>
struct lane_of_group {
  static constexpr bool is_power = (N & (N - 1)) == 0;
  static constexpr unsigned of_lane = std::bit_ceil(unsigned{N});
  int lanes, from, to;

  static __device__ lane_of_group of(int lanes) {
    int const lane = threadIdx.x % warp_size;
    return {lanes, lane % (lanes * N), lane % lanes * N ^ lane % N};
  }
  static __device__ lane_of_group alone(int bits) { return {1, is_power ? bits % N : 0, 0}; }

  __device__ int loaded(int k) const { return k * lanes ^ from; }
  __device__ int stored(int k) const { return k ^ to; }
  /// The index of the lane's first key in the sorted segment.
  __device__ int first() const { return to / N * N; }
  /// Permutes the sorted keys in registers, so that lanes store them to different banks.
  template <class T>
  __device__ void permute(T (&x)[N]) const {
    if constexpr (!IsAlone) xor_permute(x, to % N);
  }
  /// A mask of the bits that the places in a segment need.
  __device__ unsigned places() const { return of_lane * static_cast<unsigned>(lanes) - 1; }
};

/// The keys of a tile, which are sorted in place.
template <class U, class Order>
struct keys_of_tile {
  using word = key_word<U>;
  // keys in one row of all banks
  static constexpr int of_row = sizeof(U) <= 4 ? warp_size : warp_size / 2;
  U* keys;
  Order order;

  template <int N, bool IsAlone>
  __device__ void sort(lane_of_group<N, IsAlone> group, int begin, int length) const {
    word x[N];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      int const i = group.loaded(k);
      x[k] = i < length ? word{order(keys[begin + i])} : static_cast<word>(~word{0});
    }
    sort_in_lanes(x, group.lanes);
    group.permute(x);
    __syncwarp();  // all lanes have read their keys before any writes
#pragma unroll
    for (int k = 0; k < N; ++k) {
      int const i = group.stored(k);
      if (i < length) keys[begin + i] = order.back(static_cast<U>(x[k]));
    }
  }
};

/// The rows of a tile, sorted by 32 bits of their keys.  Row i of the sorted tile is row places[i]
/// of the tile.
///
/// Words of 32 bits are sorted.  Their high bits are those of the key, from the first bit in which
/// the segment's keys differ; their low bits are the row's place, which makes the sort stable.  A
/// comparator of 32-bit words takes two instructions, of 64-bit words six.  If the key bits that fit
/// do not distinguish all keys, a second round sorts by the others.
struct rows_of_tile {
  static constexpr int of_row = warp_size;
  std::uint32_t const* keys;
  std::uint16_t* places;

  template <int N, bool IsAlone>
  __device__ void sort(lane_of_group<N, IsAlone> group, int begin, int length) const {
    unsigned const low = group.places();
    int const equal = equal_bits(group, begin, length), shift = ::min(equal, 31);
    auto const key = [&](unsigned i) { return keys[begin + static_cast<int>(i)] << shift; };
    unsigned place[N];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      unsigned const i = static_cast<unsigned>(group.loaded(k));
      place[k] = group.loaded(k) < length ? (key(i) & ~low) | i : ~0u;
    }
    sort_in_lanes(place, group.lanes);
    bool const is_exact = equal >= __popc(low);
    if (!__all_sync(whole_warp, is_exact)) sort_again(place, group, length, key);
#pragma unroll
    for (int k = 0; k < N; ++k) place[k] &= low;
    group.permute(place);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      int const i = group.stored(k);
      if (i < length) places[begin + i] = static_cast<std::uint16_t>(begin + place[k]);
    }
  }

 private:
  /// The number of leading bits that all keys of the segment share.
  template <int N, bool IsAlone>
  __device__ int equal_bits(lane_of_group<N, IsAlone> group, int begin, int length) const {
    unsigned const first = length > 0 ? keys[begin] : 0;
    unsigned differ = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      int const i = group.loaded(k);
      if (i < length) differ |= keys[begin + i] ^ first;
    }
    int equal = __clz(static_cast<int>(differ));
    for (int far = group.lanes / 2; far > 0; far /= 2) {
      equal = ::min(equal, __shfl_xor_sync(whole_warp, equal, far));
    }
    return equal;
  }

  /// The second round, if the keys of the warp do not ascend yet.  A new word has the number of
  /// distinct high parts before it, then the key bits that the first word lacked, then the place.
  template <int N, bool IsAlone, class Key>
  static __device__ void sort_again(unsigned (&word)[N], lane_of_group<N, IsAlone> group,
                                    int length, Key const& key) {
    unsigned const low = group.places();
    auto const is_mine = [&](int k) { return group.first() + k < length; };
    unsigned lacked[N];
#pragma unroll
    for (int k = 0; k < N; ++k) lacked[k] = is_mine(k) ? key(word[k] & low) & low : 0;
    auto const descend = [&](unsigned x, unsigned x_lacks, unsigned y, unsigned y_lacks) {
      return (x & ~low) == (y & ~low) && x_lacks > y_lacks;
    };
    unsigned const next = __shfl_down_sync(whole_warp, word[0], 1);
    unsigned const next_lacks = __shfl_down_sync(whole_warp, lacked[0], 1);
    bool wrong = is_mine(N) && descend(word[N - 1], lacked[N - 1], next, next_lacks);
#pragma unroll
    for (int k = 1; k < N; ++k) {
      wrong |= is_mine(k) && descend(word[k - 1], lacked[k - 1], word[k], lacked[k]);
    }
    if (!__any_sync(whole_warp, wrong)) return;

    int const lane = threadIdx.x % group.lanes, bits = __popc(low);
    unsigned const before = __shfl_up_sync(whole_warp, word[N - 1], 1);
    unsigned number = lane > 0 && (before & ~low) != (word[0] & ~low);
#pragma unroll
    for (int k = 1; k < N; ++k) number += (word[k - 1] & ~low) != (word[k] & ~low);
    unsigned const of_lane = number;
    for (int far = 1; far < group.lanes; far *= 2) {
      unsigned const below = __shfl_up_sync(whole_warp, number, far);
      if (lane >= far) number += below;
    }
    number -= of_lane;  // the number in the lanes before this one
    unsigned last = lane > 0 ? before : word[0];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      number += (last & ~low) != (word[k] & ~low);
      last = word[k];
      word[k] = is_mine(k) ? (number << bits | lacked[k]) << bits | (word[k] & low) : ~0u;
    }
    sort_in_lanes(word, group.lanes);
  }
};

/// One thread sorts a segment of up to N keys.
template <int N, class Tile>
__device__ void sort_by_thread(Tile const& tile, int begin, int length) {
  tile.sort(lane_of_group<N, true>::alone(begin / Tile::of_row), begin, length);
}

/// A warp sorts the next of the listed segments, each of up to N keys for each of its `lanes`
/// lanes.  A list entry has a segment's length, and in the low 16 bits where it begins.
template <int N, class Tile>
__device__ void sort_by_lanes(Tile const& tile, unsigned const* listed, int count, int lanes) {
  int const group = static_cast<int>(threadIdx.x) % warp_size / lanes;
  unsigned const entry = group < count ? listed[group] : 0;
  tile.sort(lane_of_group<N, false>::of(lanes), static_cast<int>(entry & 0xffff),
            static_cast<int>(entry >> 16));
}

}  // namespace ravel::inline v0::gpu::detail
