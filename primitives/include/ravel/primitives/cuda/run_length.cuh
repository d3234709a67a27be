#pragma once

/// Run-length encoding of a long contiguous sequence on a device, in one pass: a pack of the
/// elements by their changes, which also writes the distance from each change to the next.
///
/// A tile writes the lengths of the runs that end in it.  So its prefix consists of the number of
/// runs that begin before it, and the length so far of the last of them.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/cuda/tiles_ahead.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/pack.cuh>
#include <ravel/primitives/cuda/unique.cuh>
#include <ravel/primitives/runs/call.hpp>
#include <ravel/primitives/runs/cuda.hpp>

namespace ravel::inline v0::detail {

/// The state of a range of elements: the number of runs that begin in it, and the number of its
/// elements that belong to the last run, which may have begun before.
struct begun_runs {
  index_t begun, open;
};
struct join_begun_runs {
  static RAVEL_HD begun_runs identity() { return {0, 0}; }
  RAVEL_HD begun_runs operator()(begun_runs const& x, begun_runs const& y) const {
    return {x.begun + y.begun, y.begun > 0 ? y.open : x.open + y.open};
  }
};

/// Scans the states of a tile's threads, by a warp: both numbers share a word of 32 bits.
__device__ inline begun_runs warp_scan(begun_runs const& x, join_begun_runs) {
  constexpr int half = 16;
  unsigned const lane = threadIdx.x % gpu::warp_size;
  unsigned packed = static_cast<unsigned>(x.begun) << half | static_cast<unsigned>(x.open);
#pragma unroll
  for (unsigned delta = 1; delta < gpu::warp_size; delta *= 2) {
    unsigned const left = gpu::shuffle_up(packed, delta);
    if (lane >= delta) packed += packed >> half != 0 ? left >> half << half : left;
  }
  return {packed >> half, packed & ((1u << half) - 1)};
}
/// Combines the states of up to 32 tiles, by a warp.
__device__ inline begun_runs warp_fold(begun_runs const& x, join_begun_runs) {
  unsigned const lane = threadIdx.x % gpu::warp_size;
  unsigned const heads = __ballot_sync(gpu::whole_warp, x.begun > 0);
  unsigned const last = heads != 0 ? 31 - __clz(heads) : 0;
  return {gpu::warp_fold(static_cast<unsigned>(x.begun), plus<unsigned>{}),
          gpu::warp_fold(lane >= last ? static_cast<unsigned>(x.open) : 0u, plus<unsigned>{})};
}
template <int N>
__device__ begun_runs warp_fold_all(begun_runs (&x)[N], join_begun_runs) {
  unsigned const lane = threadIdx.x % gpu::warp_size;
  unsigned begun = 0, open = 0, last = 0;
#pragma unroll
  for (unsigned k = 0; k < N; ++k) {
    begun += static_cast<unsigned>(x[k].begun);
    if (x[k].begun > 0) last = k * gpu::warp_size + lane;
  }
  last = gpu::warp_greatest(last);
#pragma unroll
  for (unsigned k = 0; k < N; ++k) {
    if (k * gpu::warp_size + lane >= last) open += static_cast<unsigned>(x[k].open);
  }
  return {gpu::warp_fold(begun, plus<unsigned>{}), gpu::warp_fold(open, plus<unsigned>{})};
}

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0::gpu {
namespace detail {

using ravel::detail::begun_runs;
using ravel::detail::join_begun_runs;

/// The published state of a tile: both numbers in 4 bytes.
template <>
struct message<begun_runs> : message<unsigned> {
  using plain = message<unsigned>;
  static constexpr int half = 16;

  static __device__ word pack(unsigned tag, begun_runs const& x) {
    return plain::pack(tag, static_cast<unsigned>(x.begun) << half | static_cast<unsigned>(x.open));
  }
  static __device__ begun_runs value(word w) {
    unsigned const packed = plain::value(w);
    return {packed >> half, packed & ((1u << half) - 1)};
  }
};

template <class In, class Eq, class Out, class Length, class Total, scan_policy::shape Shape>
struct run_length_flow : pack_flow<In, Out, changes_by_shape<Shape, In, Eq>, Total, Shape> {
  using base = pack_flow<In, Out, changes_by_shape<Shape, In, Eq>, Total, Shape>;
  using monoid = join_begun_runs;
  static constexpr int each = base::items_of_thread;
  static constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(Length));
  static constexpr int keys_per_vector = bulk_alignment / static_cast<int>(sizeof(Out));
  static constexpr int rows = base::threads / warp_size;
  static_assert(rows <= warp_size);
  static constexpr bool reduces_by_rows = true;
  static_assert(base::items < 1 << message<begun_runs>::half);

  /// The positions in a tile where runs begin, with the same offset from a 16-byte boundary as
  /// their lengths in the output.  One slot before them is read.
  using place = std::uint16_t;
  static constexpr int slots_ahead = 8;
  struct shared {
    struct of_group {
      alignas(16) place places[slots_ahead + base::items + per_vector];
    } groups[base::groups];
  };
  struct part : base::part {
    int there;  // how many of thread k's elements exist
  };
  static constexpr std::size_t stage_bytes = base::stage_bytes + base::threads * sizeof(unsigned);

  monoid m;
  Length* lengths;
  index_t room_for_lengths;
  int before_lengths;  // elements by which `lengths` is beyond a multiple of 16 bytes

  static __device__ begun_runs seed() { return {0, 0}; }
  __device__ part take(char const* stage, index_t t, int k) const {
    int const rest = base::items_of(t) - k * each;
    return {base::take(stage, t, k), ::max(0, ::min(rest, each))};
  }
  /// The heads among thread k's elements, a bit each, which reducers leave in the stage.
  static __device__ unsigned& heads_of(char* stage, int k) {
    return reinterpret_cast<unsigned*>(stage + base::stage_bytes)[k];
  }
  __device__ void leave(char* stage, int k, part const& p) const { heads_of(stage, k) = p.kept; }
  __device__ begun_runs fold(part const& p) const {
    return {__popc(p.kept), p.kept != 0 ? p.there - (31 - __clz(p.kept)) : p.there};
  }

  __device__ void write_length(index_t run, index_t length) const {
    if (run >= 0 && run < room_for_lengths) lengths[run] = static_cast<Length>(length);
  }

  template <class Await>
  __device__ void put(char* stage, index_t t, int k, begun_runs const* totals, Await await) const {
    int const lane = k % warp_size;
    int const row = k / warp_size;
    int const group = static_cast<int>(threadIdx.x) / base::threads;
    begun_runs const of_row = lane < rows ? totals[lane] : m.identity();
    begun_runs const of_tile = warp_fold(of_row, m);
    bool const has_head = totals[row].begun > 0;  // the row
    bool is_sparse = true;                        // no part of the row has two heads
    unsigned kept = 0;
    int first = 0;  // the number of heads before the part in the tile
    In key{};
    typename base::values x;
    if (has_head) {
      kept = heads_of(stage, k);
      auto const few = static_cast<unsigned>(__popc(kept));
      first = static_cast<int>(
          warp_scan(few, plus<unsigned>{}) - few +
          warp_fold(lane < row ? static_cast<unsigned>(of_row.begun) : 0u, plus<unsigned>{}));
      is_sparse = !__any_sync(whole_warp, few > 1);
      if (!is_sparse) {
        x = base::take_values(stage, t, k);
      } else if (kept != 0) {
        key = reinterpret_cast<In const*>(stage)[k * each + __ffs(static_cast<int>(kept)) - 1];
      }
    }
    if (of_tile.begun > 0) sync_group(group, base::threads);  // all have read the stage
    begun_runs const ahead_of_tile = await();
    index_t const to_place = ahead_of_tile.begun + base::before_out;
    if (k == 0) {
      base::note_in(stage) = {to_place, of_tile.begun};
      if (base::first(t) + base::items >= base::n) {
        begun_runs const through = m(ahead_of_tile, of_tile);
        write_length(through.begun - 1, through.open);
        base::total(through.begun);
      }
    }
    if (of_tile.begun == 0) return;
    place* const slots =
        reinterpret_cast<shared*>(shared_bytes())->groups[group].places + slots_ahead;
    auto const skew =
        static_cast<int>((ahead_of_tile.begun + before_lengths + per_vector - 1) % per_vector);
    place* slot = slots + skew + first;
    Out* next = reinterpret_cast<Out*>(stage) + to_place % keys_per_vector + first;
    if (!is_sparse) {
#pragma unroll
      for (int i = 0; i < each; ++i) {
        if (kept >> i & 1) {
          *next++ = static_cast<Out>(x.get(i));
          *slot++ = static_cast<place>(k * each + i);
        }
      }
    } else if (kept != 0) {
      *next = static_cast<Out>(key);
      *slot = static_cast<place>(k * each + __ffs(static_cast<int>(kept)) - 1);
    }
    sync_group(group, base::threads);
    put_lengths(k, slots, skew, static_cast<int>(of_tile.begun), ahead_of_tile);
  }
  /// Writes the lengths of the runs that end in the tile.  Slot s holds the end of the run whose length
  /// goes to lengths[begin + s].
  __device__ void put_lengths(int k, place const* slots, int skew, int begun,
                              begun_runs const& ahead_of_tile) const {
    index_t const begin = ahead_of_tile.begun - 1 - skew;
    auto const end =
        static_cast<int>(::max(index_t{0}, ::min(index_t{skew + begun}, room_for_lengths - begin)));
    if (k == 0) {
      write_length(ahead_of_tile.begun - 1, ahead_of_tile.open + slots[skew]);
    }
    struct alignas(sizeof(place) * per_vector) vector_of_places {
      place at[per_vector];
    };
    struct alignas(16) vector_of_lengths {
      Length of[per_vector];
    };
    for (int s = k * per_vector; s < end; s += base::threads * per_vector) {
      auto const ends = *reinterpret_cast<vector_of_places const*>(slots + s);
      int previous = slots[s - 1];
      vector_of_lengths y;
#pragma unroll
      for (int i = 0; i < per_vector; ++i) {
        y.of[i] = static_cast<Length>(ends.at[i] - previous);
        previous = ends.at[i];
      }
      if (s > skew && s + per_vector <= end) {
        *reinterpret_cast<vector_of_lengths*>(lengths + begin + s) = y;
      } else {
#pragma unroll
        for (int i = 0; i < per_vector; ++i) {
          if (s + i > skew && s + i < end) lengths[begin + s + i] = y.of[i];
        }
      }
    }
  }
};

}  // namespace detail

template <class Call>
void launch_form(stream_run_lengths, executor const& ex, Call const& c) {
  using Key = stored_t<decltype(c.keys)>;
  using Out = stored_t<decltype(c.out.keys)>;
  using Length = stored_t<decltype(c.out.values)>;
  using flow = detail::run_length_flow<Key, decltype(c.equal), Out, Length, decltype(c.total),
                                       scan_policy::coded(sizeof(Key))>;
  static_assert(detail::bulk_bytes == bulk_alignment);
  expects(can_stream<flow>(ex), "run_length_encode: the kernel was not compiled for device ",
          ex.device());
  int const before_in = detail::elements_before(c.keys.data);
  int const before_out = detail::elements_before(c.out.keys.data);
  auto changes = ravel::detail::changes_of(c.keys, c.equal);
  changes.keys -= before_in;
  stream_tiles(ex, c.n + before_in,
               flow{{{c.keys.data - before_in, c.out.keys.data - before_out, c.n + before_in},
                     {},
                     {changes},
                     c.out.keys.room + before_out,
                     c.total,
                     {},
                     before_in,
                     before_out},
                    {},
                    c.out.values.data,
                    c.out.values.room,
                    detail::elements_before(c.out.values.data)});
}

}  // namespace ravel::inline v0::gpu
