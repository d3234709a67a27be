#pragma once

/// @file
/// Segmented sort of integers of up to 4 bytes on a device.
///
/// A block holds the segments of its tile in shared memory.  A thread sorts a short one in
/// registers, and the lanes of a warp together a longer one; still longer ones are listed
/// for long_segments.cuh.  Tiles are cut over elements and segments, so that neither many
/// empty segments nor few long ones are the lot of one block.

#include <ravel/algorithms/cuda/long_segments.cuh>
#include <ravel/algorithms/cuda/sort_bucket.cuh>
#include <ravel/algorithms/cuda/sort_in_lanes.cuh>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/stretch_copy.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

/// A tile: `window` segments and elements together, and the rest of its last segment.
struct segment_tile_shape {
  static constexpr int threads = digit_policy::segment_threads;
  static constexpr int warps = threads / warp_size;
  static constexpr int window = digit_policy::segment_window;
  static constexpr int of_thread = 16;  // the longest segment of one thread
  static constexpr int of_lane = 32;    // keys of each lane where several have a segment
  static constexpr int longest = of_lane * warp_size;
  static constexpr int classes = 6;  // of segments of 1, 2, ..., 32 lanes
  static_assert(1 << (classes - 1) == warp_size);

  /// Where the list of a class begins: there are few that are longer than half the class.
  static constexpr RAVEL_HD int list_of(int c) {
    int at = 0;
    for (int k = 0; k < c; ++k) at += window / ((of_lane << k) / 2) + 1;
    return at;
  }
};
template <class U>
struct segment_tile : segment_tile_shape {
  static constexpr int room = room_of_stretch<U>(window + longest);
  static_assert(room < 1 << 16);
  alignas(128) U keys[room];          // as they are given, and as they are to be
  unsigned listed[list_of(classes)];  // lengths, and below 16 bits where they begin
  int count[classes];
  barrier landed;
};

/// Whether a segment begins before tile i.
template <class S>
struct begins_before_tile {
  S segments;
  struct before {
    S segments;
    index_t at;
    __device__ bool operator()(index_t s) const { return segments.begin(s) + s < at; }
  };
  __device__ before operator()(index_t i) const {
    return {segments, i * segment_tile_shape::window};
  }
};

/// The keys of a tile.  Segments that begin in the same bank of shared memory are common, as
/// those of one length are: so a thread goes through N places of its own in an order of its
/// own, for a network takes them in any.
template <class U, class Order>
struct keys_of_tile {
  U* keys;
  Order order;

  /// Loads places k * apart ^ turn that are in a segment, `apart` a power of two.
  template <int N>
  __device__ void load(unsigned (&x)[N], int begin, int length, int apart, int turn) const {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      int const i = k * apart ^ turn;
      x[k] = i < length ? unsigned{order(keys[begin + i])} : ~0u;
    }
  }
  /// Stores to places k ^ turn.
  template <int N>
  __device__ void store(unsigned (&x)[N], int begin, int length, int turn) const {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      int const i = k ^ turn;
      if (i < length) keys[begin + i] = order.back(static_cast<U>(x[k]));
    }
  }

  /// A thread sorts a segment of up to N keys.
  template <int N>
  __device__ void sort_by_thread(int begin, int length) const {
    constexpr bool is_power = (N & (N - 1)) == 0;
    int const turn = is_power ? begin / warp_size % N : 0;
    unsigned x[N];
    load(x, begin, length, 1, turn);
    sort_in_thread(x);
    store(x, begin, length, 0);
  }

  /// A warp sorts the next of the listed segments, with `lanes` lanes each.
  __device__ void sort_by_lanes(unsigned const* listed, int count, int lanes) const {
    constexpr int items = segment_tile_shape::of_lane;
    int const lane = threadIdx.x % warp_size;
    unsigned const mine = lane / lanes < count ? listed[lane / lanes] : 0;
    int const begin = static_cast<int>(mine & 0xffff), length = static_cast<int>(mine >> 16);
    unsigned x[items];
    load(x, begin, length, lanes, lane);
    sort_in_lanes(x, lanes);
    turn_registers(x, lane);
    __syncwarp();  // all have read what is written over
    store(x, begin, length, lane % lanes * items ^ lane);
  }
};

