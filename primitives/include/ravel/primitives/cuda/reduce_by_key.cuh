#pragma once

/// Reduce by key of long contiguous sequences on a device, in one pass: a pack of the keys by their
/// changes, which also combines the values from each change to the next.
///
/// A tile writes the results of the runs that end in it.  So its prefix consists of the number of
/// runs that begin before it, and the combination so far of the last of them.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/cuda/tiles_ahead.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/pack.cuh>
#include <ravel/primitives/cuda/unique.cuh>
#include <ravel/primitives/runs/call.hpp>
#include <ravel/primitives/runs/cuda.hpp>

#include <algorithm>
#include <cstring>

namespace ravel::inline v0::detail {

/// Scans the states of a tile's threads, or of up to 32 tiles, by a warp.
template <class T, class M>
__device__ begun_sum<T> warp_scan(begun_sum<T> x, join_begun_sums<M> m) {
  if (!__any_sync(gpu::whole_warp, x.begun > 0)) return {0, gpu::warp_scan(x.open, m.m)};
  auto const begun = gpu::warp_scan(static_cast<unsigned>(x.begun), plus<unsigned>{});
  return {begun, gpu::warp_scan(flagged<T>{x.open, x.begun > 0}, segmented<M>{m.m}).value};
}
template <class T, class M>
__device__ begun_sum<T> warp_fold(begun_sum<T> x, join_begun_sums<M> m) {
  auto const begun = gpu::warp_fold(static_cast<unsigned>(x.begun), plus<unsigned>{});
  return {begun, gpu::warp_fold(flagged<T>{x.open, x.begun > 0}, segmented<M>{m.m}).value};
}
/// Combines the states of 32 tiles, N times.
template <class T, int N, class M>
__device__ void warp_folds(begun_sum<T> (&x)[N], join_begun_sums<M> m) {
  flagged<T> open[N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    open[k] = {x[k].open, x[k].begun > 0};
    x[k].begun = gpu::warp_fold(static_cast<unsigned>(x[k].begun), plus<unsigned>{});
  }
  gpu::detail::warp_folds(open, segmented<M>{m.m});
#pragma unroll
  for (int k = 0; k < N; ++k) x[k].open = open[k].value;
}
/// Combines the states of N times 32 tiles, by a warp.  Tiles before the last one in which a run begins
/// only add to the number of runs.
template <class T, int N, class M>
requires commutes<M> __device__ begun_sum<T> warp_fold_all(begun_sum<T> (&x)[N],
                                                           join_begun_sums<M> m) {
  unsigned const lane = threadIdx.x % gpu::warp_size;
  unsigned begun = 0, last = 0;
#pragma unroll
  for (unsigned k = 0; k < N; ++k) {
    begun += static_cast<unsigned>(x[k].begun);
    if (x[k].begun > 0) last = k * gpu::warp_size + lane;
  }
  last = gpu::warp_greatest(last);
  T open = m.m.identity();
#pragma unroll
  for (unsigned k = 0; k < N; ++k) {
    if (k * gpu::warp_size + lane >= last) open = m.m(open, x[k].open);
  }
  return {gpu::warp_fold(begun, plus<unsigned>{}), gpu::warp_fold(open, m.m)};
}

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0::gpu {
namespace detail {

using ravel::detail::begun_sum;
using ravel::detail::join_begun_sums;

/// The published state of a tile: the number of runs takes 4 bytes beside the epoch.
template <class T>
struct message<begun_sum<T>> : message<word64> {
  static_assert(sizeof(T) <= 8);

  static __device__ word pack(unsigned tag, begun_sum<T> const& x) {
    word64 open = 0;
    std::memcpy(&open, &x.open, sizeof(T));
    return {open, word64{tag} << 32 | static_cast<unsigned>(x.begun)};
  }
  static __device__ begun_sum<T> value(word w) {
    begun_sum<T> x{static_cast<index_t>(static_cast<unsigned>(w.high)), {}};
    std::memcpy(static_cast<void*>(&x.open), &w.low, sizeof(T));
    return x;
  }
};

/// Keeps the keys that differ from the preceding one.  The stage also holds the values, and later the
/// results of the runs that end in the tile; both with the same offset from a 16-byte boundary as in
/// memory.
template <class In, class Eq, class Value, class Result, int Items, int Count>
struct changes_beside_values : kept_by_own_changes<In, Eq, Items, Count> {
  using changes = kept_by_own_changes<In, Eq, Items, Count>;
  static constexpr std::size_t bytes =
      changes::bytes + Items * std::max(sizeof(Value), sizeof(Result)) + bulk_alignment;
  sequence_beside<Value, Items> values;

  __device__ unsigned load(char* stage, index_t begin, int items, barrier& landed) const {
    return changes::load(stage, begin, items, landed) +
           values.load(stage + changes::bytes, begin, landed);
  }
};

template <scan_policy::shape Shape, class In, class Eq, class Value, class Result>
using values_of_runs =
    changes_beside_values<In, Eq, Value, Result, Shape.threads * packed_by_thread<Shape, In>,
                          packed_by_thread<Shape, In>>;

template <class In, class Eq, class Value, class M, class Out, class Result, class Total,
          scan_policy::shape Shape>
struct reduce_by_key_flow
    : pack_flow<In, Out, values_of_runs<Shape, In, Eq, Value, Result>, Total, Shape> {
  using base = pack_flow<In, Out, values_of_runs<Shape, In, Eq, Value, Result>, Total, Shape>;
  using monoid = join_begun_sums<M>;
  using T = carrier_t<M>;
  using state = begun_sum<T>;
  static constexpr int each = base::items_of_thread;
  static constexpr int bytes_of_values = each * static_cast<int>(sizeof(Value));  // of a thread
  static constexpr int vector_of_values = widest_vector(bytes_of_values);
  static_assert(bytes_of_values % vector_of_values == 0);
  using values = neighbours<Value, bytes_of_values / vector_of_values, vector_of_values>;
  static constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(Result));
  static constexpr int rows = base::threads / warp_size;
  static_assert(rows <= warp_size);
  static constexpr bool reduces_by_rows = true;
  static constexpr int storers = 2;  // of keys, and of results
  static constexpr std::size_t stage_bytes = base::stage_bytes + base::threads * sizeof(unsigned);

  struct part : base::part {
    values y;
    int there;      // how many of thread k's elements exist
    bool is_whole;  // all elements of the tile exist
  };

  monoid m;
  Result* results;
  index_t room_for_results;
  int before_results;  // elements by which `results` is beyond a multiple of 16 bytes

  static __device__ char* values_in(char* stage) { return stage + base::room + bulk_alignment; }
  static __device__ char const* values_in(char const* stage) {
    return stage + base::room + bulk_alignment;
  }

  __device__ state seed() const { return m.identity(); }
  /// The heads among thread k's elements, a bit each, which reducers leave in the stage.
  static __device__ unsigned& heads_of(char* stage, int k) {
    return reinterpret_cast<unsigned*>(stage + base::stage_bytes)[k];
  }
  __device__ void leave(char* stage, int k, part const& p) const { heads_of(stage, k) = p.kept; }
  __device__ part take(char const* stage, index_t t, int k) const {
    return with_values(base::take(stage, t, k), stage, t, k);
  }
  __device__ part with_values(typename base::part const& keys, char const* stage, index_t t,
                              int k) const {
    int const rest = base::items_of(t) - k * each;
    int const skew = base::by.values.skew;
    char const* const staged = values_in(stage) + k * bytes_of_values;
    constexpr int width = static_cast<int>(sizeof(Value));
    part p{keys, skew == 0 ? values::read(staged) : values::read_after(staged, skew * width),
           ::max(0, ::min(rest, each)), base::items_of(t) == base::items};
    if (t == 0 && k == 0 && base::before_in > 0) {  // in place of what is not of the sequence
      Value const first = reinterpret_cast<Value const*>(staged)[skew + base::before_in];
#pragma unroll
      for (int i = 0; i < base::values::per_vector - 1; ++i) {
        if (i < base::before_in) p.y.set(i, first);
      }
    }
    return p;
  }
  /// Combines the elements of a part with `open`, the value of the run that is open before it.
  /// Calls close(i, total) where a head i ends a run, and returns the value of the last run, which
  /// is still open.
  template <class Close>
  __device__ T combine(part const& p, T open, Close close) const {
    // As in most threads, where runs are long.  With `there == each` in place of `is_whole`, CUDA 13.0
    // compiled it to code that took this branch for fewer elements too.
    if (p.is_whole && p.kept == 0) {
#pragma unroll
      for (int i = 0; i < each; ++i) open = m.m(open, static_cast<T>(p.y.get(i)));
      return open;
    }
    auto const combine_with_heads = [&](auto exists) {
#pragma unroll
      for (int i = 0; i < each; ++i) {
        T const x = static_cast<T>(p.y.get(i));
        if (p.kept >> i & 1) {
          close(i, open);
          open = x;
        } else if (exists(i)) {
          open = m.m(open, x);
        }
      }
    };
    if (p.is_whole) {
      combine_with_heads([](int) { return true; });
    } else {
      combine_with_heads([&](int i) { return i < p.there; });
    }
    return open;
  }
  __device__ state fold(part const& p) const {
    return {__popc(p.kept), combine(p, m.m.identity(), [](int, T const&) {})};
  }

  template <class Await>
  __device__ void put(char* stage, index_t t, int k, state const* totals, Await await) const {
    constexpr int keys_per_vector = bulk_alignment / static_cast<int>(sizeof(Out));
    int const lane = k % warp_size;
    int const row = k / warp_size;
    state const of_row = lane < rows ? totals[lane] : m.identity();
    auto const begun = warp_fold(static_cast<unsigned>(of_row.begun), plus<unsigned>{});
    bool const has_head = totals[row].begun > 0;  // the row
    part p;
    state ahead = m.identity();  // of the part, within the tile
    if (has_head) {
      p = with_values({base::take_values(stage, t, k), heads_of(stage, k)}, stage, t, k);
      ahead = warp_fold(lane < row ? of_row : m.identity(), m);
      state const left = shuffle_up(warp_scan(fold(p), m), 1);
      if (lane > 0) ahead = m(ahead, left);
    }
    if (begun > 0) {  // all have read their parts
      sync_group(static_cast<int>(threadIdx.x) / base::threads, base::threads);
    }
    state const ahead_of_tile = await();
    if (row == 0 && base::first(t) + base::items >= base::n) {
      state const through = m(ahead_of_tile, warp_fold(of_row, m));
      if (lane == 0) {
        if (index_t const last = through.begun - 1; last < room_for_results) {
          results[last] = static_cast<Result>(through.open);
        }
        base::total(through.begun);
      }
    }
    index_t const to_place = ahead_of_tile.begun + base::before_out;
    if (k == 0) base::note_in(stage) = {to_place, begun};
    if (!has_head || p.kept == 0) return;

    // The run before the tile's first head ends there: result r belongs to key r - 1.
    auto const first = static_cast<int>(ahead.begun);
    ahead = m(ahead_of_tile, ahead);
    Out* key = reinterpret_cast<Out*>(stage) + to_place % keys_per_vector + first;
    Result* slot = reinterpret_cast<Result*>(values_in(stage)) +
                   slot_of(ahead_of_tile.begun) % per_vector + first;
    combine(p, ahead.open, [&](int i, T const& before) {
      *key++ = static_cast<Out>(p.x.get(i));
      *slot++ = static_cast<Result>(before);
    });
  }

  __device__ void store(char* stage, index_t t, int storer) const {
    if (storer == 0) return base::store(stage, t);
    auto const n = base::note_in(stage);
    auto const* const staged = reinterpret_cast<Result const*>(values_in(stage));
    int const skipped = t == 0 ? 1 : 0;  // no run precedes the first head
    index_t const slot = slot_of(n.ahead - base::before_out);
    store_run(staged + slot % per_vector + skipped, results - before_results,
              room_for_results + before_results, slot - per_vector + skipped,
              static_cast<int>(n.kept) - skipped);
  }
  /// The position of the result of the run before number `run`, after a multiple of 16 bytes: a vector more,
  /// so that it is not negative.
  __device__ index_t slot_of(index_t run) const { return run + before_results + per_vector - 1; }
};

}  // namespace detail

template <class Call>
void launch_form(stream_run_sums, executor const& ex, Call const& c) {
  using Key = stored_t<decltype(c.keys)>;
  using Value = stored_t<decltype(c.values)>;
  using Eq = std::remove_cvref_t<decltype(c.equal)>;
  using Out = stored_t<decltype(c.out.keys)>;
  using Result = stored_t<decltype(c.out.values)>;
  constexpr auto shape = scan_policy::reduced_by_key(sizeof(Key), sizeof(Value), sizeof(Result));
  using flow = detail::reduce_by_key_flow<Key, Eq, Value, std::remove_cvref_t<decltype(c.m)>, Out,
                                          Result, std::remove_cvref_t<decltype(c.total)>, shape>;
  static_assert(detail::bulk_bytes == bulk_alignment);
  expects(can_stream<flow>(ex), "reduce_by_key: the kernel was not compiled for device ",
          ex.device());
  int const before_in = detail::elements_before(c.keys.data);
  int const before_out = detail::elements_before(c.out.keys.data);
  auto changes = ravel::detail::changes_of(c.keys, c.equal);
  changes.keys -= before_in;
  using by = detail::values_of_runs<shape, Key, Eq, Value, Result>;
  index_t const n = c.n + before_in;
  stream_tiles(ex, n,
               flow{{{c.keys.data - before_in, c.out.keys.data - before_out, n},
                     {},
                     {{changes}, decltype(by::values)::of(c.values.data, before_in, c.n)},
                     c.out.keys.room + before_out,
                     c.total,
                     {},
                     before_in,
                     before_out},
                    {c.m},
                    c.out.values.data,
                    c.out.values.room,
                    detail::elements_before(c.out.values.data)});
}

}  // namespace ravel::inline v0::gpu
