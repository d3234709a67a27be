#pragma once

/// @file
/// Segmented sort of integers of up to 4 bytes on a device.
///
/// A block sorts all short segments that begin in its part of the sequence at once: what it
/// sorts is the number of the segment, and behind that the key.  Long segments are cut into
/// chunks that a block sorts, which are then merged, pair by pair, as often as the longest
/// segment needs.
///
/// How many long segments there are is known on the device alone: the launches are as many
/// as one long segment would need, and those that find nothing to do end.

#include <ravel/algorithms/cuda/comparison_sort.cuh>
#include <ravel/algorithms/cuda/sort_bucket.cuh>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

/// By a warp: the first segment that begins at x or behind it; their number if none does.
template <class S>
__device__ index_t first_segment_from(S const& segments, index_t x) {
  int const lane = threadIdx.x % warp_size;
  index_t first = 0, last = segments.count();
  while (first < last) {
    index_t const step = div_up(last - first, warp_size);
    index_t const at = first + lane * step;
    bool const is = at < last && segments.begin(at) < x;
    int const asked = __popc(__ballot_sync(whole_warp, is));
    last = first + asked * step < last ? first + asked * step : last;
    if (asked > 0) first += (asked - 1) * step + 1;
  }
  return first;
}

/// A long segment, and the number of the first of its chunks.
struct long_segment {
  index_t begin, end;
  index_t first_chunk;
};
/// The long segments, in device memory.  Chunks and segments are counted in one word, so
/// that their order is the same.
struct long_segments {
  static constexpr int chunk_bits = 36;
  word64 counted;  // segments, and below them chunks
  word64 longest;
  long_segment at[1];  // as many as there are

  __device__ index_t count() const { return static_cast<index_t>(counted >> chunk_bits); }
  __device__ index_t chunks() const {
    return static_cast<index_t>(counted & ((word64{1} << chunk_bits) - 1));
  }
};

struct segment_shape {
  using block = bucket_block<std::uint64_t, digit_policy::small_bucket>;
  static constexpr int window = digit_policy::segment_window;  // in which its segments begin
  static constexpr int longest = block::most - window;         // of a short segment
  static constexpr int merged = digit_policy::merging_threads * digit_policy::merged_items(4);
  using chunk_block = bucket_block<std::uint32_t, digit_policy::large_bucket>;
  static constexpr index_t chunk = chunk_block::most / merged * merged;
  static_assert(chunk > 0);

  struct room {
    block::room sorted;
    int begin[window];  // of each segment in the block's keys
    int moved[window];  // from there to its place in the window
    unsigned of_warp[block::warps];
    index_t range[2];
  };
};

template <class S>
struct list_long {
  S segments;
  long_segments* to;
  __device__ void operator()(index_t s) const {
    index_t const begin = segments.begin(s), end = segments.begin(s + 1);
    if (end - begin <= segment_shape::longest) return;
    auto const chunks = static_cast<word64>(div_up(end - begin, segment_shape::chunk));
    word64 const ahead = atomicAdd(&to->counted, (word64{1} << long_segments::chunk_bits) + chunks);
    atomicMax(&to->longest, static_cast<word64>(end - begin));
    to->at[ahead >> long_segments::chunk_bits] = {
        begin, end, static_cast<index_t>(ahead & ((word64{1} << long_segments::chunk_bits) - 1))};
  }
};

