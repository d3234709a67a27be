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

  /// Where key i of a tile is, so that threads at i, i + 32, ... meet in no bank.
  static constexpr RAVEL_HD int place(int i) { return i + i / warp_size; }
  /// Where the list of a class begins: there are few that are longer than half the class.
  static constexpr RAVEL_HD int list_of(int c) {
    int at = 0;
    for (int k = 0; k < c; ++k) at += window / ((of_lane << k) / 2) + 1;
    return at;
  }
};
struct segment_tile : segment_tile_shape {
  unsigned keys[window + longest + (window + longest) / warp_size];
  unsigned listed[list_of(classes)];  // lengths, and below 16 bits where they begin
  int count[classes];
};
static_assert(segment_tile::window + segment_tile::longest < 1 << 16);

/// Whether a segment begins before tile i.
template <class S>
struct begins_before_tile {
  S segments;
  struct before {
    S segments;
    index_t at;
    __device__ bool operator()(index_t s) const { return segments.begin(s) + s < at; }
  };
  __device__ before operator()(index_t i) const { return {segments, i * segment_tile::window}; }
};

/// A thread sorts a segment of up to N keys.
template <int N>
__device__ void sort_by_thread(unsigned* keys, int begin, int length) {
  unsigned x[N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    x[k] = k < length ? keys[segment_tile::place(begin + k)] : ~0u;
  }
  sort_in_thread(x);
#pragma unroll
  for (int k = 0; k < N; ++k) {
    if (k < length) keys[segment_tile::place(begin + k)] = x[k];
  }
}

/// A warp sorts the next of the listed segments, with `lanes` lanes each.
__device__ inline void sort_by_lanes(unsigned* keys, unsigned const* listed, int count, int lanes) {
  constexpr int items = segment_tile::of_lane;
  int const lane = threadIdx.x % warp_size;
  unsigned const mine = lane / lanes < count ? listed[lane / lanes] : 0;
  int const begin = static_cast<int>(mine & 0xffff), length = static_cast<int>(mine >> 16);
  int const first = lane % lanes;
  unsigned x[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    int const i = first + k * lanes;
    x[k] = i < length ? keys[segment_tile::place(begin + i)] : ~0u;
  }
  sort_in_lanes(x, lanes);
  __syncwarp();  // all have read what is written over
#pragma unroll
  for (int k = 0; k < items; ++k) {
    int const i = first * items + k;
    if (i < length) keys[segment_tile::place(begin + i)] = x[k];
  }
}

/// Sorts the segments of thread t of a block in registers, and lists longer ones.
__device__ inline void sort_or_list(segment_tile& room, index_t base, index_t here, index_t next,
                                    long_segments const& longs) {
  using shape = segment_tile;
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
    sort_by_thread<16>(room.keys, begin, length);
  } else if (most > 8) {
    sort_by_thread<12>(room.keys, begin, length);
  } else if (most > 4) {
    sort_by_thread<8>(room.keys, begin, length);
  } else if (most > 1) {
    sort_by_thread<4>(room.keys, begin, length);
  }
}

template <class U, class Order, class S>
__global__ void __launch_bounds__(segment_tile::threads, digit_policy::segment_blocks)
    sort_short_segments_kernel(U const* in, U* out, S segments, index_t const* starts, Order order,
                               long_segments longs) {
  using shape = segment_tile;
  constexpr int threads = shape::threads;
  constexpr int at_once = 8;
  auto& room = *reinterpret_cast<segment_tile*>(shared_bytes());
  int const thread = threadIdx.x;
  unsigned* const my_keys = room.keys + shape::place(thread);
  index_t const first = starts[blockIdx.x], last = starts[blockIdx.x + 1];
  if (first == last) return;

  // The last of them is left alone if it is long.  Long ones between go with the others,
  // unsorted, and are written over by what sorts them.
  index_t const base = segments.begin(first);
  index_t const last_begin = segments.begin(last - 1), end = segments.begin(last);
  int const count =
      static_cast<int>((end - last_begin <= shape::longest ? end : last_begin) - base);
  auto const begin_of = [&](index_t s) { return s <= last ? segments.begin(s) : end; };
  index_t here = begin_of(first + thread), next = begin_of(first + thread + 1);
  if (thread < shape::classes) room.count[thread] = 0;
  // By each thread, some keys at once: move(is, i) moves the k-th of those from i on if is(k).
  auto const move_all = [&](auto move) {
    for (int i = 0; i < count; i += threads * at_once) {
      if (count - i >= threads * at_once) {
        move([](int) { return true; }, i);
      } else {
        move([&](int k) { return i + k * threads + thread < count; }, i);
      }
    }
  };
  U const* const my_in = in + base + thread;
  move_all([&](auto is, int i) {
    U x[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (is(k)) x[k] = my_in[i + k * threads];
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (is(k)) my_keys[shape::place(i) + shape::place(k * threads)] = order(x[k]);
    }
  });
  __syncthreads();

  for (index_t from = first; from < last; from += threads) {
    index_t const this_here = here, this_next = next;
    here = begin_of(from + threads + thread);  // for the next round
    next = begin_of(from + threads + thread + 1);
    sort_or_list(room, base, this_here, this_next, longs);
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
      sort_by_lanes(room.keys, room.listed + shape::list_of(c) + task * at_a_time,
                    room.count[c] - task * at_a_time, 1 << c);
    }
    task -= tasks;
  }
  __syncthreads();

  U* const my_out = out + base + thread;
  move_all([&](auto is, int i) {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (is(k)) {
        my_out[i + k * threads] =
            order.back(static_cast<U>(my_keys[shape::place(i) + shape::place(k * threads)]));
      }
    }
  });
}

}  // namespace detail

/// As segmented_sort, of integers of up to 4 bytes.
template <class K, class S>
requires(std::is_integral_v<K> && sizeof(K) <= 4 && !std::same_as<K, bool> &&
         S::numbered) bool sort_keys_in_segments_on(executor const& ex, index_t n, K const* in,
                                                    K* out, S const& segments, bool down) {
  using tile = detail::segment_tile;
  using U = ravel::detail::unsigned_of_t<K>;
  using order_t = detail::integer_order<U>;
  U const sign = radix_key<K>::bits(K{0});
  order_t const order{static_cast<U>(down ? ~sign : sign)};
  auto const* const from = reinterpret_cast<U const*>(in);
  auto* const to = reinterpret_cast<U*>(out);
  if (n == 0) return true;

  index_t const tiles = div_up(n + segments.count(), index_t{tile::window});
  auto const starts = ex.scratch<index_t>(tiles + 1);
  detail::long_segment_sort<U> const longs(ex, n, tile::longest);
  partition_points(ex, tiles + 1, segments.count(), detail::begins_before_tile<S>{segments},
                   starts.data());
  ex.launch_sharing<detail::sort_short_segments_kernel<U, order_t, S>>(
      {tiles, tile::threads, false, sizeof(tile)}, from, to, segments, starts.data(), order,
      longs.lists());
  longs.run(from, to, order);
  return true;
}

}  // namespace ravel::inline v0::cuda
