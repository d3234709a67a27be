#pragma once

/// @file
/// Split of a long plain sequence on a device to an output for each of up to 8 parts: a flow
/// through core/cuda/tile_stream.cuh.
///
/// A warp has rows of 32 neighbours, and votes on each bit of a row's digits: so each lane knows
/// which others have its digit, and lane d how many have digit d.  What a tile has of each part is
/// moved together in its stage, as far from a multiple of 16 bytes as the place it goes to, so that
/// it leaves by one bulk copy for each part.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/split.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::detail {

/// How many elements are of each of some digits.
template <int Many>
struct digit_counts {
  index_t of[Many];
};
template <int Many>
struct add_digit_counts {
  static RAVEL_HD digit_counts<Many> identity() { return {}; }
  RAVEL_HD digit_counts<Many> operator()(digit_counts<Many> const& x,
                                         digit_counts<Many> const& y) const {
    digit_counts<Many> sum;
    for (int d = 0; d < Many; ++d) sum.of[d] = x.of[d] + y.of[d];
    return sum;
  }
};

/// Of any tiles; mostly of so few that a word has room for the sum.
template <int Many>
__device__ digit_counts<Many> warp_fold(digit_counts<Many> const& x, add_digit_counts<Many>) {
  index_t any = 0;
#pragma unroll
  for (int d = 0; d < Many; ++d) any |= x.of[d];
  digit_counts<Many> sum;
  if (__all_sync(cuda::whole_warp, any < index_t{1} << 27)) {
#pragma unroll
    for (int d = 0; d < Many; ++d) {
      sum.of[d] = cuda::warp_fold(static_cast<unsigned>(x.of[d]), plus<unsigned>{});
    }
  } else {
#pragma unroll
    for (int d = 0; d < Many; ++d) sum.of[d] = cuda::warp_fold(x.of[d], plus<index_t>{});
  }
  return sum;
}

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0 {

template <int Many>
inline constexpr bool commutes<detail::add_digit_counts<Many>> = true;

}  // namespace ravel::inline v0

namespace ravel::inline v0::cuda {
namespace detail {

using ravel::detail::add_digit_counts;
using ravel::detail::digit_counts;

/// Counts of many digits are told in pieces of two, each of which has a warp that looks ahead.
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

/// A piece of a tile's, in 16 bits for each digit.
template <int Many>
struct message<digit_counts<Many>> {
  static_assert(Many <= 2);
  static constexpr int half = 16;
  using plain = message<unsigned>;
  using word = plain::word;
  using layout = plain::layout;

  static __device__ word pack(unsigned tag, digit_counts<Many> const& x) {
    return plain::pack(tag, static_cast<unsigned>(x.of[0]) | static_cast<unsigned>(x.of[Many - 1])
                                                                 << half);
  }
  static __device__ unsigned tag(word w) { return plain::tag(w); }
  static __device__ digit_counts<Many> value(word w) {
    unsigned const both = plain::value(w);
    digit_counts<Many> x;
    x.of[Many - 1] = both >> half;
    x.of[0] = both & ((1u << half) - 1);
    return x;
  }
  static index_t slots(index_t words) { return words; }
  static word* words(word* at) { return at; }
};

template <int Ways, class T, class Digit, class Counts, scan_policy::shape Shape>
struct split_flow : between_sequences<T, T, false, Shape> {
  using base = between_sequences<T, T, false, Shape>;
  using counts = digit_counts<Ways - 1>;  // of each digit but the first, which is the rest
  using monoid = add_digit_counts<Ways - 1>;
  static constexpr int bits = Ways <= 2 ? 1 : Ways <= 4 ? 2 : 3;
  static constexpr int digits = 1 << bits;
  static constexpr int rows = base::items_of_thread;
  static constexpr int warps = base::threads / warp_size;
  static constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(T));
  static constexpr int storers = Ways;
  static_assert(base::items < 1 << message<digit_counts<1>>::half);

  /// For the parts, each of which may begin and end a vector further on.
  static constexpr int room = base::tile_bytes + 2 * Ways * bulk_alignment;
  /// What a storer is told of its part, behind the parts.
  struct note {
    index_t ahead;
    int first, many;  // where it lies in the stage, and how much it is
  };
  static constexpr std::size_t stage_bytes = room + Ways * sizeof(note);

  /// How many elements each warp has of each digit, of two tiles of each group in turn.
  struct shared {
    int of_warp[base::groups][2][warps][digits];
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

  /// What the lanes of a warp said of their digits, and which of them had one.
  struct votes {
    unsigned yes[bits];
    unsigned there;

    /// Who has digit d.
    __device__ unsigned with(int d) const {
      unsigned all = there;
#pragma unroll
      for (int b = 0; b < bits; ++b) all &= d >> b & 1 ? yes[b] : ~yes[b];
      return all;
    }
  };
  static __device__ votes vote(int d, unsigned there) {
    votes v;
    v.there = there;
#pragma unroll
    for (int b = 0; b < bits; ++b) v.yes[b] = __ballot_sync(whole_warp, d >> b & 1);
    return v;
  }