template <class K, class Order, class S>
__global__ void __launch_bounds__(segment_shape::block::threads, 2)
    sort_short_segments_kernel(K const* in, K* out, S segments, Order order) {
  using shape = segment_shape;
  using block = shape::block;
  constexpr int threads = block::threads;
  auto& room = *reinterpret_cast<shape::room*>(shared_bytes());
  int const thread = threadIdx.x;
  int const lane = thread % warp_size, warp = thread / warp_size;
  index_t const base = index_t{blockIdx.x} * shape::window;
  if (warp < 2) {
    index_t const s = first_segment_from(segments, base + warp * shape::window);
    if (lane == 0) room.range[warp] = s;
  }
  __syncthreads();

  // Its short segments that are not empty, side by side.
  int count = 0, keys = 0;
  for (index_t first = room.range[0]; first < room.range[1]; first += threads) {
    index_t const s = first + thread;
    index_t const begin = s < room.range[1] ? segments.begin(s) : 0;
    index_t const length = s < room.range[1] ? segments.begin(s + 1) - begin : 0;
    bool const is = length > 0 && length <= shape::longest;
    unsigned const mine = is ? 1u << 16 | static_cast<unsigned>(length) : 0;
    unsigned const through = warp_scan(mine, plus<unsigned>{});
    if (lane == warp_size - 1) room.of_warp[warp] = through;
    __syncthreads();
    unsigned const of_lane = lane < block::warps ? room.of_warp[lane] : 0;
    unsigned const ahead =
        through - mine + __reduce_add_sync(whole_warp, lane < warp ? of_lane : 0u);
    unsigned const all = __reduce_add_sync(whole_warp, of_lane);
    if (is) {
      int const at = keys + static_cast<int>(ahead & 0xffff);
      room.begin[count + static_cast<int>(ahead >> 16)] = at;
      room.moved[count + static_cast<int>(ahead >> 16)] = static_cast<int>(begin - base) - at;
    }
    count += static_cast<int>(all >> 16);
    keys += static_cast<int>(all & 0xffff);
    __syncthreads();
  }
  if (keys == 0) return;

  std::uint64_t* const together = room.sorted.staged;
  for (int j = warp; j < count; j += block::warps) {
    int const begin = room.begin[j], end = j + 1 < count ? room.begin[j + 1] : keys;
    for (int i = begin + lane; i < end; i += warp_size) {
      together[i] = static_cast<std::uint64_t>(j) << 32 | order(in[base + room.moved[j] + i]);
    }
  }
  __syncthreads();
  block::sort_loaded(
      room.sorted, keys, [&](int i) { return together[i]; },
      [&](int place, std::uint64_t x) {
        out[base + room.moved[x >> 32] + place] =
            order.back(static_cast<decltype(order(*in))>(x & 0xffffffff));
      });
}

/// Which buffer holds the rows of long segments before merge `pass`, so that they are in
/// `out` after the last.
__device__ inline bool are_in_out(index_t longest, int pass) {
  int passes = 0;
  for (index_t run = segment_shape::chunk; run < longest; run *= 2) ++passes;
  return (passes - pass) % 2 == 0;
}

/// The long segment that the chunk is of.
__device__ inline long_segment const& segment_of_chunk(long_segments const& longs, index_t chunk) {
  index_t first = 0, last = longs.count();
  while (last - first > 1) {
    index_t const middle = (first + last) / 2;
    (longs.at[middle].first_chunk <= chunk ? first : last) = middle;
  }
  return longs.at[first];
}

template <class K, class Order>
__global__ void __launch_bounds__(segment_shape::chunk_block::threads, 1)
    sort_chunks_kernel(K const* in, K* out, K* aside, long_segments const* longs, Order order) {
  using shape = segment_shape;
  auto& room = *reinterpret_cast<shape::chunk_block::room*>(shared_bytes());
  if (longs->counted == 0) return;
  K* const to = are_in_out(static_cast<index_t>(longs->longest), 0) ? out : aside;
  for (index_t c = blockIdx.x; c < longs->chunks(); c += gridDim.x) {
    long_segment const of = segment_of_chunk(*longs, c);
    index_t const begin = of.begin + (c - of.first_chunk) * shape::chunk;
    index_t const size = min(shape::chunk, of.end - begin);
    K const* const from = in + begin;
    shape::chunk_block::sort_loaded(
        room, static_cast<int>(size), [&](int i) { return std::uint32_t{order(from[i])}; },
        [&](int place, std::uint32_t x) {
          to[begin + place] = order.back(static_cast<decltype(order(*in))>(x));
        });
  }
}