/// Sorts the segment of a thread in registers, or lists a longer one.
template <class U, class Order>
__device__ void sort_or_list(segment_tile<U>& room, keys_of_tile<U, Order> const& keys,
                             index_t base, index_t here, index_t next, long_segments const& longs) {
  using shape = segment_tile_shape;
  int const begin = static_cast<int>(here - base);
  int length = static_cast<int>(next - here);
  if (next - here > shape::longest) {
    longs.list(here, next, listed_run::in, 0);
    length = 0;
  }
  if (length > shape::of_thread) {
    int const c = 32 - __clz((length - 1) / shape::of_lane);
    room.listed[shape::list_of(c) + atomicAdd(&room.count[c], 1)] =
        static_cast<unsigned>(length) << 16 | static_cast<unsigned>(begin);
    length = 0;
  }
  unsigned const most = __reduce_max_sync(whole_warp, static_cast<unsigned>(length));
  if (most > 12) {
    keys.template sort_by_thread<16>(begin, length);
  } else if (most > 8) {
    keys.template sort_by_thread<12>(begin, length);
  } else if (most > 4) {
    keys.template sort_by_thread<8>(begin, length);
  } else if (most > 1) {
    keys.template sort_by_thread<4>(begin, length);
  }
}

template <class U, class Order, class S>
__global__ void __launch_bounds__(segment_tile_shape::threads, digit_policy::segment_blocks)
    sort_short_segments_kernel(index_t n, U const* in, U* out, S segments, index_t const* starts,
                               Order order, long_segments longs) {
  using shape = segment_tile_shape;
  constexpr int threads = shape::threads;
  auto& room = *reinterpret_cast<segment_tile<U>*>(shared_bytes());
  int const thread = threadIdx.x;
  index_t const first = starts[blockIdx.x], last = starts[blockIdx.x + 1];
  if (first == last) return;

  // The last of them is left alone if it is long.  Long ones between go with the others,
  // unsorted, and are written over by what sorts them.
  index_t const begin = segments.begin(first);
  index_t const last_begin = segments.begin(last - 1), end = segments.begin(last);
  index_t const stop = end - last_begin <= shape::longest ? end : last_begin;
  U* const keys = room.keys + past_vector(in + begin);
  if (thread < shape::classes) room.count[thread] = 0;
  copy_stretch(room.keys, in, n, begin, stop, room.landed, threads);
  auto const begin_of = [&](index_t s) { return s <= last ? segments.begin(s) : end; };
  index_t here = begin_of(first + thread), next = begin_of(first + thread + 1);
  wait_for_stretch(room.landed);

  keys_of_tile<U, Order> const tile{keys, order};
  for (index_t from = first; from < last; from += threads) {
    index_t const this_here = here, this_next = next;
    here = begin_of(from + threads + thread);  // for the next round
    next = begin_of(from + threads + thread + 1);
    sort_or_list(room, tile, begin, this_here, this_next, longs);
  }
  __syncthreads();

  // The longest first.
  int task = thread / warp_size;
#pragma unroll 1
  for (int c = shape::classes - 1; c >= 0; --c) {
    int const at_a_time = warp_size >> c;
    int const tasks = static_cast<int>(div_up(room.count[c], at_a_time));
#pragma unroll 1
    for (; task < tasks; task += shape::warps) {
      tile.sort_by_lanes(room.listed + shape::list_of(c) + task * at_a_time,
                         room.count[c] - task * at_a_time, 1 << c);
    }
    task -= tasks;
  }
  copy_stretch_out(out + begin, keys, static_cast<int>(stop - begin), threads);
}

}  // namespace detail

/// As segmented_sort, of integers of up to 4 bytes.
template <class K, class S>
requires(std::is_integral_v<K> && sizeof(K) <= 4 && !std::same_as<K, bool> &&
         S::numbered) bool sort_keys_in_segments_on(executor const& ex, index_t n, K const* in,
                                                    K* out, S const& segments, bool down) {
  using U = ravel::detail::unsigned_of_t<K>;
  using tile = detail::segment_tile<U>;
  using order_t = detail::integer_order<U>;
  U const sign = radix_key<K>::bits(K{0});
  order_t const order{static_cast<U>(down ? ~sign : sign)};
  auto const* const from = reinterpret_cast<U const*>(in);
  auto* const to = reinterpret_cast<U*>(out);
  if (n == 0) return true;

  index_t const tiles = div_up(n + segments.count(), index_t{tile::window});
  auto const starts = ex.scratch<index_t>(tiles + 1);
  // The first launch comes first: the device searches while the rest is made ready.
  partition_points(ex, tiles + 1, segments.count(), detail::begins_before_tile<S>{segments},
                   starts.data());
  detail::long_segment_sort<U> const longs(ex, n, tile::longest);
  ex.launch_sharing<detail::sort_short_segments_kernel<U, order_t, S>>(
      {tiles, tile::threads, false, sizeof(tile)}, n, from, to, segments, starts.data(), order,
      longs.lists());
  longs.run(from, to, order);
  return true;
}

}  // namespace ravel::inline v0::cuda
