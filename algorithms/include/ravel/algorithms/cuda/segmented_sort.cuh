#pragma once

/// Segmented sort on a device: a block sorts the short segments of a tile in shared memory; long
/// segments are listed, and sorted by blocks afterwards.
///
/// A thread sorts a very short segment in registers by a network, a group of lanes of one warp a
/// longer one; segments too long for a warp are listed for long_segments.cuh.  A tile has a fixed
/// number of elements plus segments (merge-path cuts), which balances the load for many empty
/// segments and for few long ones.

#include <ravel/algorithms/cuda/long_segments.cuh>
#include <ravel/algorithms/cuda/radix_sort.cuh>
#include <ravel/algorithms/cuda/segment_sources.cuh>
#include <ravel/algorithms/cuda/sort_in_tile.cuh>
#include <ravel/algorithms/segmented_sort/cuda.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/std_algobase.hpp>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/rows.hpp>

#include <optional>

namespace ravel::inline v0::gpu {
namespace detail {

/// A tile: `window` segments and elements in total, and the elements of its last segment beyond
/// that.
template <class Source>
struct segment_tile_shape {
  static constexpr int threads = digit_policy::segment_threads;
  static constexpr int warps = threads / warp_size;
  static constexpr int window = digit_policy::segment_window(sizeof(typename Source::word));
  static constexpr int of_thread = 16;  // the longest segment of one thread
  /// The number of keys that a lane sorts.
  static constexpr int of_lane = digit_policy::segment_lane(sizeof(typename Source::word));
  static constexpr int longest = of_lane * warp_size;
  static constexpr int classes = 6;  // size classes of segments, sorted by 1, 2, 4, ..., 32 lanes
  static_assert(1 << (classes - 1) == warp_size);