/// Keys are compared in their order.
template <class Order>
struct before_in {
  Order order;
  template <class K>
  __device__ bool operator()(K x, K y) const {
    return order(x) < order(y);
  }
};

template <class K, class Order>
__global__ void __launch_bounds__(digit_policy::merging_threads)
    merge_chunks_kernel(K* out, K* aside, long_segments const* longs, Order order, int pass) {
  using block_t = merge_block<K, no_value, before_in<Order>>;
  constexpr index_t width = block_t::width;
  constexpr index_t tiles_of_chunk = segment_shape::chunk / width;
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  block_t const block{room, {order}};
  index_t const run = segment_shape::chunk << pass;
  auto const longest = static_cast<index_t>(longs->longest);
  if (run >= longest) return;
  bool const in_out = are_in_out(longest, pass);
  rows<K const, no_value const> const from{in_out ? out : aside, nullptr};
  rows<K, no_value> const to{in_out ? aside : out, nullptr};
  for (index_t t = blockIdx.x; t < longs->chunks() * tiles_of_chunk; t += gridDim.x) {
    long_segment const of = segment_of_chunk(*longs, t / tiles_of_chunk);
    index_t const begin = of.begin + (t - of.first_chunk * tiles_of_chunk) * width;
    if (begin < of.end) {
      index_t const first = of.begin + (begin - of.begin) / (2 * run) * (2 * run);
      block.merge_tile(from, to, begin, static_cast<int>(min(width, of.end - begin)), first,
                       min(first + run, of.end), min(first + 2 * run, of.end));
    }
    __syncthreads();
  }
}

}  // namespace detail

/// As segmented_sort, of integers of up to 4 bytes.
template <class K, class S>
requires(std::is_integral_v<K> && sizeof(K) <= 4 && !std::same_as<K, bool> &&
         S::numbered) bool sort_keys_in_segments_on(executor const& ex, index_t n, K const* in,
                                                    K* out, S const& segments, bool down) {
  using shape = detail::segment_shape;
  using U = ravel::detail::unsigned_of_t<K>;
  using order_t = detail::integer_order<U>;
  U const sign = radix_key<K>::bits(K{0});
  order_t const order{static_cast<U>(down ? ~sign : sign)};
  auto const* const from = reinterpret_cast<U const*>(in);
  auto* const to = reinterpret_cast<U*>(out);
  if (n == 0) return true;

  index_t const most_long = n / (shape::longest + 1);
  auto const bytes = static_cast<index_t>(sizeof(detail::long_segments) +
                                          sizeof(detail::long_segment) * most_long);
  auto const list = ex.scratch<detail::word64>(div_up(bytes, sizeof(detail::word64)));
  auto const aside = ex.scratch<U>(most_long > 0 ? n : 0);
  auto* const longs = reinterpret_cast<detail::long_segments*>(list.data());
  if (most_long > 0) {
    ex.clear(device_view(list.data(), 2));
    for_each_index(ex, segments.count(), detail::list_long<S>{segments, longs});
    ex.launch_sharing<detail::sort_chunks_kernel<U, order_t>>(
        {std::min(ex.multiprocessors(), div_up(n, shape::longest)), shape::chunk_block::threads,
         false, shape::chunk_block::bytes},
        from, to, aside.data(), longs, order);
  }
  ex.launch_sharing<detail::sort_short_segments_kernel<U, order_t, S>>(
      {div_up(n, shape::window), shape::block::threads, false, sizeof(shape::room)}, from, to,
      segments, order);
  using merging = detail::merge_block<U, no_value, detail::before_in<order_t>>;
  index_t const tiles = div_up(n, index_t{merging::width}) + most_long;
  for (int pass = 0; shape::chunk << pass < n; ++pass) {
    ex.launch_sharing<detail::merge_chunks_kernel<U, order_t>>(
        {std::min(tiles, 8 * ex.multiprocessors()), merging::threads, false, merging::bytes}, to,
        aside.data(), longs, order, pass);
  }
  return true;
}

}  // namespace ravel::inline v0::cuda
