#pragma once

/// @file
/// Split of a long plain sequence on a device to an output for each of up to 8 parts: a flow
/// through core/cuda/tile_stream.cuh.
///
/// What a tile has of each part is moved together in its stage, as far from a multiple of 16
/// bytes as the place it goes to, so that it leaves by one bulk copy for each part.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/split.cuh>
#include <ravel/primitives/split.hpp>

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

/// Of threads of one tile, two digits in a word.
template <int Many>
__device__ digit_counts<Many> warp_scan(digit_counts<Many> const& x, add_digit_counts<Many>) {
  constexpr int half = 16;
  unsigned const lane = threadIdx.x % cuda::warp_size;
  digit_counts<Many> sum;
#pragma unroll
  for (int d = 0; d < Many; d += 2) {
    bool const two = d + 1 < Many;
    auto both = static_cast<unsigned>(x.of[d]);
    if (two) both |= static_cast<unsigned>(x.of[d + 1]) << half;
#pragma unroll
    for (unsigned delta = 1; delta < cuda::warp_size; delta *= 2) {
      unsigned const left = cuda::shuffle_up(both, delta);
      if (lane >= delta) both += left;
    }
    sum.of[d] = both & ((1u << half) - 1);
    if (two) sum.of[d + 1] = both >> half;
  }
  return sum;
}
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

/// Of a tile, in 13 bits for each digit.
template <int Many>
struct message<digit_counts<Many>> {
  static constexpr int bits = 13;
  struct packed {
    unsigned word[(bits * Many + 31) / 32];
  };
  using plain = message<packed>;
  using word = typename plain::word;
  using layout = typename plain::layout;

  static __device__ word pack(unsigned tag, digit_counts<Many> const& x) {
    packed p{};
#pragma unroll
    for (int d = 0; d < Many; ++d) {
      auto const count = static_cast<unsigned>(x.of[d]);
      int const w = d * bits / 32, shift = d * bits % 32;
      p.word[w] |= count << shift;
      if (shift + bits > 32) p.word[w + 1] |= count >> (32 - shift);
    }
    return plain::pack(tag, p);
  }
  static __device__ unsigned tag(word w) { return plain::tag(w); }
  static __device__ digit_counts<Many> value(word from) {
    packed const p = plain::value(from);
    digit_counts<Many> x;
#pragma unroll
    for (int d = 0; d < Many; ++d) {
      int const w = d * bits / 32, shift = d * bits % 32;
      unsigned count = p.word[w] >> shift;
      if (shift + bits > 32) count |= p.word[w + 1] << (32 - shift);
      x.of[d] = count & ((1u << bits) - 1);
    }
    return x;
  }
  static index_t slots(index_t words) { return words; }
  static word* words(word* at) { return at; }
};

template <int Ways, class T, class Digit, class Counts, scan_policy::shape Shape>
struct split_flow : between_sequences<T, T, false, Shape> {
  using base = between_sequences<T, T, false, Shape>;
  using values = typename base::values;
  using counts = digit_counts<Ways - 1>;  // of each digit but the first, which is the rest
  using monoid = add_digit_counts<Ways - 1>;
  static constexpr int count = base::items_of_thread;
  static constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(T));
  static constexpr bool every_total = true;
  static constexpr int storers = Ways;
  static_assert(base::items < 1 << message<counts>::bits && count < 256);

  /// For the parts, each of which may begin and end a vector further on.
  static constexpr int room = base::tile_bytes + 2 * Ways * bulk_alignment;
  /// What a storer is told of its part, behind the parts.
  struct note {
    index_t ahead;
    int first, many;  // where it lies in the stage, and how much it is
  };
  /// How many elements of the tile are of each digit, behind that.
  struct totals {
    int of[(Ways + 3) / 4 * 4];
  };
  static constexpr std::size_t stage_bytes = room + Ways * sizeof(note) + sizeof(totals);

  struct part {
    values x;
    int there;  // of thread k's elements
  };

  monoid m;
  Digit digit;
  split_places<Ways, T> to;
  Counts total;

  static __device__ counts seed() { return {}; }
  static __device__ note* notes_in(char* stage) { return reinterpret_cast<note*>(stage + room); }
  static __device__ totals& totals_in(char* stage) {
    return *reinterpret_cast<totals*>(stage + room + Ways * sizeof(note));
  }

  __device__ void load(char* stage, index_t t, barrier& landed) const {
    landed.arrive_and_expect(base::load_values(stage, t, landed));
  }
  __device__ part take(char const* stage, index_t t, int k) const {
    int const rest = base::items_of(t) - k * count;
    return {values::read(stage + k * base::bytes_of_thread), ::max(0, ::min(rest, count))};
  }
  /// Counted in a byte each.
  __device__ counts fold(part const& p) const {
    using bytes = std::conditional_t<(Ways <= 4), std::uint32_t, std::uint64_t>;
    bytes sum = 0;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (i < p.there) sum += bytes{1} << (8 * static_cast<int>(digit(p.x.get(i))));
    }
    counts c;
#pragma unroll
    for (int d = 0; d < Ways - 1; ++d) c.of[d] = static_cast<unsigned>(sum >> (8 * d + 8)) & 0xff;
    return c;
  }

  /// Workers are to know how much of each part the tile has.
  __device__ counts const& to_tell(char* stage, index_t t, counts const& sum) const {
    if (threadIdx.x % warp_size == 0) {
      totals& all = totals_in(stage);
      int rest = base::items_of(t);
#pragma unroll
      for (int d = 1; d < Ways; ++d) {
        all.of[d] = static_cast<int>(sum.of[d - 1]);
        rest -= all.of[d];
      }
      all.of[0] = rest;
    }
    return sum;
  }
  /// Threads count from where the tile begins.
  static __device__ counts as_told(char const*, counts const&) { return {}; }

  __device__ void put(char* stage, index_t t, int k, part const& p, counts const& ahead,
                      counts const& ahead_of_tile) const {
    totals const all = totals_in(stage);
    index_t rest_of_tiles = base::first(t);  // ahead of the tile, of digit 0
    int rest_of_threads = ::min(k * count, base::items_of(t));
#pragma unroll
    for (int d = 0; d < Ways - 1; ++d) {
      rest_of_tiles -= ahead_of_tile.of[d];
      rest_of_threads -= static_cast<int>(ahead.of[d]);
    }
    bool const last = base::first(t) + base::items >= base::n;
    by_digit<Ways> place{};
    int begin = 0;  // of a part in the stage
#pragma unroll
    for (int d = 0; d < Ways; ++d) {
      index_t const before = d == 0 ? rest_of_tiles : ahead_of_tile.of[d - 1];
      int const in_tile = d == 0 ? rest_of_threads : static_cast<int>(ahead.of[d - 1]);
      int const first = begin + static_cast<int>(before % per_vector);
      place.add(d, static_cast<unsigned>(first + in_tile));
      if (k == base::threads - 1) {
        notes_in(stage)[d] = {before, first, all.of[d]};
        if (last) total(d, before + all.of[d]);
      }
      begin = (first + all.of[d] + per_vector - 1) / per_vector * per_vector;
    }
    T* const staged = reinterpret_cast<T*>(stage);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (i < p.there) staged[place.take(static_cast<int>(digit(p.x.get(i))))] = p.x.get(i);
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
      !detail::stream_split<scan_policy::split_apart(Ways)>(ex, n, in, to, digit.digit, counts)) {
    ravel::split_apart_on<executor>(ex, n, digit, in, to, counts);
  }
}

}  // namespace ravel::inline v0::cuda