  /// Where the list of a size class begins.  A segment of class c has more than half of of_lane <<
  /// c keys, so a window has at most most_segments >> c of them: the list has room for these and for the
  /// segment that ends after the window.  Computed without division, as each warp evaluates it for
  /// each class.
  static constexpr RAVEL_HD int list_of(int c) {
    constexpr int most_segments = window / (of_lane / 2);
    return 2 * most_segments - (2 * most_segments >> c) + c;
  }
};
template <class Source>
struct segment_tile : segment_tile_shape<Source> {
  using U = typename Source::of_tile;
  using shape = segment_tile_shape<Source>;
  static constexpr int room = room_of_range<U>(shape::window + shape::longest);
  static_assert(room < 1 << 16);
  alignas(128) U keys[room];                             // unsorted, then sorted
  std::uint16_t places[Source::makes_words ? room : 1];  // where in the tile the sorted rows are
  // lists of segments by size class: length, and in the low 16 bits the begin
  unsigned listed[shape::list_of(shape::classes)];
  int count[shape::classes];
  barrier landed;
};

/// Predicate for the merge path: whether segment s begins before tile i.
template <class S>
struct begins_before_tile {
  S segments;
  index_t window;
  struct before {
    S segments;
    index_t at;
    __device__ bool operator()(index_t s) const { return segments.begin(s) < at - s; }
  };
  __device__ before operator()(index_t i) const { return {segments, i * window}; }
};

/// The elements [base, stop) of a tile in shared memory; the last segment ends at `end`.
struct tile_bounds {
  index_t base, stop, end;
};

/// Sorts the segment [start, next) of a thread in registers, or appends a longer one to the list of
/// its size class.  A segment outside of the tile comes from malformed offsets, and is skipped.
template <class Source, class Keys>
__device__ void sort_or_list(segment_tile<Source>& room, Keys const& keys, tile_bounds const& in,
                             index_t start, index_t next, long_segments const& longs) {
  using shape = segment_tile<Source>;
  int begin = static_cast<int>(start - in.base);
  int length = static_cast<int>(next - start);
  // too long for a warp, or of negative length
  if (static_cast<word64>(next - start) > word64{shape::longest}) {
    if (in.base <= start && start < next && next <= in.end) {
      longs.list(start, next, listed_run::in, 0);
    } else {
      longs.reject();
    }
    length = 0;
  } else if (start < in.base || in.stop < next) {
    if (length > 0) longs.reject();
    length = 0;
  }
  if (length > shape::of_thread) {
    int const c = 32 - __clz((length - 1) / shape::of_lane);
    int const place = shape::list_of(c) + atomicAdd(&room.count[c], 1);
    if (place < shape::list_of(shape::classes)) {  // always true if segments do not overlap
      room.listed[place] = static_cast<unsigned>(length) << 16 | static_cast<unsigned>(begin);
    }
    length = 0;
  }
  unsigned const longest = __reduce_max_sync(whole_warp, static_cast<unsigned>(length));
  // malformed offsets may lie outside of the tile; nothing is read there
  if (length == 0) begin = 0;
  if (longest > 12) {
    sort_by_thread<16>(keys, begin, length);
  } else if (longest > 8) {
    sort_by_thread<12>(keys, begin, length);
  } else if (longest > 4) {
    sort_by_thread<8>(keys, begin, length);
  } else if (longest > 1) {
    sort_by_thread<4>(keys, begin, length);
  }
}

/// The segments of tile i are those from starts[i] to starts[i + 1].  Where `starts` is null, a warp
/// searches for either, which saves few tiles a kernel.
template <class Source, class S>
__global__ void __launch_bounds__(digit_policy::segment_threads, digit_policy::segment_blocks)
    sort_short_segments_kernel(Source source, begins_before_tile<S> cut, index_t const* starts,
                               long_segments longs) {
  using shape = segment_tile<Source>;
  constexpr int threads = shape::threads;
  auto& room = *reinterpret_cast<shape*>(shared_bytes());
  int const thread = threadIdx.x;
  await_preceding_kernel();
  S const& segments = cut.segments;
  // in the room of the tile: words beside it would leave a multiprocessor one block less
  auto* const found = reinterpret_cast<index_t*>(shared_bytes());
  if (starts == nullptr) {
    if (thread < 2 * warp_size) {
      int const of_warp = thread / warp_size;
      shared_search search{0, segments.count()};
      search.narrow<warp_size>(cut(index_t{blockIdx.x} + of_warp), 0);
      if (thread % warp_size == 0) found[of_warp] = search.first;
    }
    __syncthreads();
  }
  index_t const* const bounds = starts == nullptr ? found : starts + blockIdx.x;
  index_t const first = bounds[0], last = bounds[1];
  if (starts == nullptr) __syncthreads();
  if (first == last || source.unwanted()) return;
  auto const reject = [&] {  // offsets descend
    if (thread == 0) longs.reject();
  };
  if (last < first) return reject();

  // A last segment that is too long for a warp is not loaded.  Other long segments are loaded and
  // stored unsorted with the tile; the sort of long segments overwrites them.
  index_t const begin = segments.begin(first);
  index_t const last_begin = segments.begin(last - 1), end = segments.begin(last);
  index_t const stop = end - last_begin <= shape::longest ? end : last_begin;
  if (last_begin < begin || end < last_begin || stop - begin > shape::window + shape::longest) {
    return reject();
  }
  if (begin == end) return;  // as of all segments after those by heads
  if (thread < shape::classes) room.count[thread] = 0;
  auto* const keys = source.load(room, begin, stop);
  auto const begin_of = [&](index_t s) { return s <= last ? segments.begin(s) : end; };
  index_t start = begin_of(first + thread), next = begin_of(first + thread + 1);
  source.wait(room);
  source.check_keys(keys, static_cast<int>(stop - begin), threads);

  auto const tile = source.tile(room, keys);
  for (index_t base = first; base < last; base += threads) {
    index_t const this_start = start, this_next = next;
    start = begin_of(base + threads + thread);  // loaded one iteration early
    next = begin_of(base + threads + thread + 1);
    sort_or_list(room, tile, {begin, stop, end}, this_start, this_next, longs);
  }
  __syncthreads();

  // Warps sort the listed segments, those of most lanes first, which balances the load.
  int task = thread / warp_size;
#pragma unroll 1
  for (int c = shape::classes - 1; c >= 0; --c) {
    int const at_a_time = warp_size >> c;
    int const count = ::min(room.count[c], shape::list_of(shape::classes) - shape::list_of(c));
    // a shift: a division takes 20 instructions
    int const tasks = (count + at_a_time - 1) >> (shape::classes - 1 - c);
#pragma unroll 1
    for (; task < tasks; task += shape::warps) {
      sort_by_lanes<shape::of_lane>(tile, room.listed + shape::list_of(c) + task * at_a_time,
                                    count - task * at_a_time, 1 << c);
    }
    task -= tasks;
  }
  source.store(room, keys, begin, static_cast<int>(stop - begin));
}

/// Sorts the segments of n > 0 elements of a source.
template <class Source, class S>
void sort_segments_of(executor const& ex, index_t n, Source const& source, S const& segments) {
  using tile = segment_tile<Source>;
  // A tile for each multiprocessor, if that is not too wide.
  index_t const all = n + segments.count(), share = div_up(all, ex.multiprocessors());
  index_t const window = ravel::detail::clamped(share, index_t{digit_policy::segment_least_window},
                                                index_t{tile::window});
  index_t const tiles = div_up(all, window);
  bool const searches = share > tile::window;
  begins_before_tile<S> const cut{segments, window};
  auto const starts = ex.scratch<index_t>(searches ? tiles + 1 : 0);
  // Launched first: the device searches for tile boundaries while the host prepares the other
  // kernels.
  if (searches) partition_points(ex, tiles + 1, segments.count(), cut, starts.data());
  long_segment_sort<Source> const longs(ex, n, tile::longest);
  ex.launch_sharing<sort_short_segments_kernel<Source, S>>(
      grid{tiles, tile::threads, false, sizeof(tile)}.early(), source, cut, starts.data(),
      longs.lists());
  longs.run(source);
}

/// Sorts rows within segments by 32 bits of a key in each round, the lowest first.  Each round is
/// stable. All rounds but the last compute only the order of the rows, not the rows themselves.
template <class K, class V, class S>
struct rounds_in_segments {
  executor const& ex;
  index_t n;
  rows<K const, V const> in;
  rows<K, V> out;
  S const& segments;
  bool down;
  std::optional<bit_range> range;
  int rounds;
  std::uint64_t* words;
  std::uint64_t* aside;
  std::uint32_t* next;
  std::uint32_t* after;
  unsigned const* wanted;
  order_of_rows order{};

