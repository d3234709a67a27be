#pragma once

/// @file
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

#include <cstring>

namespace ravel::inline v0::detail {

/// The state of a range of elements: the number of runs that begin in it, and the combination of
/// its elements that belong to the last run, which may have begun before.
template <class T>
struct begun_sum {
  index_t begun;
  T open;
};
template <class M>
struct join_begun_sums {
  using sum = begun_sum<carrier_t<M>>;
  M m;
  RAVEL_HD sum identity() const { return {0, m.identity()}; }
  RAVEL_HD sum operator()(sum const& x, sum const& y) const {
    return {x.begun + y.begun, y.begun > 0 ? y.open : m(x.open, y.open)};
  }
};

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

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0::gpu {
namespace detail {

using ravel::detail::begun_sum;
using ravel::detail::join_begun_sums;

/// The published state of a tile: the number of runs takes 4 bytes beside the epoch.
template <class T>
struct message<begun_sum<T>> {
  static_assert(sizeof(T) <= 8);
  using word = word128;
  using layout = std::uint64_t;

  static __device__ word pack(unsigned tag, begun_sum<T> const& x) {
    word64 open = 0;
    std::memcpy(&open, &x.open, sizeof(T));
    return {open, word64{tag} << 32 | static_cast<unsigned>(x.begun)};
  }
  static __device__ unsigned tag(word w) { return static_cast<unsigned>(w.high >> 32); }
  static __device__ begun_sum<T> value(word w) {
    begun_sum<T> x{static_cast<index_t>(static_cast<unsigned>(w.high)), {}};
    std::memcpy(static_cast<void*>(&x.open), &w.low, sizeof(T));
    return x;
  }
  static index_t slots(index_t words) { return words; }
  static word* words(word* at) { return at; }
};

/// Keeps the keys that differ from the preceding one; the stage also holds the values.
template <class In, class Eq, class Value, int Items, int Count>
struct changes_beside_values : kept_by_own_changes<In, Eq, Items, Count> {
  using changes = kept_by_own_changes<In, Eq, Items, Count>;
  static constexpr std::size_t bytes = changes::bytes + Items * sizeof(Value);
  Value const* values;

  __device__ unsigned load(char* to, index_t begin, int items, barrier& landed) const {
    return changes::load(to, begin, items, landed) +
           copy_in(to + changes::bytes, values + begin,
                   static_cast<unsigned>(items) * static_cast<unsigned>(sizeof(Value)), landed);
  }
};

template <scan_policy::shape Shape, class In, class Eq, class Value>
using values_of_runs =
    changes_beside_values<In, Eq, Value, Shape.threads * packed_by_thread<Shape, In>,
                          packed_by_thread<Shape, In>>;

template <class In, class Eq, class Value, class M, class Out, class Result, class Total,
          scan_policy::shape Shape>
struct reduce_by_key_flow : pack_flow<In, Out, values_of_runs<Shape, In, Eq, Value>, Total, Shape> {
  using base = pack_flow<In, Out, values_of_runs<Shape, In, Eq, Value>, Total, Shape>;
  using monoid = join_begun_sums<M>;
  using T = carrier_t<M>;
  using state = begun_sum<T>;
  static_assert(sizeof(Value) == sizeof(In));
  static constexpr int each = base::items_of_thread;
  static constexpr int per_vector = 16 / static_cast<int>(sizeof(Result));
  static constexpr bool folds_warps = true;

  /// The results of the runs that end in a tile, with the same offset from a 16-byte boundary as in
  /// the output.
  struct shared {
    struct of_group {
      alignas(16) Result results[base::items + 2 * per_vector];
      int begun;
    } groups[base::groups];
  };
  struct part : base::part {
    neighbours<Value, Shape.vectors> y;
    int there;      // how many of thread k's elements exist
    bool is_whole;  // all elements of the tile exist
  };

  monoid m;
  Result* results;
  index_t room_for_results;

  __device__ state seed() const { return m.identity(); }
  __device__ part take(char const* stage, index_t t, int k) const {
    int const rest = base::items_of(t) - k * each;
    char const* const values = stage + base::room + bulk_alignment;
    return {base::take(stage, t, k),
            neighbours<Value, Shape.vectors>::read(values + k * base::bytes_of_thread),
            ::max(0, ::min(rest, each)), base::items_of(t) == base::items};
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
#pragma unroll
    for (int i = 0; i < each; ++i) {
      T const x = static_cast<T>(p.y.get(i));
      if (p.kept >> i & 1) {
        close(i, open);
        open = x;
      } else if (i < p.there) {
        open = m.m(open, x);
      }
    }
    return open;
  }
  /// The total of a tile, by a warp, from its end: of rows before the last one with a head only the
  /// heads are counted.
  __device__ state count(char const* stage, index_t t) const {
    int const lane = static_cast<int>(threadIdx.x) % warp_size;
    unsigned begun = 0;
    flagged<T> open = segmented<M>{m.m}.identity();
    for (int k = base::threads / warp_size - 1; k >= 0; --k) {
      part const p = take(stage, t, k * warp_size + lane);
      begun += __popc(p.kept);
      if (open.head) continue;
      T const x = combine(p, m.m.identity(), [](int, T const&) {});
      open = segmented<M>{m.m}(warp_fold(flagged<T>{x, p.kept != 0}, segmented<M>{m.m}), open);
    }
    return {warp_fold(begun, plus<unsigned>{}), open.value};
  }
  __device__ state fold(part const& p) const {
    return {__popc(p.kept), combine(p, m.m.identity(), [](int, T const&) {})};
  }

  __device__ void write(index_t run, T const& x) const {
    if (run >= 0 && run < room_for_results) results[run] = static_cast<Result>(x);
  }

  __device__ void put(char* stage, index_t t, int k, part const& p, state const& ahead,
                      state const& ahead_of_tile) const {
    constexpr int keys_per_vector = bulk_alignment / static_cast<int>(sizeof(Out));
    auto& group =
        reinterpret_cast<shared*>(shared_bytes())->groups[threadIdx.x / unsigned{base::threads}];
    auto const first = static_cast<int>(ahead.begun - ahead_of_tile.begun);
    auto const skew = static_cast<int>((ahead_of_tile.begun + per_vector - 1) % per_vector);
    Out* to = reinterpret_cast<Out*>(stage) + ahead_of_tile.begun % keys_per_vector + first;
    Result* slot = group.results + skew + first;
    T const open = combine(p, ahead.open, [&](int i, T const& before) {
      *to++ = static_cast<Out>(p.x.get(i));
      *slot++ = static_cast<Result>(before);
    });
    int const through = first + __popc(p.kept);
    if (k == base::threads - 1) {
      group.begun = through;
      base::note_in(stage) = {ahead_of_tile.begun, through};
    }
    if (base::has_last(t, k)) {
      write(ahead_of_tile.begun + through - 1, open);
      base::total(ahead_of_tile.begun + through);
    }
    sync_group(static_cast<int>(threadIdx.x) / base::threads, base::threads);

    // Slot s holds the result of run begin + s.  In the first tile no run precedes the first head.
    index_t const begin = ahead_of_tile.begun - 1 - skew;
    int const from = ahead_of_tile.begun == 0 ? skew + 1 : skew;
    auto const end = static_cast<int>(
        ::max(index_t{0}, ::min(index_t{skew + group.begun}, room_for_results - begin)));
    struct alignas(16) vector_of_results {
      Result of[per_vector];
    };
    for (int s = k * per_vector; s < end; s += base::threads * per_vector) {
      auto const y = *reinterpret_cast<vector_of_results const*>(group.results + s);
      if (s >= from && s + per_vector <= end) {
        *reinterpret_cast<vector_of_results*>(results + begin + s) = y;
      } else {
#pragma unroll
        for (int i = 0; i < per_vector; ++i) {
          if (s + i >= from && s + i < end) results[begin + s + i] = y.of[i];
        }
      }
    }
  }
};

}  // namespace detail

/// Launches the kernel of the form.
template <class Call>
void launch_form(stream_run_sums, executor const& ex, Call const& c) {
  using Key = stored_t<decltype(c.keys)>;
  using Value = stored_t<decltype(c.values)>;
  using Eq = std::remove_cvref_t<decltype(c.equal)>;
  using Out = stored_t<decltype(c.out.keys)>;
  using Result = stored_t<decltype(c.out.values)>;
  constexpr auto shape = scan_policy::reduced_by_key;
  using flow = detail::reduce_by_key_flow<Key, Eq, Value, std::remove_cvref_t<decltype(c.m)>, Out,
                                          Result, std::remove_cvref_t<decltype(c.total)>, shape>;
  static_assert(detail::bulk_bytes == bulk_alignment);
  expects(can_stream<flow>(ex), "reduce_by_key: the kernel was not compiled for device ",
          ex.device());
  stream_tiles(ex, c.n,
               flow{{{c.keys.data, c.out.keys.data, c.n},
                     {},
                     {{ravel::detail::changes_of(c.keys, c.equal)}, c.values.data},
                     c.out.keys.room,
                     c.total,
                     {}},
                    {c.m},
                    c.out.values.data,
                    c.out.values.room});
}

}  // namespace ravel::inline v0::gpu