  /// f(r, x, d, votes) for each row of a warp, with the lane's element and its digit.
  template <class F>
  __device__ void for_each_row(char const* stage, index_t t, int warp, F f) const {
    int const lane = threadIdx.x % warp_size;
    T const* const staged = reinterpret_cast<T const*>(stage) + warp * rows * warp_size;
    int const rest = base::items_of(t) - warp * rows * warp_size;
    if (rest >= rows * warp_size) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        T const x = staged[r * warp_size + lane];
        int const d = static_cast<int>(digit(x));
        f(r, x, d, vote(d, whole_warp));
      }
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        int const there = ::max(0, ::min(rest - r * warp_size, warp_size));
        T const x = lane < there ? staged[r * warp_size + lane] : T{};
        int const d = lane < there ? static_cast<int>(digit(x)) : 0;
        f(r, x, d, vote(d, there > 0 ? whole_warp >> (warp_size - there) : 0));
      }
    }
  }

  /// Of a whole tile, by a warp; each lane counts in a byte for each digit.
  __device__ counts count(char const* stage, index_t) const {
    using values = typename base::values;
    using bytes = std::conditional_t<(Ways <= 4), std::uint32_t, std::uint64_t>;
    static_assert(rows < 256);
    int const lane = threadIdx.x % warp_size;
    counts all{};
#pragma unroll 2
    for (int w = 0; w < warps; ++w) {
      auto const x = values::read(stage + (w * warp_size + lane) * base::bytes_of_thread);
      bytes sum = 0;
#pragma unroll
      for (int i = 0; i < rows; ++i) sum += bytes{1} << (8 * static_cast<int>(digit(x.get(i))));
#pragma unroll
      for (int d = 1; d < Ways; ++d) all.of[d - 1] += static_cast<unsigned>(sum >> (8 * d)) & 0xff;
    }
    return warp_fold(all, m);
  }

  /// By thread k of a group, for whom await() says what is ahead of the tile.
  template <class Await>
  __device__ void work(char* stage, index_t t, int group, int k, bool odd, Await await) const {
    int const lane = k % warp_size;
    int const warp = k / warp_size;
    int const d_of_lane = lane % digits;
    unsigned const left_lanes = (1u << lane) - 1;
    T x[rows];
    unsigned rank_and_digit[rows / 2] = {};
    int many = 0;  // of the rows so far, of the lane's digit
    for_each_row(stage, t, warp, [&](int r, T const& x_of, int d, votes const& v) {
      x[r] = x_of;
      unsigned const rank =
          static_cast<unsigned>(shuffle_from(many, d)) + __popc(v.with(d) & left_lanes);
      rank_and_digit[r / 2] |= (rank | static_cast<unsigned>(d) << 12) << (r % 2 * 16);
      many += __popc(v.with(d_of_lane));
    });

    auto& of_warp = reinterpret_cast<shared*>(shared_bytes())->of_warp[group][odd];
    if (lane < digits) of_warp[warp][lane] = many;
    sync_group(group, base::threads);  // now all have taken theirs too
    int ahead = 0, all = 0;            // of the lane's digit: in warps ahead, and in the tile
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      int const of_w = of_warp[w][d_of_lane];
      ahead += w < warp ? of_w : 0;
      all += of_w;
    }

    counts const ahead_of_tile = await();
    index_t before = 0;
    index_t rest = base::first(t);
#pragma unroll
    for (int d = 1; d < Ways; ++d) {
      if (d == d_of_lane) before = ahead_of_tile.of[d - 1];
      rest -= ahead_of_tile.of[d - 1];
    }
    if (d_of_lane == 0) before = rest;
    int const skew = static_cast<int>(before % per_vector);
    int const size = (skew + all + per_vector - 1) / per_vector * per_vector;
    int end = size;  // of the part in the stage
#pragma unroll
    for (int delta = 1; delta < digits; delta *= 2) {
      int const left = shuffle_up(end, delta);
      if (d_of_lane >= delta) end += left;
    }
    int const first = end - size + skew;
    if (warp == 0 && lane < Ways) {
      notes_in(stage)[lane] = {before, first, all};
      if (base::first(t) + base::items >= base::n) total(lane, before + all);
    }

    int const start = first + ahead;
    T* const staged = reinterpret_cast<T*>(stage);
    int const there = base::items_of(t) - warp * rows * warp_size - lane;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const of_row = rank_and_digit[r / 2] >> (r % 2 * 16);
      int const place = shuffle_from(start, of_row >> 12 & 7) + static_cast<int>(of_row & 0xfff);
      if (r * warp_size < there) staged[place] = x[r];
    }
  }

  __device__ void store(char* stage, index_t, int d) const {
    note const of = notes_in(stage)[d];
    store_run(reinterpret_cast<T const*>(stage) + of.first, to.to[d], to.room[d], of.ahead,
              of.many);
  }
};

/// Streams a split if that can be done and pays; returns whether it did.
template <scan_policy::shape Shape, int Ways, class T, class Digit, class Counts>
bool stream_split(executor const& ex, index_t n, T const* in, split_places<Ways, T> const& to,
                  Digit digit, Counts counts) {
  if constexpr (can_flow<T, T, T> && (sizeof(T) == 4 || sizeof(T) == 8) && 2 <= Ways && Ways <= 8) {
    using flow = split_flow<Ways, T, Digit, Counts, Shape>;
    bool aligned = may_be_copied_in_bulk(in);
    for (T* const each : to.to) aligned &= may_be_copied_in_bulk(each);
    if (aligned && n * static_cast<index_t>(sizeof(T)) >= ex.tuned().packed_bytes &&
        can_stream<flow>(ex)) {
      stream_tiles(ex, n, flow{{in, nullptr, n}, {}, digit, to, counts});
      return true;
    }
  }
  return false;
}

}  // namespace detail

/// As ravel::split_apart_on; many elements, by a digit of each, are streamed.
template <int Ways, class T, class Digit, class Counts>
void split_apart_on(executor const& ex, index_t n, ravel::detail::digit_of_element<T, Digit> digit,
                    T const* in, split_places<Ways, T> const& to, Counts counts) {
  if (digit.from != in ||
      !detail::stream_split<scan_policy::split_apart>(ex, n, in, to, digit.digit, counts)) {
    ravel::split_apart_on<executor>(ex, n, digit, in, to, counts);
  }
}

}  // namespace ravel::inline v0::cuda