  template <bool One, class Key, class... Lower>
  void sort_by(Key key, Lower... lower) {
    if constexpr (sizeof...(Lower) > 0) sort_by<One>(lower...);
    constexpr int width = 32;
    auto const [begin, end] =
        range.value_or(bit_range{0, radix_width<ravel::detail::sort_key_t<Key, K>>});
    for (int shift = begin; shift < end; shift += width) {
      auto const mask =
          static_cast<std::uint32_t>((std::uint64_t{1} << std::min(width, end - shift)) - 1);
      piece_of_key<K, Key> const piece{in.keys, key, order, shift, mask, down ? mask : 0};
      if (--rounds == 0) {
        sort_by_words(piece, move_rows<K, V>{in, out, order});
      } else if constexpr (!One) {
        sort_by_words(piece, move_order{order, next});
        order = {next, static_cast<std::uint32_t>(n - 1)};
        std::swap(next, after);
      }
    }
  }

 private:
  template <class Piece, class Move>
  void sort_by_words(Piece const& piece, Move const& move) const {
    sort_segments_of(ex, n, rows_of_segments<Piece, Move>{piece, move, words, aside, wanted},
                     segments);
  }
};

/// Sorts keys without values.  Sets *failed, in device memory, to nonzero if another bit pattern
/// may compare equal to some key: the result may then be wrong.
template <class Order, class K, class S>
void sort_keys_in_segments(executor const& ex, index_t n, K const* in, K* out, S const& segments,
                           Order order, unsigned* failed) {
  using U = ravel::detail::unsigned_of_t<K>;
  auto const aside = ex.scratch<U>(n > most_in_large ? n : 0);
  sort_segments_of(
      ex, n,
      keys_of_segments<U, Order>{n, reinterpret_cast<U const*>(in), reinterpret_cast<U*>(out),
                                 aside.data(), order, failed},
      segments);
}

/// The input; or a copy of it if the output would overwrite it.
template <class T>
class copy_if_in_place {
  scratch<T> kept_;

