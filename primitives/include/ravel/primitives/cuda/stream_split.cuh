#pragma once

/// Split of a long contiguous sequence on a device to an output for each of up to 8 parts: a flow
/// of core/cuda/tile_stream.cuh.
///
/// A thread counts its adjacent elements in a word with a field for each digit, which also gives
/// the number of preceding elements of the same digit within the thread.  The reducer has counted
/// before and stored these words, from which the thread computes the number in preceding threads.
/// The elements of each part are compacted in the tile's stage.  They have the same offset from a
/// multiple of 16 bytes there as in the output, so that one bulk copy writes each part.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/store_run.cuh>
#include <ravel/primitives/split_parts/cuda.hpp>

namespace ravel::inline v0::detail {

/// Adds the counts of any number of tiles, by a warp.  The sum usually fits in a word, which is
/// faster.
template <int Many>
__device__ digit_counts<Many> warp_fold(digit_counts<Many> const& x, add_digit_counts<Many>) {
  index_t any = 0;
#pragma unroll
  for (int d = 0; d < Many; ++d) any |= x.of[d];
  digit_counts<Many> sum;
  if (__all_sync(gpu::whole_warp, any < index_t{1} << 27)) {
#pragma unroll
    for (int d = 0; d < Many; ++d) {
      sum.of[d] = gpu::warp_fold(static_cast<unsigned>(x.of[d]), plus<unsigned>{});
    }
  } else {
#pragma unroll
    for (int d = 0; d < Many; ++d) sum.of[d] = gpu::warp_fold(x.of[d], plus<index_t>{});
  }
  return sum;
}

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0::gpu {
namespace detail {

using ravel::detail::add_digit_counts;
using ravel::detail::digit_counts;

/// Counts of many digits are published in pieces of two, each with its own look-ahead warp.
template <int Many>
struct pieces_of<add_digit_counts<Many>> {
  static constexpr int each = Many < 2 ? Many : 2;
  static constexpr int count = (Many + each - 1) / each;
  using T = digit_counts<Many>;
  using monoid = add_digit_counts<each>;
  using piece = digit_counts<each>;
  static __device__ monoid of(add_digit_counts<Many> const&) { return {}; }
  static __device__ piece cut(T const& x, int p) {
    piece y;
#pragma unroll
    for (int k = 0; k < each; ++k) y.of[k] = p * each + k < Many ? x.of[p * each + k] : 0;
    return y;
  }
  static __device__ void put(T& x, int p, piece const& y) {
#pragma unroll
    for (int k = 0; k < each; ++k) {
      if (p * each + k < Many) x.of[p * each + k] = y.of[k];
    }
  }
};

/// A piece of a tile's published counts, 16 bits for each digit.
template <int Many>
struct message<digit_counts<Many>> : message<unsigned> {
  static_assert(Many <= 2);
  static constexpr int half = 16;
  using plain = message<unsigned>;

  static __device__ word pack(unsigned tag, digit_counts<Many> const& x) {
    return plain::pack(tag, static_cast<unsigned>(x.of[0]) | static_cast<unsigned>(x.of[Many - 1])
                                                                 << half);
  }
  static __device__ digit_counts<Many> value(word w) {
    unsigned const packed = plain::value(w);
    digit_counts<Many> x;
    x.of[Many - 1] = packed >> half;
    x.of[0] = packed & ((1u << half) - 1);
    return x;
  }
};

/// Counts of several digits, in the bit fields of one word.
template <int Ways>
struct digit_fields {
  static constexpr int digits = Ways <= 2 ? 2 : Ways <= 4 ? 4 : 8;
  static constexpr int width = 32 / digits;
  static constexpr unsigned most = (1u << width) - 1;
  static constexpr int pairs = digits / 2;

  static __device__ unsigned one(int d) { return 1u << (d * width); }
  static __device__ unsigned of(unsigned fields, int d) { return fields >> (d * width) & most; }
  /// The counts of digits j and j + pairs, widened to half a word each.
  static __device__ unsigned pair(unsigned fields, int j) {
    return fields >> (j * width) & (most | most << 16);
  }
  /// The count of digit d in an array of pairs.
  static __device__ int in_pairs(unsigned const (&pair)[pairs], int d) {
    return static_cast<int>(pair[d % pairs] >> (d / pairs * 16) & 0xffff);
  }
};

template <int Ways, class T, class Digit, class Counts, scan_policy::shape Shape>
struct split_flow : between_sequences<T, T, false, Shape> {
  using base = between_sequences<T, T, false, Shape>;
  // of each digit but the first, whose count follows from the others
  using counts = digit_counts<Ways - 1>;
  using monoid = add_digit_counts<Ways - 1>;
  using fields = digit_fields<Ways>;
  static constexpr int digits = fields::digits;
  static constexpr int pairs = fields::pairs;
  static constexpr int each = base::items_of_thread;
  static constexpr int warps = base::threads / warp_size;
  static constexpr bool counts_last = true;

  /// A thread's adjacent elements are counted in runs so short that a field holds any count.
  static constexpr int runs = (each - 1) / static_cast<int>(fields::most) + 1;
  static constexpr int run = each / runs;
  static_assert(each % runs == 0);
  static constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(T));
  static constexpr int storers = Ways;
  static_assert(base::items < 1 << message<digit_counts<1>>::half);

  /// Bytes of a stage for the parts, each of which may begin and end inside a vector.
  static constexpr int room = base::tile_bytes + 2 * Ways * bulk_alignment;
  /// What the workers leave in the stage for the storer of each part, after the parts.
  struct note {
    index_t ahead;
    int first, many;  // the part's position in the stage, and its length
  };
  /// The counts that reducers and warps store, after those records.
  struct counted {
    unsigned of_run[runs][base::threads];
    unsigned of_warp[warps][pairs];
  };
  static constexpr std::size_t stage_bytes = room + Ways * sizeof(note) + sizeof(counted);

  /// The next position of each digit, for each thread.
  struct shared {
    std::uint16_t place[base::groups][digits][base::threads];
  };

  monoid m;
  Digit digit;
  split_places<Ways, T> to;
  Counts total;

  static __device__ counts seed() { return {}; }
  static __device__ note* notes_in(char* stage) { return reinterpret_cast<note*>(stage + room); }

  __device__ void load(char* stage, index_t t, barrier& landed) const {
    landed.arrive_and_expect(base::load_values(stage, t, landed));
  }

  static __device__ counted& counted_in(char* stage) {
    return *reinterpret_cast<counted*>(stage + room + Ways * sizeof(note));
  }
  /// The number of elements from thread k's first one to the end of the tile, which may be more than a
  /// thread has.
  __device__ int rest(index_t t, int k) const { return base::items_of(t) - k * each; }

  /// Calls f(e) for each element e < rest of run r of a thread.
  template <class F>
  static __device__ void for_each_of_run(int r, int rest, F f) {
    if (rest >= each) {
#pragma unroll
      for (int i = 0; i < run; ++i) f(r * run + i);
    } else {
#pragma unroll
      for (int i = 0; i < run; ++i) {
        if (r * run + i < rest) f(r * run + i);
      }
    }
  }

  /// The count of a flow whose warps cooperate: a reducer warp counts the digits of a tile, and
  /// stores the counts of threads for the workers.
  __device__ counts count(char* stage, index_t t) const {
    static_assert(base::items < 1 << 16, "what a tile has of a digit fits in half a word");
    int const lane = threadIdx.x % warp_size;
    unsigned totals[pairs] = {};
#pragma unroll 2
    for (int k = lane; k < base::threads; k += warp_size) {
      auto const x = base::values::read(stage + k * base::bytes_of_thread);
#pragma unroll
      for (int r = 0; r < runs; ++r) {
        unsigned of_run = 0;
        for_each_of_run(r, rest(t, k),
                        [&](int e) { of_run += fields::one(static_cast<int>(digit(x.get(e)))); });
        counted_in(stage).of_run[r][k] = of_run;
#pragma unroll
        for (int j = 0; j < pairs; ++j) totals[j] += fields::pair(of_run, j);
      }
    }
#pragma unroll
    for (int j = 0; j < pairs; ++j) totals[j] = warp_fold(totals[j], plus<unsigned>{});
    counts result;
#pragma unroll
    for (int d = 1; d < Ways; ++d) result.of[d - 1] = fields::in_pairs(totals, d);
    return result;
  }

  /// The work of thread k of a group; await() returns the tile's prefix.
  template <class Await>
  __device__ void work(char* stage, index_t t, int group, int k, bool, Await await) const {
    int const lane = k % warp_size;
    int const warp = k / warp_size;
    int const d_of_lane = lane % digits;
    auto const x = base::values::read(stage + k * base::bytes_of_thread);
    counts const ahead_of_tile = await();

    counted& tally = counted_in(stage);
    unsigned of_thread[pairs] = {}, through[pairs];
#pragma unroll
    for (int j = 0; j < pairs; ++j) {
#pragma unroll
      for (int r = 0; r < runs; ++r) of_thread[j] += fields::pair(tally.of_run[r][k], j);
      through[j] = warp_scan(of_thread[j], plus<unsigned>{});
      if (lane == warp_size - 1) tally.of_warp[warp][j] = through[j];
    }
    sync_group(group, base::threads);  // all threads have read their elements
    // elements of the lane's digit in preceding warps, and in the tile
    int ahead = 0, sum = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      int const of_w = fields::in_pairs(tally.of_warp[w], d_of_lane);
      ahead += w < warp ? of_w : 0;
      sum += of_w;
    }

    index_t before = 0;
    index_t others = base::first(t);
#pragma unroll
    for (int d = 1; d < Ways; ++d) {
      if (d == d_of_lane) before = ahead_of_tile.of[d - 1];
      others -= ahead_of_tile.of[d - 1];
    }
    if (d_of_lane == 0) before = others;
    int const skew = static_cast<int>(before % per_vector);
    int const size = (skew + sum + per_vector - 1) / per_vector * per_vector;
    int end = size;  // where the part of the lane's digit ends in the stage
#pragma unroll
    for (int delta = 1; delta < digits; delta *= 2) {
      int const left = shuffle_up(end, delta);
      if (d_of_lane >= delta) end += left;
    }
    int const first = end - size + skew;
    if (warp == 0 && lane < Ways) {
      notes_in(stage)[lane] = {before, first, sum};
      if (base::first(t) + base::items >= base::n) total(lane, before + sum);
    }

    // Positions in the stage of the thread's first elements of digits j and j + pairs.
    auto const start = static_cast<unsigned>(first + ahead);
    unsigned const packed = start | shuffle_from(start, (lane + pairs) % warp_size) << 16;
    unsigned place[pairs];
#pragma unroll
    for (int j = 0; j < pairs; ++j) place[j] = shuffle_from(packed, j) + through[j] - of_thread[j];

    auto& places = reinterpret_cast<shared*>(shared_bytes())->place[group];
    T* const staged = reinterpret_cast<T*>(stage);
#pragma unroll
    for (int r = 0; r < runs; ++r) {
#pragma unroll
      for (int j = 0; j < pairs; ++j) {
        places[j][k] = static_cast<std::uint16_t>(place[j]);
        places[j + pairs][k] = static_cast<std::uint16_t>(place[j] >> 16);
        place[j] += fields::pair(tally.of_run[r][k], j);
      }
      unsigned seen = 0;
      for_each_of_run(r, rest(t, k), [&](int e) {
        T const y = x.get(e);
        int const d = static_cast<int>(digit(y));
        staged[places[d][k] + fields::of(seen, d)] = y;
        seen += fields::one(d);
      });
    }
  }

  __device__ void store(char* stage, index_t, int d) const {
    note const part = notes_in(stage)[d];
    store_run(reinterpret_cast<T const*>(stage) + part.first, to.to[d], to.room[d], part.ahead,
              part.many);
  }
};

}  // namespace detail

template <int Ways, class T, class Digit, class Counts>
void launch_form(
    split_parts_streamed, executor const& ex,
    split_parts_call<Ways, ravel::detail::digit_of_element<T, Digit>, T, T, Counts> const& c) {
  using flow = detail::split_flow<Ways, T, Digit, Counts, scan_policy::split_apart(Ways)>;
  expect_stream<flow>(ex, "split");
  stream_tiles(ex, c.n, flow{{c.in, nullptr, c.n}, {}, c.digit.digit, c.to, c.counts});
}

}  // namespace ravel::inline v0::gpu