 public:
  copy_if_in_place(executor const& ex, index_t n, T const*& in, T const* out)
      : kept_(ex.scratch<T>(in == out && in != nullptr ? n : 0)) {
    if (kept_.size() == 0) return;
    ex.copy(in, kept_.data(), n);
    in = kept_.data();
  }
};

}  // namespace detail

template <class K, class V, class... Key, class S>
void launch_form(segmented_sort_integers, executor const& ex,
                 segmented_sort_call<radix_sort_call<K, V, Key...>, S> const& c) {
  if (c.sort.n == 0) return;
  detail::sort_keys_in_segments(ex, c.sort.n, c.sort.in.keys, c.sort.out.keys, c.segments,
                                detail::order_of_words<K>(c.sort.descending), nullptr);
}

template <class K, class V, class... Key, class S>
void launch_form(segmented_sort_by_words, executor const& ex,
                 segmented_sort_call<radix_sort_call<K, V, Key...>, S> const& c) {
  index_t const n = c.sort.n;
  if (n == 0) return;
  using of = detail::sorted_rows<radix_sort_call<K, V, Key...>>;
  int const rounds = detail::words_sorted_by(c.sort);

  // The last round gathers rows from the input, so the input must not be overwritten before.
  using M = detail::moved_t<V>;
  auto const* keys = c.sort.in.keys;
  auto const* values = reinterpret_cast<M const*>(c.sort.in.values);
  rows<K, M> const out{c.sort.out.keys, reinterpret_cast<M*>(c.sort.out.values)};
  detail::copy_if_in_place<K> const kept_keys(ex, n, keys, out.keys);
  detail::copy_if_in_place<M> const kept_values(ex, n, values, out.values);

  auto const failed = ex.scratch<unsigned>(1);
  unsigned const* wanted = nullptr;
  if constexpr (of::alone && of::numbers && !of::integers) {
    if (!c.sort.range && n * index_t{sizeof(K)} > digit_policy::segment_few_bytes) {
      ex.clear(failed);
      detail::sort_keys_in_segments(ex, n, keys, out.keys, c.segments,
                                    detail::order_of_words<K>(c.sort.descending), failed.data());
      wanted = failed.data();
    }
  }
  index_t const room = n > detail::most_in_large ? n : 0;
  auto const words = ex.scratch<std::uint64_t>(2 * room);
  auto const orders = ex.scratch<std::uint32_t>(rounds == 1 ? 0 : rounds == 2 ? n : 2 * n);
  detail::rounds_in_segments<K, M, S> sorter{ex,
                                             n,
                                             {keys, values},
                                             out,
                                             c.segments,
                                             c.sort.descending,
                                             c.sort.range,
                                             rounds,
                                             words.data(),
                                             words.data() + room,
                                             orders.data(),
                                             orders.data() + n,
                                             wanted};
  ravel::detail::call_with(
      [&](auto const&... key) {
        sorter.template sort_by<detail::most_words<K, V, Key...> == 1>(key...);
      },
      c.sort.keys);
}

}  // namespace ravel::inline v0::gpu
